import type { Note } from '#core/contract/notes.ts'
import type { Strata } from '#core/contract/strata.ts'
import { checkTitle } from '#renderer/ui/data/check-titles.ts'
import type { Findings, NodeFinding } from '#renderer/ui/data/findings.ts'
import { messageNumber } from '#renderer/ui/nodes/message-number.ts'
import type { Buckets } from './buckets.ts'
import { rangeOfMessage, rangeOfSummary, type SelectedRange } from './selected-range.ts'
import type { SummaryIndex } from './summary-index.ts'

/** A finding with its position in the drawing. */
export type PlacedFinding = {
  readonly id: string
  readonly severity: NodeFinding['severity']
  /** What was found, in words: `A link leads to nothing`. */
  readonly label: string
  readonly x0: number
  readonly x1: number
  /** The index of the summary in the columns, or null for a message. */
  readonly entry: number | null
}

/**
 * Returns the findings of this conversation, from left to right. The position of a message is as exact as the fetched
 * columns.
 */
export function placeFindings(
  findings: Findings,
  strata: Strata,
  index: SummaryIndex,
  buckets: readonly (Buckets | null)[],
): PlacedFinding[] {
  const placed: PlacedFinding[] = []
  for (const [id, { severity, checks }] of findings) {
    const range = rangeOfNode(id, strata, index, buckets)
    if (range) placed.push({ id, severity, label: labelOf(checks), x0: range.x0, x1: range.x1, entry: range.entry })
  }
  return placed.sort((a, b) => a.x0 - b.x0)
}

/** A pinned or noted node with its position in the drawing. */
export type PlacedNote = {
  readonly x0: number
  readonly x1: number
  /** The index of the summary in the columns, or null for a message. */
  readonly entry: number | null
}

/** Returns what is pinned or noted in this conversation, from left to right. */
export function placeNotes(
  notes: Iterable<Pick<Note, 'id'>>,
  strata: Strata,
  index: SummaryIndex,
  buckets: readonly (Buckets | null)[],
): PlacedNote[] {
  return [...notes].flatMap(({ id }) => rangeOfNode(id, strata, index, buckets) ?? []).sort((a, b) => a.x0 - b.x0)
}

/** Returns where a node stands, or null when it is of another conversation or not in the columns. */
const rangeOfNode = (
  id: string,
  strata: Strata,
  index: SummaryIndex,
  buckets: readonly (Buckets | null)[],
): SelectedRange | null => rangeOfSummary(strata, index, id) ?? entryOfMessage(id, buckets)

const labelOf = (checks: NodeFinding['checks']): string =>
  checks.length === 0
    ? 'finding'
    : `${checkTitle(checks[0]?.id ?? '')}${checks.length > 1 ? ` + ${checks.length - 1}` : ''}`

/** A column tells its first message, so a column with a single message holds exactly that one. */
function entryOfMessage(id: string, buckets: readonly (Buckets | null)[]): SelectedRange | null {
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
