import type { ReadDb } from '#core/sqlite/read-db.ts'

const queries = {
  conversations: /* sql */ `SELECT count(*) FROM conversations`,
  messages: /* sql */ `SELECT count(*) FROM messages`,
  message_parts: /* sql */ `SELECT count(*) FROM message_parts`,
  summaries: /* sql */ `SELECT count(*) FROM summaries`,
  summary_messages: /* sql */ `SELECT count(*) FROM summary_messages`,
  summary_sources: /* sql */ `SELECT count(*) FROM summary_sources`,
  context_items: /* sql */ `SELECT count(*) FROM context_items`,
  large_files: /* sql */ `SELECT count(*) FROM large_files`,
}

/** How many rows a memory has in one of its tables. */
export const rowCount = (db: ReadDb, table: keyof typeof queries): number => db.value<number>(queries[table]) ?? 0
