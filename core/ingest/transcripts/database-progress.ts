import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { TranscriptSource } from './format.ts'

const queries = {
  /** The largest rowid is found at once, where counting the rows of a file of a gigabyte reads a whole index. */
  lastRow: (table: 'message' | 'messages' | 'transcript_events') => /* sql */ `SELECT max(rowid) FROM ${table}`,
}

/** Returns a function that says how many bytes of a database count as read after a number of rows of a table. */
export function bytesOfRows(
  db: ReadDb,
  table: Parameters<typeof queries.lastRow>[0],
  { bytes }: TranscriptSource,
): (rows: number) => number {
  const rowsAtMost = Math.max(1, db.value<number | null>(queries.lastRow(table)) ?? 0)
  return (rows) => Math.min(bytes - 1, (rows / rowsAtMost) * bytes)
}
