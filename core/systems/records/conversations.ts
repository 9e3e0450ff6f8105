import { LcmError } from '../../errors.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'

const columns = `conversation_id AS conversationId, session_id AS sessionId, title,
      parent_conversation_id AS parentConversationId, archived_at AS archivedAtMs, created_at AS createdAtMs,
      updated_at AS updatedAtMs,
      (SELECT i.note FROM internal_conversations AS i WHERE i.conversation_id = conversations.conversation_id) AS internal`

const queries = {
  all: /* sql */ `SELECT ${columns} FROM conversations ORDER BY conversation_id`,
  byId: /* sql */ `SELECT ${columns} FROM conversations WHERE conversation_id = :conversationId`,
  exists: /* sql */ `SELECT 1 FROM conversations WHERE conversation_id = :conversationId`,
  head: /* sql */ `
    SELECT session_id AS sessionId, importer, parent_conversation_id AS parentId
    FROM conversations
    WHERE conversation_id = :conversationId`,
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

/** Where a conversation comes from. */
export type ConversationHead = {
  readonly sessionId: string
  readonly importer: string
  readonly parentId: number | null
}

/** Undefined when there is no such conversation. */
export const conversationHead = (db: ReadDb, conversationId: number): ConversationHead | undefined =>
  db.get<ConversationHead>(queries.head, { conversationId })

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

/** Every conversation, in the order of their ids. */
export const allConversations = (db: ReadDb): StoredConversation[] => db.all<StoredConversation>(queries.all)

/** None when it is not there. */
export const storedConversation = (db: ReadDb, conversationId: number): StoredConversation[] =>
  db.all<StoredConversation>(queries.byId, { conversationId })
