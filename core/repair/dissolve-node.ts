import type { MemoryModel, WindowEntry } from './memory-model.ts'
import { beneath } from './reach.ts'
import { type Standing, settle } from './settle.ts'

/** Why a node cannot be dissolved, a sentence; null when it can. */
export function whyNotDissolved(model: MemoryModel, id: string): string | null {
  if (model.isEmpty(id)) return `${id} has no sources that could take its place.`
  const isLeaf = model.sourceEdges(id).length === 0
  const dependents = model.dependents().get(id) ?? []
  if (isLeaf && dependents.length > 0) {
    return `${id} is a leaf and a source of ${dependents.join(', ')}: a condensed node cannot be made of messages. Dissolve ${dependents[0]} first.`
  }
  const isMissing =
    model.sourceEdges(id).some(({ to }) => !model.summaries.has(to)) ||
    model.messageEdges(id).some(({ to }) => !model.messages.has(to))
  if (isMissing) return `Sources of ${id} are missing in the file: repair its links first.`
  return null
}

/**
 * Takes a node out and puts its sources in its place, in order: in the window, and in the lists of what was made from it.
 */
export function dissolveNode(model: MemoryModel, id: string, was: Standing): void {
  const sources = model.sourceEdges(id)
  for (const conversationId of model.conversationIds) {
    const window = model.window(conversationId)
    if (window.some((entry) => entry.summaryId === id)) model.setWindow(conversationId, replaced(model, window, id))
  }
  for (const dependent of model.dependents().get(id) ?? []) {
    const edges = model.sourceEdges(dependent)
    const known = new Set(edges.map((edge) => edge.to))
    const list = edges.flatMap((edge) => (edge.to === id ? sources.filter(({ to }) => !known.has(to)) : [edge]))
    model.setSourceEdges(
      dependent,
      list.map(({ to }, ordinal) => ({ to, ordinal })),
    )
  }
  model.remove(id)
  settle(model, was)
}

/** The sources stand where the node stood; what follows moves up as far as it must. */
function replaced(model: MemoryModel, window: readonly WindowEntry[], id: string): WindowEntry[] {
  const entries: WindowEntry[] = []
  let next = 0
  const put = (entry: Omit<WindowEntry, 'ordinal'>, least: number): void => {
    const ordinal = Math.max(least, next)
    entries.push({ ...entry, ordinal })
    next = ordinal + 1
  }
  for (const entry of window) {
    if (entry.summaryId !== id) put(entry, entry.ordinal)
    else for (const source of sourceEntries(model, id)) put(source, entry.ordinal)
  }
  return entries
}

function sourceEntries(model: MemoryModel, id: string): Omit<WindowEntry, 'ordinal'>[] {
  const { messages } = model
  return [
    ...model.messageEdges(id).map(({ to }) => ({
      messageId: to,
      summaryId: null,
      placedAtMs: messages.atMs[messages.rowOf(to)] ?? 0,
    })),
    ...model.sourceEdges(id).map(({ to }) => ({
      messageId: null,
      summaryId: to,
      placedAtMs: model.summaries.get(to)?.createdAtMs ?? 0,
    })),
  ]
}

/**
 * Dissolves whatever covers a message in the window, from the top, until the message itself stands there.
 * @returns what was dissolved
 */
export function uncover(model: MemoryModel, conversationId: number, messageId: number, was: Standing): string[] {
  const dissolved: string[] = []
  for (;;) {
    const window = model.window(conversationId)
    if (window.some((entry) => entry.messageId === messageId)) return dissolved
    const covering = window.find(
      ({ summaryId }) =>
        summaryId !== null &&
        [...beneath(model, [summaryId])].some((id) => model.messageEdges(id).some(({ to }) => to === messageId)),
    )?.summaryId
    if (!covering || whyNotDissolved(model, covering) !== null) return dissolved
    dissolveNode(model, covering, was)
    dissolved.push(covering)
  }
}
