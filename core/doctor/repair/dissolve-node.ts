import type { MessageLinks, SourceLinks } from '#core/memory/draft.ts'
import type { StateBefore } from '#core/memory/draft-coverage.ts'
import { rangesOf, type SourceRange, withSources } from '#core/memory/draft-coverage.ts'
import type { FileDraft } from '#core/systems/rules/file-draft.ts'
import { settle } from './settle.ts'
import { type Arrival, messageEntry, putIntoWindow, takeFromWindow } from './window-entries.ts'

/** Returns a sentence on why a node cannot be dissolved, or null when it can. */
export function whyNotDissolved(draft: FileDraft, id: string): string | null {
  const sources = otherSources(draft, id)
  if (sources.length === 0 && draft.messageLinks(id).length === 0) {
    return `${id} has no sources that could take its place.`
  }
  const isLeaf = sources.length === 0
  const dependents = (draft.dependents().get(id) ?? []).filter((dependent) => dependent !== id)
  if (isLeaf && dependents.length > 0) {
    return `${id} is a first summary and a source of ${dependents.join(', ')}: a summary of summaries cannot be made of messages. Dissolve ${dependents[0]} first.`
  }
  const isMissing =
    draft.sourceLinks(id).some(({ to }) => !draft.summaries.has(to)) ||
    draft.messageLinks(id).some(({ to }) => !draft.messages.has(to))
  if (isMissing) return `Sources of ${id} are missing in the file: repair its links first.`
  return null
}

/** A damaged file may name a summary as its own source. It cannot replace itself. */
const otherSources = (draft: FileDraft, id: string): SourceLinks => draft.sourceLinks(id).filter(({ to }) => to !== id)

/**
 * Removes a summary and puts its sources in its place, in order: in the window, and among the sources of its
 * dependents. A dependent that is also one of the sources, because both lie on a cycle, does not become its own source.
 */
export function dissolveNode(draft: FileDraft, id: string, was: StateBefore): void {
  const sources = otherSources(draft, id)
  const messages = draft.messageLinks(id)
  for (const dependent of draft.dependents().get(id) ?? []) {
    const edges = draft.sourceLinks(dependent)
    const known = new Set([...edges.map((edge) => edge.to), dependent])
    const list = edges.flatMap((edge) => (edge.to === id ? sources.filter(({ to }) => !known.has(to)) : [edge]))
    draft.setSourceLinks(
      dependent,
      list.map(({ to }, ordinal) => ({ to, ordinal })),
    )
  }
  draft.remove(id)
  // Where the messages of its sources begin is known only without the cycle.
  const ranges = rangesOf(draft)
  for (const conversationId of draft.conversationIds) {
    if (!draft.window(conversationId).some((entry) => entry.summaryId === id)) continue
    takeFromWindow(draft, conversationId, (entry) => entry.summaryId === id)
    putIntoWindow(draft, conversationId, arrivalsOf(draft, messages, sources, ranges), ranges)
  }
  settle(draft, was)
}

function arrivalsOf(
  draft: FileDraft,
  messages: MessageLinks,
  sources: SourceLinks,
  ranges: ReadonlyMap<string, SourceRange>,
): Arrival[] {
  return [
    ...messages.map(({ to }) => messageEntry(draft, draft.messages.positionOf(to))),
    ...sources.map(({ to }): Arrival => {
      const placedAtMs = draft.summaries.get(to)?.createdAtMs ?? 0
      return { firstSeq: ranges.get(to)?.firstSeq ?? 0, entry: { messageId: null, summaryId: to, placedAtMs } }
    }),
  ]
}

/**
 * Dissolves the summaries in the window that cover a message, from the top, until the message itself is in the window.
 * @returns the dissolved summaries
 */
export function uncover(draft: FileDraft, conversationId: number, messageId: number, was: StateBefore): string[] {
  const dissolved: string[] = []
  for (;;) {
    const window = draft.window(conversationId)
    if (window.some((entry) => entry.messageId === messageId)) return dissolved
    const covering = window.find(
      ({ summaryId }) =>
        summaryId !== null &&
        [...withSources(draft, [summaryId])].some((id) => draft.messageLinks(id).some(({ to }) => to === messageId)),
    )?.summaryId
    if (!covering || whyNotDissolved(draft, covering) !== null) return dissolved
    dissolveNode(draft, covering, was)
    dissolved.push(covering)
  }
}
