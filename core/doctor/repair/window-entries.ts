import type { WindowEntry } from '#core/memory/draft.ts'
import type { SourceRange } from '#core/memory/draft-coverage.ts'
import type { FileDraft } from '#core/systems/rules/file-draft.ts'

/** A new entry of a window, and where its history begins. */
export type Arrival = { readonly firstSeq: number; readonly entry: Omit<WindowEntry, 'ordinal'> }

/** Returns where the history of an entry begins, or undefined for an entry without messages. */
export function firstSeqOf(
  draft: FileDraft,
  ranges: ReadonlyMap<string, SourceRange>,
  entry: Pick<WindowEntry, 'messageId' | 'summaryId'>,
): number | undefined {
  if (entry.messageId !== null) return draft.messages.seqOf(entry.messageId)
  return entry.summaryId === null ? undefined : ranges.get(entry.summaryId)?.firstSeq
}

/** Returns an entry for a message, as if it had been in the window since it was stored. */
export function messageEntry(draft: FileDraft, position: number): Arrival {
  const { messages } = draft
  return {
    firstSeq: messages.seqAt(position),
    entry: { messageId: messages.idAt(position), summaryId: null, placedAtMs: messages.createdAtMsAt(position) },
  }
}

/**
 * Puts entries into a window, each before the first one whose history begins later. Free ordinals are used; where there
 * are too few, the following entries move up.
 */
export function putIntoWindow(
  draft: FileDraft,
  conversationId: number,
  arrivals: readonly Arrival[],
  ranges: ReadonlyMap<string, SourceRange>,
): void {
  if (arrivals.length === 0) return
  const waiting = arrivals.toSorted((a, b) => a.firstSeq - b.firstSeq)
  const entries: WindowEntry[] = []
  let next = 0
  let come = 0
  const put = (entry: Omit<WindowEntry, 'ordinal'>, ordinal: number): void => {
    entries.push({ ...entry, ordinal })
    next = ordinal + 1
  }
  for (const entry of draft.window(conversationId)) {
    const first = firstSeqOf(draft, ranges, entry)
    for (let arrival = waiting[come]; arrival && first !== undefined; arrival = waiting[come]) {
      if (arrival.firstSeq >= first) break
      put(arrival.entry, next)
      come += 1
    }
    put(entry, Math.max(entry.ordinal, next))
  }
  for (const { entry } of waiting.slice(come)) put(entry, next)
  draft.setWindow(conversationId, entries)
}

/** Removes entries. The others keep their ordinals. */
export function takeFromWindow(
  draft: FileDraft,
  conversationId: number,
  isGone: (entry: WindowEntry, index: number) => boolean,
): void {
  const entries = draft.window(conversationId)
  const left = entries.filter((entry, index) => !isGone(entry, index))
  if (left.length < entries.length) draft.setWindow(conversationId, left)
}
