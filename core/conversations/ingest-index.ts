import type { WriteDb } from '../db/read-db.ts'
import { MESSAGE_INDEX_TRIGGERS } from '../db/search-schema.ts'

const queries = {
  nextMessage: 'SELECT coalesce(max(message_id), 0) + 1 FROM messages',
  // The same values as the view message_text gives, in one pass over messages and parts instead of three lookups a row.
  index: (table: 'messages_fts' | 'messages_trigram') => `
    INSERT INTO ${table} (rowid, content, tool_input, tool_output, reasoning)
    SELECT
      m.message_id,
      m.content,
      group_concat(p.tool_input, char(10) ORDER BY p.ordinal),
      group_concat(p.tool_output, char(10) ORDER BY p.ordinal),
      group_concat(iif(p.part_type = 'reasoning', p.text_content, NULL), char(10) ORDER BY p.ordinal)
    FROM messages AS m
    LEFT JOIN message_parts AS p ON p.message_id = m.message_id AND p.is_synthetic = 0
    WHERE m.message_id >= CAST(:first AS INTEGER)
    GROUP BY m.message_id`,
}

/**
 * Terms are gathered in memory before they are written, and segments merged when there are many of them: fewer merges, a
 * fifth of the time less. https://www.sqlite.org/fts5.html#the_automerge_configuration_option
 */
const BULK_CONFIG = { hashsize: 16 * 1024 * 1024, automerge: 16 } as const

/**
 * Runs `body`, which inserts messages and parts, with the index triggers out of the way, then indexes all new messages
 * in one go: four to five times as quick, because the triggers index a message anew for each of its parts. Must run
 * inside a transaction: SQLite rolls back DDL like any other change, so rows, indexes and triggers stay in step
 * whenever the process dies. https://www.sqlite.org/lang_transaction.html
 */
export function indexAtOnce<T>(db: WriteDb, body: () => T): T {
  const first = db.value<number>(queries.nextMessage) ?? 1
  db.exec('DROP TRIGGER IF EXISTS messages_index_insert; DROP TRIGGER IF EXISTS message_parts_index_insert')
  const result = body()
  for (const table of ['messages_fts', 'messages_trigram'] as const) {
    for (const [option, value] of Object.entries(BULK_CONFIG)) {
      db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('${option}', ${value})`)
    }
    db.run(queries.index(table), { first })
  }
  db.exec(MESSAGE_INDEX_TRIGGERS)
  return result
}
