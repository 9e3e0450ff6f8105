import {
  coverageOf,
  entryId,
  messagesUnder,
  orphansOf,
  rangesOf,
  type StateBefore,
  withSources,
} from '#core/memory/draft-coverage.ts'
import type { FileDraft } from '#core/systems/rules/file-draft.ts'
import { bringInLine } from './numbers.ts'
import { type Arrival, messageEntry, putIntoWindow, takeFromWindow } from './window-entries.ts'

/**
 * Settles the consequences of changed links or windows, so that nothing is worse than before. Summaries without a
 * source are removed. Summaries without a dependent are put into the window or removed. Messages that are not covered
 * any more are put back into the window. What is in the window twice since then is removed once. All dependent numbers
 * are computed again.
 */
export function settle(draft: FileDraft, was: StateBefore): void {
  for (;;) {
    const changed = draft.touched.size
    removeEmpty(draft, (id) => !was.empty.has(id))
    resolveOrphans(draft, (id) => !was.orphans.has(id), was.windows)
    if (draft.touched.size === changed) break
  }
  const { twice } = coverageOf(draft, was.windows)
  dropTwice(draft, (id) => twice.has(id) && !was.coverage.twice.has(id))
  putBack(draft, (position) => !was.coverage.uncovered.has(position), was.windows)
  bringInLine(draft, draft.touched)
}

/** Removes summaries without a source, and those that lose their last source thereby. */
export function removeEmpty(draft: FileDraft, isWanted: (id: string) => boolean): void {
  const dependents = draft.dependents()
  const open = [...draft.summaries.keys()].filter((id) => draft.isEmpty(id) && isWanted(id))
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    removeSummary(draft, id)
    for (const dependent of dependents.get(id) ?? []) {
      if (!draft.summaries.has(dependent)) continue
      draft.setSourceLinks(
        dependent,
        draft.sourceLinks(dependent).filter((edge) => edge.to !== id),
      )
      if (draft.isEmpty(dependent)) open.push(dependent)
    }
  }
}

/** Removes it with its links and its entries in windows. */
function removeSummary(draft: FileDraft, id: string): void {
  draft.remove(id)
  for (const conversationId of draft.conversationIds) {
    if (draft.window(conversationId).some((entry) => entry.summaryId === id)) {
      takeFromWindow(draft, conversationId, (entry) => entry.summaryId === id)
    }
  }
}

/**
 * A summary without a dependent is put back into the window when no other one covers any of its messages. Otherwise it
 * is removed, and its sources are considered in turn.
 */
export function resolveOrphans(
  draft: FileDraft,
  isWanted: (id: string) => boolean,
  windows: ReadonlySet<number>,
): void {
  for (;;) {
    const open = [...orphansOf(draft)].filter(isWanted)
    if (open.length === 0) return
    const { uncovered } = coverageOf(
      draft,
      new Set([...windows, ...open.flatMap((id) => draft.summaries.get(id)?.conversationId ?? [])]),
    )
    const ranges = rangesOf(draft)
    const taken = new Set<number>()
    for (const id of open) {
      const summary = draft.summaries.get(id)
      if (!summary) continue
      const positions = [...messagesUnder(draft, withSources(draft, [id]))].map((message) =>
        draft.messages.positionOf(message),
      )
      const range = ranges.get(id)
      if (!range || positions.some((position) => !uncovered.has(position) || taken.has(position))) {
        removeSummary(draft, id)
        continue
      }
      for (const position of positions) taken.add(position)
      const entry = { messageId: null, summaryId: id, placedAtMs: summary.createdAtMs ?? range.latestAtMs }
      putIntoWindow(draft, summary.conversationId, [{ firstSeq: range.firstSeq, entry }], ranges)
    }
  }
}

/** Removes entries from windows that a summary there covers, or that are listed a second time. */
export function dropTwice(draft: FileDraft, isWanted: (id: string) => boolean): void {
  const { twice } = coverageOf(draft, new Set())
  for (const conversationId of draft.conversationIds) {
    const seen = new Set<string>()
    const isCovered = new Set([...twice].filter(isWanted))
    if (isCovered.size === 0) return
    const listed = Map.groupBy(draft.window(conversationId), entryId)
    takeFromWindow(draft, conversationId, (entry) => {
      const id = entryId(entry)
      if (!isCovered.has(id)) return false
      // It is listed twice and not covered, so the first entry stays.
      const isListedAgain = (listed.get(id)?.length ?? 0) > 1
      const isFirst = !seen.has(id)
      seen.add(id)
      return !(isListedAgain && isFirst && !isCoveredBySummary(draft, entry))
    })
  }
}

function isCoveredBySummary(draft: FileDraft, entry: { messageId: number | null; summaryId: string | null }): boolean {
  const roots = draft.conversationIds.flatMap((id) =>
    draft
      .window(id)
      .flatMap(({ summaryId }) => (summaryId === null || summaryId === entry.summaryId ? [] : [summaryId])),
  )
  const reached = withSources(draft, roots)
  if (entry.summaryId !== null) return reached.has(entry.summaryId)
  return [...messagesUnder(draft, reached)].includes(entry.messageId ?? -1)
}

/** Puts uncovered messages back into their windows, in the order of the history. */
export function putBack(
  draft: FileDraft,
  isWanted: (position: number) => boolean,
  windows: ReadonlySet<number>,
): number[] {
  const { uncovered } = coverageOf(draft, windows)
  const positions = [...uncovered].filter(isWanted)
  if (positions.length === 0) return []
  const ranges = rangesOf(draft)
  const byConversation = Map.groupBy(positions, (position) => draft.messages.conversationAt(position))
  for (const [conversationId, own] of byConversation) {
    const arrivals: Arrival[] = own.map((position) => messageEntry(draft, position))
    putIntoWindow(draft, conversationId, arrivals, ranges)
  }
  return positions.map((position) => draft.messages.idAt(position))
}
