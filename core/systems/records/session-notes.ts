import type { ReadDb, WriteDb } from '#core/sqlite/read-db.ts'
import { metaValue, storeMetaValue } from './meta-values.ts'

/** What an import notes of a session: where it was forked or its chain breaks, its cost, and what is sent again. */
type NoteKind = 'forked_at' | 'broken_chain' | 'agent_cost' | 'cost_after' | 'sent_again'

/** The conversation that a session became, and what was noted of it. */
export type SessionNote = {
  readonly conversationId: number
  readonly parentId: number | null
  readonly note: string
}

const SELECTED = `c.conversation_id AS conversationId, c.parent_conversation_id AS parentId, n.value AS note
    FROM conversations AS c JOIN lcm_meta AS n ON n.key = :kind || ':' || c.importer || ':' || c.session_id`

const queries = {
  all: /* sql */ `
    SELECT ${SELECTED}
    WHERE n.key >= :kind || ':' AND n.key < :kind || ';' ORDER BY c.conversation_id`,
  one: /* sql */ `
    SELECT ${SELECTED}
    WHERE c.conversation_id = :conversationId`,
}

/** A session in the words of its agent. */
export type Session = { readonly importer: string; readonly sessionId: string }

const keyOf = (kind: NoteKind, { importer, sessionId }: Session): string => `${kind}:${importer}:${sessionId}`

/** The notes of a kind on all conversations, in the order of their numbers. */
export const sessionNotes = (db: ReadDb, kind: NoteKind): SessionNote[] => db.all<SessionNote>(queries.all, { kind })

/** Returns undefined where nothing was noted. */
export const sessionNote = (db: ReadDb, kind: NoteKind, conversationId: number): SessionNote | undefined =>
  db.get<SessionNote>(queries.one, { kind, conversationId })

/** Returns what was noted of a session, which may have no conversation yet. */
export const notedOf = (db: ReadDb, kind: NoteKind, session: Session): string | undefined =>
  metaValue(db, keyOf(kind, session))

/** Notes something of a session, in the place of what was noted before. Null takes it away. */
export const noteSession = (db: WriteDb, kind: NoteKind, session: Session, note: string | null): void =>
  storeMetaValue(db, keyOf(kind, session), note)
