import type { Strata } from '../../../core/contract/strata.ts'
import { firstIndex } from '../../ui/first-index.ts'
import type { Buckets } from './buckets.ts'
import type { SummaryIndex } from './summary-index.ts'

/** What is selected, where it can be shown on x. */
export type SelectedRange = {
  readonly x0: number
  readonly x1: number
  /** Place of the summary in the columns; null for a message. */
  readonly place: number | null
  /** −1 for a message. */
  readonly depth: number
}

/** Number of a message id; null for the id of anything else. */
export function messageNumber(id: string): number | null {
  const digits = /^msg_(\d{1,15})$/.exec(id)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** Where a summary stands; null when it is not of this conversation. */
export function rangeOfSummary({ summaries }: Strata, index: SummaryIndex, id: string): SelectedRange | null {
  const place = index.placeOf.get(id)
  if (place === undefined) return null
  return { x0: summaries.x0[place] ?? 0, x1: summaries.x1[place] ?? 0, place, depth: summaries.depth[place] ?? 0 }
}

/** Where a message stands, as exactly as the fetched columns tell: numbers rise along the history. */
export function rangeOfMessage({ columns }: Buckets, number: number): SelectedRange | null {
  const next = firstIndex(columns.firstMessage.length, (index) => (columns.firstMessage[index] ?? 0) > number)
  const x0 = columns.x0[next - 1]
  const x1 = columns.x1[next - 1]
  return x0 === undefined || x1 === undefined ? null : { x0, x1, place: null, depth: -1 }
}

/** Returns the summary before (−1) or after (1) another one in its row, or null at the end of the row. */
export function besideInRow({ summaries }: Pick<Strata, 'summaries'>, place: number, step: -1 | 1): string | null {
  return summaries.depth[place + step] === summaries.depth[place] ? (summaries.id[place + step] ?? null) : null
}
