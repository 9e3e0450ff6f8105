import type { ReadDb } from '#core/sqlite/read-db.ts'

const TABLES = [
  'conversations',
  'messages',
  'message_parts',
  'summaries',
  'summary_messages',
  'summary_sources',
  'context_items',
] as const

/** Every row of what a memory is read through, whatever the order in which the rows are given. */
export const everything = (db: ReadDb): unknown =>
  TABLES.map((table) =>
    db
      .all(`SELECT * FROM ${table}`)
      .map((row) => JSON.stringify(row))
      .sort(),
  )
