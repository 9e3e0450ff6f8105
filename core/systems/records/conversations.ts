import { LcmError } from '#core/errors.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'

const columns = `conversation_id, session_id, title, parent_conversation_id, archived_at, created_at, updated_at,
      (SELECT i.note FROM internal_conversations AS i WHERE i.conversation_id = conversations.conversation_id)`

const queries = {
  all: /* sql */ `SELECT ${columns} FROM conversations ORDER BY conversation_id`,
  byIds: /* sql */ `
    SELECT ${columns}
    FROM conversations
    WHERE conversation_id IN (SELECT value FROM json_each(:ids))
    ORDER BY conversation_id`,
  exists: /* sql */ `SELECT 1 FROM conversations WHERE conversation_id = :conversationId`,
  head: /* sql */ `
    SELECT session_id AS sessionId, importer, parent_conversation_id AS parentId
    FROM conversations
    WHERE conversation_id = :conversationId`,
  first: /* sql */ `
    SELECT session_id AS sessionId, created_at AS createdAtMs FROM conversations ORDER BY conversation_id LIMIT 1`,
  bySession: /* sql */ `
    SELECT conversation_id FROM conversations WHERE importer = :importer AND session_id = :sessionId`,
  family: /* sql */ `
    WITH RECURSIVE up (id, parent) AS (
      SELECT conversation_id, parent_conversation_id FROM conversations WHERE conversation_id = :conversationId
      UNION
      SELECT c.conversation_id, c.parent_conversation_id
      FROM up JOIN conversations AS c ON c.conversation_id = up.parent
    )
    SELECT id FROM up
    UNION
    SELECT conversation_id FROM conversations
    WHERE session_id IN (SELECT value FROM json_each(:sessions))`,
  /** Jumps from conversation to conversation in the index, and finds those that no conversation row names, too. */
  withMessages: /* sql */ `
    WITH RECURSIVE found (id) AS (
      SELECT min(conversation_id) FROM messages
      UNION ALL
      SELECT (SELECT min(conversation_id) FROM messages WHERE conversation_id > found.id)
      FROM found
      WHERE found.id IS NOT NULL
    )
    SELECT id FROM found WHERE id IS NOT NULL`,
}

export const conversationExists = (db: ReadDb, conversationId: number): boolean =>
  db.value(queries.exists, { conversationId }) !== undefined

export const noSuchConversation = (db: ReadDb, conversationId: number): LcmError =>
  new LcmError('not_found', `There is no conversation ${conversationId} in ${db.path}.`, { conversationId })

/**
 * Returns the conversation of a session, which its agent names.
 * @throws LcmError not_found
 */
export function conversationOfSession(db: ReadDb, importer: string, sessionId: string): number {
  const found = db.value<number>(queries.bySession, { importer, sessionId })
  if (found !== undefined) return found
  throw new LcmError(
    'not_found',
    `There is no session ${JSON.stringify(sessionId)} of ${importer} in ${db.path}: storing its first messages creates it.`,
    { sessionId, agent: importer },
  )
}

/** Where a conversation comes from. */
export type ConversationHead = {
  readonly sessionId: string
  readonly importer: string
  readonly parentId: number | null
}

/** Undefined when there is no such conversation. */
export const conversationHead = (db: ReadDb, conversationId: number): ConversationHead | undefined =>
  db.get<ConversationHead>(queries.head, { conversationId })

/** A conversation, those from which it came, and those of some sessions. */
export const conversationsAround = (db: ReadDb, conversationId: number, sessions: readonly string[]): number[] =>
  db.column<number>(queries.family, { conversationId, sessions: JSON.stringify(sessions) })

/** The session and the time of the conversation with the lowest id, as stored: in a damaged file they may be anything. */
export const firstConversation = (
  db: ReadDb,
): { readonly sessionId: unknown; readonly createdAtMs: unknown } | undefined => db.get(queries.first)

/** Ids of all conversations that have a message, whether they are there themselves or not. */
export const conversationsWithMessages = (db: ReadDb): number[] => db.column<number>(queries.withMessages)

/** What a file says of a conversation itself. */
export type StoredConversation = {
  readonly conversationId: number
  readonly sessionId: string
  readonly title: string | null
  readonly parentConversationId: number | null
  readonly archivedAtMs: number | null
  readonly createdAtMs: number | null
  readonly updatedAtMs: number | null
  /** What it is, where it is no conversation of anybody. */
  readonly internal: string | null
}

type Row = readonly [
  id: number,
  session: string,
  title: string | null,
  parent: number | null,
  archivedAtMs: number | null,
  createdAtMs: number | null,
  updatedAtMs: number | null,
  internal: string | null,
]

/** There may be a hundred thousand of them: made here, they take half of what the driver takes to make objects. */
const conversationOf = ([id, session, title, parent, archivedAtMs, createdAtMs, updatedAtMs, internal]: Row) => ({
  conversationId: id,
  sessionId: session,
  title,
  parentConversationId: parent,
  archivedAtMs,
  createdAtMs,
  updatedAtMs,
  internal,
})

/**
 * Yields some conversations, or all (null), in the order of their ids. What is not there is left out. Whoever makes
 * something else of each of a hundred thousand does not hold all of them.
 */
export const storedConversations = (
  db: ReadDb,
  of: readonly number[] | null,
): IteratorObject<StoredConversation, undefined> => {
  const rows = of === null ? db.rows<Row>(queries.all) : db.rows<Row>(queries.byIds, { ids: JSON.stringify(of) })
  return rows.values().map(conversationOf)
}
