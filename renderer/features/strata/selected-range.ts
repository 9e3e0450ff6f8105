import type { Strata } from '#core/contract/strata.ts'
import { firstIndex } from '#renderer/ui/data/first-index.ts'
import type { Buckets } from './buckets.ts'
import type { SummaryIndex } from './summary-index.ts'

/** The selection and its range on x. */
export type SelectedRange = {
  readonly x0: number
  readonly x1: number
  /** The index of the summary in the columns, or null for a message. */
  readonly entry: number | null
  /** −1 for a message. */
  readonly depth: number
}

/** Returns the range of a summary, or null when it belongs to another conversation. */
export function rangeOfSummary({ summaries }: Strata, index: SummaryIndex, id: string): SelectedRange | null {
  const entry = index.entryOf(id)
  if (entry === undefined) return null
  return { x0: summaries.x0[entry] ?? 0, x1: summaries.x1[entry] ?? 0, entry, depth: summaries.depth[entry] ?? 0 }
}

/** Returns the range of a message, as exact as the fetched columns. Message numbers ascend along the history. */
export function rangeOfMessage({ columns }: Buckets, number: number): SelectedRange | null {
  const next = firstIndex(columns.firstMessage.length, (index) => (columns.firstMessage[index] ?? 0) > number)
  const x0 = columns.x0[next - 1]
  const x1 = columns.x1[next - 1]
  return x0 === undefined || x1 === undefined ? null : { x0, x1, entry: null, depth: -1 }
}

/** Returns the summary before (−1) or after (1) another one in its row, or null at the end of the row. */
export function besideInRow({ summaries }: Pick<Strata, 'summaries'>, entry: number, step: -1 | 1): string | null {
  return summaries.depth[entry + step] === summaries.depth[entry] ? (summaries.id[entry + step] ?? null) : null
}
