import type { ReadDb } from '../db/read-db.ts'

const queries = {
  /** Names come from a dialect, never from the file. */
  last: (table: string) => /* sql */ `SELECT max(rowid) FROM main.${table}`,
}

/** Rows of one statement: some milliseconds of work where each row is looked at. */
const AT_ONCE = 10_000
/** Row numbers with large holes must not make for endless ranges. */
const MOST_RANGES = 2000

/** Stretches of row numbers, exclusive and inclusive, that a statement can look at one after the other. */
export type RowRange = { readonly after: number; readonly upTo: number }

export function* rowRanges(db: ReadDb, table: string): Generator<RowRange> {
  const last = db.value<number>(queries.last(table)) ?? 0
  const step = Math.max(AT_ONCE, Math.ceil(last / MOST_RANGES))
  // Row numbers below 1 are possible, and in nobody's file.
  let after = -Number.MAX_SAFE_INTEGER
  for (let upTo = step; ; upTo += step) {
    yield { after, upTo: upTo >= last ? Number.MAX_SAFE_INTEGER : upTo }
    if (upTo >= last) return
    after = upTo
  }
}
