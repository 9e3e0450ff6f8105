import type { WindowEntry } from '../../memory/draft.ts'
import type { FileDraft } from './file-draft.ts'

/** What a summary stands for, through all its sources. */
export type Span = {
  firstSeq: number
  lastSeq: number
  earliestAtMs: number
  latestAtMs: number
}

/**
 * Summaries from the leaves up, sources before what is made from them. Those that lie on a cycle of sources, or above
 * one, are left out.
 */
export function bottomUp(model: FileDraft): string[] {
  const dependents = model.dependents()
  const open = new Map<string, number>()
  const order: string[] = []
  for (const id of model.summaries.keys()) {
    const sources = model.sourceLinks(id).filter((edge) => model.summaries.has(edge.to)).length
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

/** Spans of all summaries that reach a message and lie neither on a cycle nor above one. */
export function spansOf(model: FileDraft): ReadonlyMap<string, Span> {
  const { messages } = model
  const spans = new Map<string, Span>()
  for (const id of bottomUp(model)) {
    let span: Span | undefined
    const widen = (firstSeq: number, lastSeq: number, earliestAtMs: number, latestAtMs: number): void => {
      if (!span) span = { firstSeq, lastSeq, earliestAtMs, latestAtMs }
      span.firstSeq = Math.min(span.firstSeq, firstSeq)
      span.lastSeq = Math.max(span.lastSeq, lastSeq)
      span.earliestAtMs = Math.min(span.earliestAtMs, earliestAtMs)
      span.latestAtMs = Math.max(span.latestAtMs, latestAtMs)
    }
    for (const { to } of model.messageLinks(id)) {
      const row = messages.positionOf(to)
      if (row < 0) continue
      const [seq, at] = [messages.seqAt(row), messages.createdAtMsAt(row)]
      widen(seq, seq, at, at)
    }
    for (const { to } of model.sourceLinks(id)) {
      const below = spans.get(to)
      if (below) widen(below.firstSeq, below.lastSeq, below.earliestAtMs, below.latestAtMs)
    }
    if (span) spans.set(id, span)
  }
  return spans
}

/** Everything beneath some summaries, themselves included, of what exists. */
export function beneath(model: FileDraft, roots: Iterable<string>): Set<string> {
  const seen = new Set<string>()
  const open = [...roots]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id) || !model.summaries.has(id)) continue
    seen.add(id)
    for (const { to } of model.sourceLinks(id)) open.push(to)
  }
  return seen
}

/** Everything that is made from some summaries, themselves included. */
export function above(model: FileDraft, from: Iterable<string>): Set<string> {
  const dependents = model.dependents()
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
function inWindows(model: FileDraft): Set<string> {
  const found = new Set<string>()
  for (const conversationId of model.conversationIds) {
    for (const { summaryId } of model.window(conversationId)) if (summaryId !== null) found.add(summaryId)
  }
  return found
}

/** Numbers of the messages under these summaries that exist. */
export function* messagesUnder(model: FileDraft, ids: Iterable<string>): Iterable<number> {
  for (const id of ids) for (const { to } of model.messageLinks(id)) if (model.messages.has(to)) yield to
}

/** How the windows show the history. */
export type Coverage = {
  /** Rows of messages that are neither in a window nor under a summary that is: nobody reaches them. */
  readonly uncovered: ReadonlySet<number>
  /** Window entries that a summary in a window stands for already, as `msg_<n>` or the summary's id. */
  readonly twice: ReadonlySet<string>
}

/** @param conversationsWithWindow whose messages have to be covered; others keep no window */
export function coverageOf(model: FileDraft, conversationsWithWindow: ReadonlySet<number>): Coverage {
  const { messages } = model
  const shown = new Uint8Array(messages.length)
  const covered = new Uint8Array(messages.length)
  const roots = inWindows(model)
  for (const message of messagesUnder(model, beneath(model, roots))) covered[messages.positionOf(message)] = 1
  const twice = new Set<string>()
  const covering = coveringOf(model, roots)
  for (const conversationId of model.conversationIds) {
    const seen = new Set<string>()
    for (const entry of model.window(conversationId)) {
      const id = entryId(entry)
      const row = entry.messageId === null ? -1 : messages.positionOf(entry.messageId)
      if (row >= 0) shown[row] = 1
      if (seen.has(id) || (row >= 0 && covered[row] === 1) || covering.has(id)) twice.add(id)
      seen.add(id)
    }
  }
  const uncovered = new Set<number>()
  for (let row = 0; row < messages.length; row += 1) {
    if (shown[row] === 1 || covered[row] === 1 || messages.isEvent(row)) continue
    if (conversationsWithWindow.has(messages.conversationAt(row))) uncovered.add(row)
  }
  return { uncovered, twice }
}

/** Those of the roots that lie under another of them. */
function coveringOf(model: FileDraft, roots: ReadonlySet<string>): Set<string> {
  const below = new Set<string>()
  for (const root of roots) {
    const open = model.sourceLinks(root).map((edge) => edge.to)
    const seen = new Set<string>([root])
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (seen.has(id)) continue
      seen.add(id)
      if (roots.has(id)) below.add(id)
      for (const { to } of model.sourceLinks(id)) open.push(to)
    }
  }
  return below
}

/** Summaries that are neither in a window nor a source of another. */
export function orphansOf(model: FileDraft): Set<string> {
  const used = inWindows(model)
  for (const id of model.summaries.keys()) for (const { to } of model.sourceLinks(id)) if (to !== id) used.add(to)
  return new Set([...model.summaries.keys()].filter((id) => !used.has(id)))
}

export const entryId = ({ messageId, summaryId, ordinal }: WindowEntry): string =>
  messageId === null ? (summaryId ?? `item_${ordinal}`) : `msg_${messageId}`
