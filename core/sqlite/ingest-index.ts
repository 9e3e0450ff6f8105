import type { WriteDb } from './read-db.ts'
import { MESSAGE_INDEX_TRIGGERS } from './search-schema.ts'

export const INDEXES = ['messages_fts', 'messages_trigram'] as const
type MessageIndex = (typeof INDEXES)[number]

const queries = {
  lastMessage: /* sql */ 'SELECT max(message_id) FROM messages',
  option: (table: MessageIndex) => /* sql */ `SELECT v FROM ${table}_config WHERE k = :option`,
  // Selects the same values as the view message_text, in one pass over messages and parts instead of three lookups for
  // each row. Rows without a value are not sorted.
  index: (table: MessageIndex) => /* sql */ `
    INSERT INTO ${table} (rowid, content, tool_input, tool_output, reasoning)
    SELECT
      m.message_id,
      m.content,
      group_concat(p.tool_input, char(10) ORDER BY p.ordinal) FILTER (WHERE p.tool_input IS NOT NULL),
      group_concat(p.tool_output, char(10) ORDER BY p.ordinal) FILTER (WHERE p.tool_output IS NOT NULL),
      group_concat(p.text_content, char(10) ORDER BY p.ordinal)
        FILTER (WHERE p.part_type = 'reasoning' AND p.text_content IS NOT NULL)
    FROM messages AS m
    LEFT JOIN message_parts AS p ON p.message_id = m.message_id AND p.is_synthetic = 0
    WHERE m.message_id > CAST(:after AS INTEGER) AND m.message_id <= CAST(:last AS INTEGER)
      AND (:conversationId IS NULL OR m.conversation_id = :conversationId)
    GROUP BY m.message_id`,
}

export type MessageRange = { readonly after: number; readonly last: number; readonly conversationId?: number }

/**
 * Terms are collected in memory before they are written. Segments are merged only when there are many, and then a
 * little with each commit. Merging 16 of them at once made an import 10 % slower and blocked other writers for as long.
 * https://www.sqlite.org/fts5.html#the_automerge_configuration_option
 */
const BULK_CONFIG = { hashsize: 16 * 1024 * 1024, automerge: 32, crisismerge: 256 } as const

/**
 * Runs `body`, which inserts messages and parts, without the index triggers, and then indexes all new messages at once.
 * This is four to five times as fast, because the triggers index a message again for each of its parts. Call it inside
 * a transaction: SQLite rolls back schema changes too, so rows, indexes and triggers agree even if the process dies.
 * https://www.sqlite.org/lang_transaction.html
 * @param body is given the number up to which messages are in the indexes meanwhile
 * @param index indexes the new messages
 */
export function indexAtOnce<T>(db: WriteDb, body: (indexedUpTo: number) => T, index = indexMessages): T {
  const after = db.value<number>(queries.lastMessage) ?? 0
  stopIndexing(db)
  const result = body(after)
  index(db, { after, last: Number.MAX_SAFE_INTEGER })
  goOnIndexing(db)
  return result
}

/** Both within one transaction. New messages are indexed between them. */
export function stopIndexing(db: WriteDb): void {
  db.exec(/* sql */ 'DROP TRIGGER IF EXISTS messages_index_insert; DROP TRIGGER IF EXISTS message_parts_index_insert')
  prepareForMany(db)
}

export function goOnIndexing(db: WriteDb): void {
  db.exec(MESSAGE_INDEX_TRIGGERS)
}

/** Configures the message indexes for many new entries. The file keeps this configuration. */
export function prepareForMany(db: WriteDb): void {
  for (const table of INDEXES) {
    for (const [option, value] of Object.entries(BULK_CONFIG)) {
      if (db.value<number>(queries.option(table), { option }) === value) continue
      db.exec(/* sql */ `INSERT INTO ${table} (${table}, rank) VALUES ('${option}', ${value})`)
    }
  }
}

/** Adds a range of messages to both indexes, which must not contain them yet. */
export function indexMessages(db: WriteDb, range: MessageRange): void {
  for (const table of INDEXES) db.run(queries.index(table), { conversationId: null, ...range })
}
