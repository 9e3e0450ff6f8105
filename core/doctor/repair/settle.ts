import {
  coverageOf,
  entryId,
  messagesUnder,
  orphansOf,
  rangesOf,
  type Standing,
  withSources,
} from '../../memory/draft-coverage.ts'
import type { FileDraft } from '../../systems/file-draft.ts'
import { bringInLine } from './numbers.ts'
import { type Arrival, messageEntry, putIntoWindow, takeFromWindow } from './window-entries.ts'

/**
 * Settles what a change of links or window has brought about, so that nothing is worse than it was: summaries that lost
 * their last source go, those that nothing leads to any more are put into the window or go, messages that fell out of
 * reach come back into the window, what is said twice since is said once, and all numbers above are brought in line.
 */
export function settle(model: FileDraft, was: Standing): void {
  for (;;) {
    const changed = model.touched.size
    removeEmpty(model, (id) => !was.empty.has(id))
    resolveOrphans(model, (id) => !was.orphans.has(id), was.windows)
    if (model.touched.size === changed) break
  }
  const { twice } = coverageOf(model, was.windows)
  dropTwice(model, (id) => twice.has(id) && !was.coverage.twice.has(id))
  putBack(model, (row) => !was.coverage.uncovered.has(row), was.windows)
  bringInLine(model, model.touched)
}

/** Removes summaries without a source, and those that are left without one thereby. */
export function removeEmpty(model: FileDraft, isWanted: (id: string) => boolean): void {
  const dependents = model.dependents()
  const open = [...model.summaries.keys()].filter((id) => model.isEmpty(id) && isWanted(id))
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    removeSummary(model, id)
    for (const dependent of dependents.get(id) ?? []) {
      if (!model.summaries.has(dependent)) continue
      model.setSourceLinks(
        dependent,
        model.sourceLinks(dependent).filter((edge) => edge.to !== id),
      )
      if (model.isEmpty(dependent)) open.push(dependent)
    }
  }
}

/** With its edges and its places in windows. */
function removeSummary(model: FileDraft, id: string): void {
  model.remove(id)
  for (const conversationId of model.conversationIds) {
    if (model.window(conversationId).some((entry) => entry.summaryId === id)) {
      takeFromWindow(model, conversationId, (entry) => entry.summaryId === id)
    }
  }
}

/**
 * A summary that nothing leads to stands in the window again when nobody else reaches any of its messages; otherwise it
 * goes, and its sources are looked at in turn.
 */
export function resolveOrphans(
  model: FileDraft,
  isWanted: (id: string) => boolean,
  windows: ReadonlySet<number>,
): void {
  for (;;) {
    const open = [...orphansOf(model)].filter(isWanted)
    if (open.length === 0) return
    const { uncovered } = coverageOf(
      model,
      new Set([...windows, ...open.flatMap((id) => model.summaries.get(id)?.conversationId ?? [])]),
    )
    const ranges = rangesOf(model)
    const taken = new Set<number>()
    for (const id of open) {
      const summary = model.summaries.get(id)
      if (!summary) continue
      const rows = [...messagesUnder(model, withSources(model, [id]))].map((message) =>
        model.messages.positionOf(message),
      )
      const range = ranges.get(id)
      if (!range || rows.some((row) => !uncovered.has(row) || taken.has(row))) {
        removeSummary(model, id)
        continue
      }
      for (const row of rows) taken.add(row)
      const entry = { messageId: null, summaryId: id, placedAtMs: summary.createdAtMs ?? range.latestAtMs }
      putIntoWindow(model, summary.conversationId, [{ firstSeq: range.firstSeq, entry }], ranges)
    }
  }
}

/** Takes entries out of the windows that are said by a summary there, or listed a second time. */
export function dropTwice(model: FileDraft, isWanted: (id: string) => boolean): void {
  const { twice } = coverageOf(model, new Set())
  for (const conversationId of model.conversationIds) {
    const seen = new Set<string>()
    const isCovered = new Set([...twice].filter(isWanted))
    if (isCovered.size === 0) return
    const listed = Map.groupBy(model.window(conversationId), entryId)
    takeFromWindow(model, conversationId, (entry) => {
      const id = entryId(entry)
      if (!isCovered.has(id)) return false
      // Listed twice and covered by nobody: the first one stays.
      const isListedAgain = (listed.get(id)?.length ?? 0) > 1
      const isFirst = !seen.has(id)
      seen.add(id)
      return !(isListedAgain && isFirst && !isCoveredBySummary(model, entry))
    })
  }
}

function isCoveredBySummary(model: FileDraft, entry: { messageId: number | null; summaryId: string | null }): boolean {
  const roots = model.conversationIds.flatMap((id) =>
    model
      .window(id)
      .flatMap(({ summaryId }) => (summaryId === null || summaryId === entry.summaryId ? [] : [summaryId])),
  )
  const reached = withSources(model, roots)
  if (entry.summaryId !== null) return reached.has(entry.summaryId)
  return [...messagesUnder(model, reached)].includes(entry.messageId ?? -1)
}

/** Puts messages that nobody reaches back into their windows, at their places in the history. */
export function putBack(model: FileDraft, isWanted: (row: number) => boolean, windows: ReadonlySet<number>): number[] {
  const { uncovered } = coverageOf(model, windows)
  const rows = [...uncovered].filter(isWanted)
  if (rows.length === 0) return []
  const ranges = rangesOf(model)
  const byConversation = Map.groupBy(rows, (row) => model.messages.conversationAt(row))
  for (const [conversationId, own] of byConversation) {
    const arrivals: Arrival[] = own.map((row) => messageEntry(model, row))
    putIntoWindow(model, conversationId, arrivals, ranges)
  }
  return rows.map((row) => model.messages.idAt(row))
}
