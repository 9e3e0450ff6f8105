import { LcmError } from '../errors.ts'
import type { WriteDb } from './read-db.ts'

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

/** Compares an index with its table. https://www.sqlite.org/fts5.html#the_integrity_check_command */
const compareSql = (table: string): string => /* sql */ `
  INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`

type Kind = (typeof INDEXES)[number][1]

/** Fills the indexes of one kind of rows, or of both, as far as they are there. */
export function fillIndexes(db: WriteDb, kinds: readonly Kind[]): void {
  for (const table of indexesOf(db, kinds)) db.exec(rebuildSql(table))
}

/**
 * Whether the indexes that are there hold exactly the words of their tables. To take a text out of an index that holds
 * another one spoils the index further, or fails.
 */
export function areIndexesSound(db: WriteDb, kinds: readonly Kind[]): boolean {
  try {
    for (const table of indexesOf(db, kinds)) db.exec(compareSql(table))
    return true
  } catch (error) {
    if (error instanceof LcmError && error.code === 'file_corrupt') return false
    throw error
  }
}

function indexesOf(db: WriteDb, kinds: readonly Kind[]): string[] {
  const there = new Set(db.column<string>(queries.there))
  return INDEXES.flatMap(([table, kind]) => (kinds.includes(kind) && there.has(table) ? [table] : []))
}
