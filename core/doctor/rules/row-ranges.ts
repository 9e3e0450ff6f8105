import type { ReadDb } from '#core/sqlite/read-db.ts'

const queries = {
  /** Names come from a system, never from the file. */
  last: (table: string) => /* sql */ `SELECT max(rowid) FROM main.${table}`,
}

/** The number of rows that one statement looks at, which takes some milliseconds. */
const AT_ONCE = 5000
/** Large gaps in row numbers must not lead to endless ranges. */
const MOST_RANGES = 2000

/** Row numbers that one statement looks at: greater than `after`, and up to `upTo`. */
export type RowRange = { readonly after: number; readonly upTo: number }

/** A bound beyond every row number, on both sides. https://www.sqlite.org/rowidtable.html */
const BEYOND = 2 ** 63

/**
 * Returns ranges that together hold every row of a table. There are at most `MOST_RANGES` and one more, whatever
 * numbers the file has.
 */
export function* rowRanges(db: ReadDb, table: string): Generator<RowRange> {
  const highest = db.value(queries.last(table))
  const last = typeof highest === 'number' ? highest : 0
  const step = Math.max(AT_ONCE, Math.ceil(last / MOST_RANGES))
  const count = Math.max(1, Math.ceil(last / step))
  for (let at = 0; at < count; at += 1) {
    yield { after: at === 0 ? -BEYOND : at * step, upTo: at === count - 1 ? BEYOND : (at + 1) * step }
  }
}
