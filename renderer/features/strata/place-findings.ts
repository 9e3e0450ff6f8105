import type { Strata } from '../../../core/contract/strata.ts'
import type { Findings, NodeFinding } from '../../ui/findings.ts'
import type { Buckets } from './buckets.ts'
import { messageNumber, rangeOfMessage, rangeOfSummary } from './selected-range.ts'
import type { SummaryIndex } from './summary-index.ts'

/** A finding where it can be drawn. */
export type PlacedFinding = {
  readonly id: string
  readonly severity: NodeFinding['severity']
  readonly x0: number
  readonly x1: number
  /** Place of the summary in the columns; null for a message. */
  readonly place: number | null
}

/** The findings of this conversation, from left to right. A message stands as exactly as the fetched columns tell. */
export function placeFindings(
  findings: Findings,
  strata: Strata,
  index: SummaryIndex,
  buckets: readonly (Buckets | null)[],
): PlacedFinding[] {
  const placed: PlacedFinding[] = []
  for (const [id, { severity }] of findings) {
    const range = rangeOfSummary(strata, index, id) ?? placeOfMessage(id, buckets)
    if (range) placed.push({ id, severity, x0: range.x0, x1: range.x1, place: range.place })
  }
  return placed.sort((a, b) => a.x0 - b.x0)
}

/** Columns tell which message they begin with: one that holds a single message holds that one and no other. */
function placeOfMessage(id: string, buckets: readonly (Buckets | null)[]) {
  const number = messageNumber(id)
  if (number === null) return null
  for (const each of buckets) {
    const range = each && rangeOfMessage(each, number)
    if (!each || !range) continue
    const at = each.columns.x0.indexOf(range.x0)
    if ((each.columns.count[at] ?? 0) > 1 || each.columns.firstMessage[at] === number) return range
  }
  return null
}
