import type { WriteDb } from '../../sqlite/read-db.ts'

const queries = {
  there: /* sql */ `SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'trigger', 'view')`,
}

/** Every full-text table of a native file, and whose rows it holds. */
export const INDEXES = [
  ['messages_fts', 'message'],
  ['messages_trigram', 'message'],
  ['summaries_fts', 'summary'],
  ['summaries_trigram', 'summary'],
] as const

/** https://www.sqlite.org/fts5.html#the_rebuild_command */
export const rebuildSql = (table: string): string => /* sql */ `INSERT INTO ${table} (${table}) VALUES ('rebuild')`

/** Fills the indexes of one kind of rows, or of both, as far as they are there. */
export function fillIndexes(db: WriteDb, kinds: readonly (typeof INDEXES)[number][1][]): void {
  const there = new Set(db.column<string>(queries.there))
  for (const [table, kind] of INDEXES) if (kinds.includes(kind) && there.has(table)) db.exec(rebuildSql(table))
}
