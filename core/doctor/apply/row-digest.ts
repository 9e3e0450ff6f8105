import type { Hash } from 'node:crypto'
import { startSha256 } from '#core/hashing.ts'
import type { ReadDb, SqlParams, SqlValue } from '#core/sqlite/read-db.ts'

const queries = {
  newest: /* sql */ `SELECT coalesce(max(message_id), -1) FROM messages`,
  // Every canonical column; token counts of messages are estimates and may be corrected.
  conversations: /* sql */ `SELECT * FROM conversations WHERE conversation_id <= CAST(:conversation AS INTEGER) ORDER BY conversation_id`,
  newestConversation: /* sql */ `SELECT coalesce(max(conversation_id), -1) FROM conversations`,
  messages: /* sql */ `
    SELECT message_id, conversation_id, seq, role, created_at, external_id, content_hash, content
    FROM messages WHERE message_id <= CAST(:message AS INTEGER) ORDER BY message_id`,
  parts: /* sql */ `
    SELECT * FROM message_parts WHERE message_id <= CAST(:message AS INTEGER)
    ORDER BY message_id, ordinal, part_id`,
  tables: /* sql */ `
    SELECT name FROM main.sqlite_schema
    WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_%'
    ORDER BY name`,
  rows: (table: string) => /* sql */ `SELECT * FROM main."${table.replaceAll('"', '""')}"`,
}

/** Which canonical rows existed at a moment. Their ids only grow. */
export type CanonicalExtent = { readonly message: number; readonly conversation: number }

export function canonicalExtent(db: ReadDb): CanonicalExtent {
  return {
    message: db.value<number>(queries.newest) ?? -1,
    conversation: db.value<number>(queries.newestConversation) ?? -1,
  }
}

/** SHA-256 over every canonical row up to an extent; yields now and then. */
export function* canonicalHash(db: ReadDb, extent: CanonicalExtent): Generator<void, string> {
  const hash = startSha256()
  const { message, conversation } = extent
  yield* digest(db, hash, queries.conversations, { conversation })
  yield* digest(db, hash, queries.messages, { message })
  yield* digest(db, hash, queries.parts, { message })
  return hash.digest('hex')
}

/** SHA-256 over every row of every table; yields now and then. Virtual tables are covered by the tables in which they keep their content. */
export function* fileHash(db: ReadDb): Generator<void, string> {
  const hash = startSha256()
  for (const table of db.column<string>(queries.tables)) {
    hash.update(`${table}\n`)
    yield* digest(db, hash, queries.rows(table), {})
  }
  return hash.digest('hex')
}

const SLICE_ROWS = 2000

function* digest(db: ReadDb, hash: Hash, sql: string, params: SqlParams): Generator<void> {
  let rows = 0
  for (const row of db.iterateRows(sql, params)) {
    for (const value of row) hash.update(encoded(value))
    rows += 1
    if (rows % SLICE_ROWS === 0) yield
  }
  hash.update(`${rows} rows\n`)
}

/** A value with its type and length, so that two different rows never have the same digest. */
function encoded(value: SqlValue): string | Uint8Array {
  if (value === null) return 'n'
  if (value instanceof Uint8Array) return Buffer.concat([Buffer.from(`b${value.length}:`), value])
  const text = String(value)
  return `${typeof value === 'string' ? 's' : 'd'}${text.length}:${text}`
}
