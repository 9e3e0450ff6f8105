import type { ReadDb, SqlValue } from '../sqlite/read-db.ts'

const queries = {
  columns: /* sql */ `SELECT name FROM pragma_table_info(:table, 'main') ORDER BY cid`,
}

export type Row = Readonly<Record<string, SqlValue>>

/**
 * The recorded tables with the keys of their rows, in an order that references allow. Locks and search indexes are not
 * recorded.
 */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  lcm_meta: ['key'],
  conversations: ['conversation_id'],
  messages: ['message_id'],
  message_parts: ['part_id'],
  summaries: ['summary_id'],
  summary_messages: ['summary_id', 'message_id'],
  summary_sources: ['summary_id', 'source_summary_id'],
  context_items: ['conversation_id', 'ordinal'],
  large_files: ['file_id'],
  compaction_runs: ['run_id'],
  compaction_events: ['event_id'],
  surgery_events: ['surgery_id'],
}
export const TABLES: readonly string[] = Object.keys(KEYS)

export const keyOf = (table: string): readonly string[] => KEYS[table] ?? []

/** The keys of a ledger's own notes in the file begin with this. */
export const OWN_META_PREFIX = 'ledger_'

/** Returns the columns of a table in this file, or none when there is no such table. */
export const columnsOf = (db: ReadDb, table: string): string[] => db.column<string>(queries.columns, { table })

/** A change of a row, as it stands in a line of kind `event`. */
export type Entry = readonly [table: string, op: string, key: readonly (string | number | null)[], row: Row | null]

/** @throws SyntaxError when the content is no JSON */
export function entriesOf(content: string): readonly Entry[] {
  const value = JSON.parse(content) as { changes?: unknown }
  return Array.isArray(value.changes) ? (value.changes as Entry[]) : []
}
