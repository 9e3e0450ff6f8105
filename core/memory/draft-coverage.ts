import { ABSENT } from './coverage.ts'
import type { Draft, WindowEntry } from './draft.ts'
import type { Memory } from './memory.ts'

/** What a summary stands for, through all its sources. */
export type SourceRange = {
  firstSeq: number
  lastSeq: number
  earliestAtMs: number
  latestAtMs: number
}

/**
 * Summaries from the leaves up, sources before what is made from them. Those that lie on a cycle of sources, or above
 * one, are left out.
 */
export function bottomUp(draft: Draft): string[] {
  const dependents = draft.dependents()
  const open = new Map<string, number>()
  const order: string[] = []
  for (const id of draft.summaries.keys()) {
    const sources = draft.sourceLinks(id).filter((edge) => draft.summaries.has(edge.to)).length
    open.set(id, sources)
    if (sources === 0) order.push(id)
  }
  for (let at = 0; at < order.length; at += 1) {
    for (const dependent of dependents.get(order[at] as string) ?? []) {
      const left = (open.get(dependent) ?? 0) - 1
      open.set(dependent, left)
      if (left === 0) order.push(dependent)
    }
  }
  return order
}

/** Ranges of all summaries that reach a message and lie neither on a cycle nor above one. */
export function rangesOf(draft: Draft): ReadonlyMap<string, SourceRange> {
  const { messages } = draft
  const ranges = new Map<string, SourceRange>()
  for (const id of bottomUp(draft)) {
    let range: SourceRange | undefined
    const widen = (firstSeq: number, lastSeq: number, earliestAtMs: number, latestAtMs: number): void => {
      if (!range) range = { firstSeq, lastSeq, earliestAtMs, latestAtMs }
      range.firstSeq = Math.min(range.firstSeq, firstSeq)
      range.lastSeq = Math.max(range.lastSeq, lastSeq)
      range.earliestAtMs = Math.min(range.earliestAtMs, earliestAtMs)
      range.latestAtMs = Math.max(range.latestAtMs, latestAtMs)
    }
    for (const { to } of draft.messageLinks(id)) {
      const position = messages.positionOf(to)
      if (position < 0) continue
      const [seq, at] = [messages.seqAt(position), messages.createdAtMsAt(position)]
      widen(seq, seq, at, at)
    }
    for (const { to } of draft.sourceLinks(id)) {
      const below = ranges.get(to)
      if (below) widen(below.firstSeq, below.lastSeq, below.earliestAtMs, below.latestAtMs)
    }
    if (range) ranges.set(id, range)
  }
  return ranges
}

/** Some summaries with all that they reach through their sources, of what exists. */
export function withSources(draft: Draft, roots: Iterable<string>): Set<string> {
  const seen = new Set<string>()
  const open = [...roots]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id) || !draft.summaries.has(id)) continue
    seen.add(id)
    for (const { to } of draft.sourceLinks(id)) open.push(to)
  }
  return seen
}

/** Some summaries with all that is made from them. */
export function withDependents(draft: Draft, from: Iterable<string>): Set<string> {
  const dependents = draft.dependents()
  const seen = new Set<string>()
  const open = [...from]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue
    seen.add(id)
    open.push(...(dependents.get(id) ?? []))
  }
  return seen
}

/** Summaries that stand in some window. */
function inWindows(draft: Draft): Set<string> {
  const found = new Set<string>()
  for (const conversationId of draft.conversationIds) {
    for (const { summaryId } of draft.window(conversationId)) if (summaryId !== null) found.add(summaryId)
  }
  return found
}

/** Numbers of the messages under these summaries that exist. */
export function* messagesUnder(draft: Draft, ids: Iterable<string>): Iterable<number> {
  for (const id of ids) for (const { to } of draft.messageLinks(id)) if (draft.messages.has(to)) yield to
}

/** How the windows show the history. */
export type DraftCoverage = {
  /** Positions of messages that are neither in a window nor under a summary that is: nobody reaches them. */
  readonly uncovered: ReadonlySet<number>
  /** Window entries that a summary in a window stands for already, as `msg_<n>` or the summary's id. */
  readonly twice: ReadonlySet<string>
}

/** @param conversationsWithWindow whose messages have to be covered; others keep no window */
export function coverageOf(draft: Draft, conversationsWithWindow: ReadonlySet<number>): DraftCoverage {
  const memory = draft.memory()
  const { messages, summaries, coverage } = memory
  const twice = new Set<string>()
  for (const conversationId of draft.conversationIds) {
    const seen = new Set<string>()
    for (const entry of draft.window(conversationId)) {
      const id = entryId(entry)
      const position = entry.messageId === null ? -1 : messages.positionOf(entry.messageId)
      const isCovered = position >= 0 ? coverage.isCovered(position) : isReachedByOther(memory, summaries.nodeOf(id))
      if (seen.has(id) || isCovered) twice.add(id)
      seen.add(id)
    }
  }
  const uncovered = new Set<number>()
  for (let position = 0; position < messages.length; position += 1) {
    if (coverage.messageStates[position] !== ABSENT) continue
    if (conversationsWithWindow.has(messages.conversationAt(position))) uncovered.add(position)
  }
  return { uncovered, twice }
}

/** Whether a summary in a window is a source, near or far, of another that is in one. On a cycle each reaches itself. */
function isReachedByOther({ links, order, window, coverage }: Memory, node: number): boolean {
  if (node < 0 || coverage.isReached[node] === 0) return false
  if (order.onCycle[node] === 0) return true
  const above = links.withDependents([node])
  above.delete(node)
  return [...above].some((other) => window.summaryCounts[other] !== 0)
}

/** Summaries that are neither in a window nor a source of another. */
export function orphansOf(draft: Draft): Set<string> {
  const used = inWindows(draft)
  for (const id of draft.summaries.keys()) for (const { to } of draft.sourceLinks(id)) if (to !== id) used.add(to)
  return new Set([...draft.summaries.keys()].filter((id) => !used.has(id)))
}

export const entryId = ({ messageId, summaryId, ordinal }: WindowEntry): string =>
  messageId === null ? (summaryId ?? `item_${ordinal}`) : `msg_${messageId}`

/** What was not in order before a change, and need not be after it. */
export type StateBefore = {
  readonly coverage: DraftCoverage
  readonly orphans: ReadonlySet<string>
  /** Summaries without any source. */
  readonly empty: ReadonlySet<string>
  readonly windows: ReadonlySet<number>
}

export function stateBefore(draft: Draft): StateBefore {
  const windows = new Set(draft.conversationIds.filter((id) => draft.window(id).length > 0))
  return {
    windows,
    coverage: coverageOf(draft, windows),
    orphans: orphansOf(draft),
    empty: new Set([...draft.summaries.keys()].filter((id) => draft.isEmpty(id))),
  }
}
