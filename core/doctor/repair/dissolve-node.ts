import type { FileDraft } from './file-draft.ts'
import { rangesOf, type SourceRange, withSources } from './reach.ts'
import { type Standing, settle } from './settle.ts'
import { type Arrival, messageEntry, putIntoWindow, takeFromWindow } from './window-entries.ts'

/** Why a node cannot be dissolved, a sentence; null when it can. */
export function whyNotDissolved(model: FileDraft, id: string): string | null {
  if (model.isEmpty(id)) return `${id} has no sources that could take its place.`
  const isLeaf = model.sourceLinks(id).length === 0
  const dependents = model.dependents().get(id) ?? []
  if (isLeaf && dependents.length > 0) {
    return `${id} is a leaf and a source of ${dependents.join(', ')}: a condensed node cannot be made of messages. Dissolve ${dependents[0]} first.`
  }
  const isMissing =
    model.sourceLinks(id).some(({ to }) => !model.summaries.has(to)) ||
    model.messageLinks(id).some(({ to }) => !model.messages.has(to))
  if (isMissing) return `Sources of ${id} are missing in the file: repair its links first.`
  return null
}

/**
 * Takes a node out and puts its sources in its place, in order: in the window, and in the lists of what was made from it.
 */
export function dissolveNode(model: FileDraft, id: string, was: Standing): void {
  const sources = model.sourceLinks(id)
  const ranges = rangesOf(model)
  for (const conversationId of model.conversationIds) {
    if (!model.window(conversationId).some((entry) => entry.summaryId === id)) continue
    takeFromWindow(model, conversationId, (entry) => entry.summaryId === id)
    putIntoWindow(model, conversationId, arrivalsOf(model, id, ranges), ranges)
  }
  for (const dependent of model.dependents().get(id) ?? []) {
    const edges = model.sourceLinks(dependent)
    const known = new Set(edges.map((edge) => edge.to))
    const list = edges.flatMap((edge) => (edge.to === id ? sources.filter(({ to }) => !known.has(to)) : [edge]))
    model.setSourceLinks(
      dependent,
      list.map(({ to }, ordinal) => ({ to, ordinal })),
    )
  }
  model.remove(id)
  settle(model, was)
}

function arrivalsOf(model: FileDraft, id: string, ranges: ReadonlyMap<string, SourceRange>): Arrival[] {
  const { messages } = model
  return [
    ...model.messageLinks(id).map(({ to }) => messageEntry(model, messages.positionOf(to))),
    ...model.sourceLinks(id).map(({ to }): Arrival => {
      const placedAtMs = model.summaries.get(to)?.createdAtMs ?? 0
      return { firstSeq: ranges.get(to)?.firstSeq ?? 0, entry: { messageId: null, summaryId: to, placedAtMs } }
    }),
  ]
}

/**
 * Dissolves whatever covers a message in the window, from the top, until the message itself stands there.
 * @returns what was dissolved
 */
export function uncover(model: FileDraft, conversationId: number, messageId: number, was: Standing): string[] {
  const dissolved: string[] = []
  for (;;) {
    const window = model.window(conversationId)
    if (window.some((entry) => entry.messageId === messageId)) return dissolved
    const covering = window.find(
      ({ summaryId }) =>
        summaryId !== null &&
        [...withSources(model, [summaryId])].some((id) => model.messageLinks(id).some(({ to }) => to === messageId)),
    )?.summaryId
    if (!covering || whyNotDissolved(model, covering) !== null) return dissolved
    dissolveNode(model, covering, was)
    dissolved.push(covering)
  }
}
