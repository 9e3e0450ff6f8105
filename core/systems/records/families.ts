import type { ReadDb } from '#core/sqlite/read-db.ts'

export type FamilyHead = {
  readonly conversationId: number
  readonly sessionId: string
  readonly title: string | null
  readonly parentConversationId: number | null
}

/** Deeper families begin with an ancestor of this distance. */
const DEEPEST = 1000
const HEAD = `conversation_id AS conversationId, session_id AS sessionId, title,
      parent_conversation_id AS parentConversationId`

const queries = {
  // A damaged file may name conversations as parents of each other.
  root: /* sql */ `
    WITH RECURSIVE up (id, depth) AS (
      SELECT :conversationId, 0
      UNION
      SELECT c.parent_conversation_id, up.depth + 1
      FROM up
      JOIN conversations AS c ON c.conversation_id = up.id
      JOIN conversations AS p ON p.conversation_id = c.parent_conversation_id
      WHERE up.depth < ${DEEPEST}
    )
    SELECT id FROM up ORDER BY depth DESC LIMIT 1`,
  one: /* sql */ `
    SELECT ${HEAD} FROM conversations WHERE conversation_id = :conversationId`,
  children: /* sql */ `
    SELECT ${HEAD} FROM conversations WHERE parent_conversation_id = :conversationId ORDER BY conversation_id`,
}

/** The first ancestor of a conversation, or itself. */
export const familyRoot = (db: ReadDb, conversationId: number): number =>
  db.value<number>(queries.root, { conversationId }) ?? conversationId

/** The conversation of this number, or none. */
export const familyHeads = (db: ReadDb, conversationId: number): FamilyHead[] =>
  db.all<FamilyHead>(queries.one, { conversationId })

/** What was forked from a conversation or started by it. */
export const conversationsFrom = (db: ReadDb, conversationId: number): FamilyHead[] =>
  db.all<FamilyHead>(queries.children, { conversationId })
