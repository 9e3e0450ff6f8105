import { z } from 'zod'
import type { TimeKey } from './indexes/catalogue.ts'
import { packedRows, unpackedRows } from './indexes/row-set.ts'
import { type Placed, rowOf } from './orders/hit-order.ts'

/** Where a page of hits ended, and what must stay the same on the next one. */
export const Cursor = z.object({
  /** The hash of the question. */
  grep: z.string(),
  /** How many hits all pages so far have given. */
  given: z.int().min(1),
  total: z.int(),
  isExact: z.boolean(),
  /** In an order of time: the sort key of the last hit that was given. */
  after: z.object({ time: z.number().nullable(), corpus: z.int(), row: z.number() }).nullable(),
  /** By relevance, which changes when rows are added: the rows that were given, by kind (see `packedRows`). */
  seen: z.record(z.string(), z.string()),
  /** The newest row of each kind when the first page was made. Later pages ignore newer rows. */
  newest: z.record(z.string(), z.number()),
  isQuestion: z.boolean(),
  /** False for a question that nobody asked (see `tellingWords`). */
  isAsked: z.literal(false).optional(),
})
export type Cursor = z.infer<typeof Cursor>

/** Returns the rows that were given so far, with those of this page. */
export function withSeen(cursor: Cursor | null, page: readonly Placed[]): Cursor['seen'] {
  const rows = new Map(Object.entries(cursor?.seen ?? {}).map(([kind, packed]) => [kind, unpackedRows(packed)]))
  for (const hit of page) {
    const { kind } = hit.searched.corpus
    rows.set(kind, [...(rows.get(kind) ?? []), rowOf(hit)])
  }
  return Object.fromEntries(Array.from(rows, ([kind, some]) => [kind, packedRows(some)]))
}

/** JSON has no −Infinity, so null stands for it. */
export const storedKey = ({ time, ...key }: TimeKey): Cursor['after'] => ({
  ...key,
  time: time === Number.NEGATIVE_INFINITY ? null : time,
})
export const keyFrom = ({ time, ...key }: NonNullable<Cursor['after']>): TimeKey => ({
  ...key,
  time: time ?? Number.NEGATIVE_INFINITY,
})
