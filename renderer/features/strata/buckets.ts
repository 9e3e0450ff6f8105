import type { StrataMessages } from '#core/contract/strata.ts'
import type { SurvivalColumns } from '#core/contract/trace.ts'
import type { Viewport } from './viewport.ts'

/** The messages of a range, as they were fetched. */
export type Buckets = Viewport & {
  readonly columns: StrataMessages
  /** 0, 1, 2 …: the index of every column, for functions that take a list of indexes. */
  readonly entries: readonly number[]
  /** The details of each column outside of the window, and how many stand in it. Absent until they are counted. */
  readonly survival?: SurvivalColumns | undefined
}

export const toBuckets = (columns: StrataMessages, range: Viewport): Buckets => ({
  x0: range.x0,
  x1: range.x1,
  columns,
  entries: columns.x0.map((_, entry) => entry),
})

/** When all messages are smaller than this, none reaches the full height. */
const LEAST_FULL_TOKENS = 400

export const largestOf = (buckets: readonly (Buckets | null)[]): number =>
  buckets.reduce(
    (most, each) => each?.columns.maxTokens.reduce((a, b) => Math.max(a, b), most) ?? most,
    LEAST_FULL_TOKENS,
  )
