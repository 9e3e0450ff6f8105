import { sha256 } from '#core/hashing.ts'
import { fillIndexes, INDEXES } from '#core/sqlite/fill-indexes.ts'
import { indexAtOnce } from '#core/sqlite/ingest-index.ts'
import type { ReadDb, SqlValue, WriteDb } from '#core/sqlite/read-db.ts'
import { withoutTriggers } from '#core/sqlite/take-triggers.ts'

/** What the external id of a copied message begins with; conversation and number of the original follow. */
export const COPY_PREFIX = 'transplant:'

const queries = {
  messageIndexes: /* sql */ `
    SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name IN ('messages_fts', 'messages_trigram')`,
  nextMessage: /* sql */ `SELECT coalesce(max(message_id), 0) + 1 FROM messages`,
  nextSeq: /* sql */ `SELECT coalesce(max(seq) + 1, 0) FROM messages WHERE conversation_id = :id`,
  copied: /* sql */ `
    SELECT message_id FROM messages
    WHERE conversation_id = :id AND external_id IN (SELECT value FROM json_each(:externalIds))`,
  isCopy: /* sql */ `
    SELECT 1 FROM messages WHERE message_id = CAST(:id AS INTEGER) AND external_id LIKE '${COPY_PREFIX}%'`,
  copyMessage: /* sql */ `
    INSERT INTO messages
      (message_id, conversation_id, seq, role, token_count, created_at, external_id, content_hash, content)
    SELECT CAST(:messageId AS INTEGER), CAST(:conversationId AS INTEGER), CAST(:seq AS INTEGER), role, token_count,
      created_at, :externalId, content_hash, content
    FROM messages WHERE message_id = :from`,
  parts: /* sql */ `SELECT * FROM message_parts WHERE message_id = :from AND is_synthetic = 0 ORDER BY ordinal`,
  insertPart: (columns: readonly string[]) => /* sql */ `
    INSERT INTO message_parts (${columns.join(', ')}) VALUES (:${columns.join(', :')})`,
} as const

const externalIdOf = (conversationId: number, messageId: number): string =>
  `${COPY_PREFIX}${conversationId}:${messageId}`

/** The number that the next message of the file gets. */
export const nextMessageId = (db: ReadDb): number => db.value<number>(queries.nextMessage) ?? 1

export const isCopiedMessage = (db: ReadDb, id: number): boolean => db.value(queries.isCopy, { id }) !== undefined

/** Messages in a conversation that are copies of some of another. */
export const copiedMessages = (
  db: ReadDb,
  inConversation: number,
  from: number,
  originals: readonly number[],
): number[] =>
  db.column<number>(queries.copied, {
    id: inConversation,
    externalIds: JSON.stringify(originals.map((message) => externalIdOf(from, message))),
  })

/**
 * Stores copies of messages with their parts at the end of a conversation.
 * @param copies number of each copy by that of its original
 */
export function copyMessages(
  db: WriteDb,
  copies: ReadonlyMap<number, number>,
  { from, to, sessionId }: { readonly from: number; readonly to: number; readonly sessionId: string },
): void {
  const firstSeq = db.value<number>(queries.nextSeq, { id: to }) ?? 0
  indexed(db, () => {
    let seq = firstSeq
    for (const [original, messageId] of copies) {
      db.run(queries.copyMessage, {
        messageId,
        conversationId: to,
        seq,
        externalId: externalIdOf(from, original),
        from: original,
      })
      seq += 1
      for (const part of partsOf(db, original)) {
        const row = {
          ...part,
          part_id: partId(to, original, Number(part.ordinal)),
          message_id: messageId,
          session_id: sessionId,
        }
        db.run(queries.insertPart(Object.keys(row)), row)
      }
    }
  })
}

/** Skips indexes that the file has lost. Making them anew is a repair. */
function indexed(db: WriteDb, body: () => void): void {
  if (db.value<number>(queries.messageIndexes) === INDEXES.filter(([, kind]) => kind === 'message').length) {
    indexAtOnce(db, body)
    return
  }
  withoutTriggers(db, ['messages_index_*', 'message_parts_index_*'], body)
  fillIndexes(db, ['message'])
}

const partsOf = (db: ReadDb, from: number): Record<string, SqlValue>[] =>
  db.all<Record<string, SqlValue>>(queries.parts, { from }).map((part) =>
    // Most columns of most parts are empty.
    Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null)),
  )

function partId(conversationId: number, messageId: number, ordinal: number): string {
  const hash = sha256(`${COPY_PREFIX}${conversationId}:${messageId}`)
  return `prt_t${hash.slice(0, 24)}_${ordinal}`
}
