import type { ReadDb } from '../../sqlite/read-db.ts'

const queries = {
  /** Names come from a system, never from the file. */
  last: (table: string) => /* sql */ `SELECT max(rowid) FROM main.${table}`,
}

/** Rows of one statement: some milliseconds of work where each row is looked at. */
const AT_ONCE = 10_000
/** Row numbers with large holes must not make for endless ranges. */
const MOST_RANGES = 2000

/** Stretches of row numbers, exclusive and inclusive, that a statement can look at one after the other. */
export type RowRange = { readonly after: number; readonly upTo: number }

/** Beyond every row number, on both sides. https://www.sqlite.org/rowidtable.html */
const BEYOND = 2 ** 63

/** At most `MOST_RANGES` and one more of them, whatever the file says of its numbers; together they hold every row. */
export function* rowRanges(db: ReadDb, table: string): Generator<RowRange> {
  const highest = db.value(queries.last(table))
  const last = typeof highest === 'number' ? highest : 0
  const step = Math.max(AT_ONCE, Math.ceil(last / MOST_RANGES))
  const count = Math.max(1, Math.ceil(last / step))
  for (let at = 0; at < count; at += 1) {
    yield { after: at === 0 ? -BEYOND : at * step, upTo: at === count - 1 ? BEYOND : (at + 1) * step }
  }
}
