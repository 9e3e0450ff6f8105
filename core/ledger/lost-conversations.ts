import type { WriteDb } from '../sqlite/read-db.ts'
import type { LedgerEvent } from './ledger-line.ts'
import type { Failures } from './verify-ledger.ts'

const queries = {
  lost: /* sql */ `
    SELECT conversation_id AS id, count(*) AS messages, min(created_at) AS oldest, max(created_at) AS newest
    FROM messages WHERE conversation_id NOT IN (SELECT conversation_id FROM conversations)
    GROUP BY conversation_id ORDER BY conversation_id`,
  add: /* sql */ `
    INSERT OR IGNORE INTO conversations (conversation_id, session_id, importer, created_at, updated_at)
    VALUES (CAST(:id AS INTEGER), :sessionId, :importer, CAST(:oldest AS INTEGER), CAST(:newest AS INTEGER))
    RETURNING 1`,
  /** Skips a conversation with summaries or another window, which the checks report. */
  window: /* sql */ `
    INSERT INTO context_items (conversation_id, ordinal, item_type, message_id, created_at)
    SELECT conversation_id, row_number() OVER (ORDER BY seq) - 1, 'message', message_id, created_at
    FROM messages
    WHERE conversation_id = CAST(:id AS INTEGER)
      AND NOT EXISTS (SELECT 1 FROM context_items WHERE conversation_id = CAST(:id AS INTEGER))
      AND NOT EXISTS (SELECT 1 FROM summaries WHERE conversation_id = CAST(:id AS INTEGER))`,
} as const

type Origin = { readonly sessionId: string; readonly importer: string }

/**
 * Restores conversations of which a damaged ledger has messages and no line of their own. Otherwise their messages
 * would be in the file and shown nowhere.
 */
export class LostConversations {
  readonly #origins = new Map<unknown, Origin>()

  /** Notes the session that a message names. */
  note({ metadata }: LedgerEvent, conversationId: unknown): void {
    const { session_id: sessionId, source } = metadata
    if (this.#origins.has(conversationId) || typeof sessionId !== 'string') return
    this.#origins.set(conversationId, { sessionId, importer: typeof source === 'string' ? source : 'native' })
  }

  /** Creates the conversations from their messages, and reports each. */
  restore(db: WriteDb, failures: Failures): void {
    for (const row of db.all<{ id: number; messages: number; oldest: number; newest: number }>(queries.lost)) {
      const named = `conversation ${row.id}`
      const origin = this.#origins.get(row.id) ?? { sessionId: named, importer: 'native' }
      const { id, oldest, newest } = row
      const isAdded = db.value(queries.add, { id, oldest, newest, ...origin }) !== undefined
      // Another conversation has taken the session meanwhile.
      if (!isAdded) db.value(queries.add, { id, oldest, newest, sessionId: named, importer: 'native' })
      db.run(queries.window, { id })
      const detail = `${named} itself is not in the ledger: it is made from its messages (${row.messages}), without its title`
      failures.add(0, 'ledger_behind', detail)
    }
  }
}
