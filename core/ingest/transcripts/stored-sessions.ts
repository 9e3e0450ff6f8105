import type { Role } from '#core/contract/ids.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { notedOf, noteSession } from '#core/systems/records/session-notes.ts'
import { mayBeCompleted } from '../completed-messages.ts'
import type { ConversationStore } from '../conversation-store.ts'
import { type StoredPart, storedParts } from '../known-parts.ts'
import type { LastStored, SessionRecord } from './format.ts'

const queries = {
  holder: /* sql */ `
    SELECT c.session_id FROM conversations AS c
    JOIN messages AS m ON m.conversation_id = c.conversation_id AND m.external_id = :externalId
    WHERE c.importer = :importer AND c.session_id <> :sessionId
    ORDER BY c.conversation_id LIMIT 1`,
  session: /* sql */ `
    SELECT conversation_id FROM conversations WHERE importer = :importer AND session_id = :sessionId`,
  hasMessages: /* sql */ `
    SELECT 1 FROM messages WHERE conversation_id = :conversationId LIMIT 1`,
  hasMessage: /* sql */ `
    WITH RECURSIVE up (id) AS (
      VALUES (CAST(:conversationId AS INTEGER))
      UNION
      SELECT c.parent_conversation_id FROM up JOIN conversations AS c ON c.conversation_id = up.id
      WHERE c.parent_conversation_id IS NOT NULL
    )
    SELECT 1 FROM up JOIN messages AS m ON m.conversation_id = up.id AND m.external_id = :externalId`,
  storedBlocks: /* sql */ `
    SELECT (SELECT count(*) FROM message_parts AS p
      WHERE p.message_id = m.message_id AND p.is_synthetic = 0 AND p.part_type <> 'step_finish')
    FROM messages AS m WHERE m.conversation_id = :conversationId AND m.external_id = :externalId`,
  message: /* sql */ `
    SELECT message_id AS messageId, role, content FROM messages
    WHERE conversation_id = :conversationId AND external_id = :externalId`,
  lastMessage: /* sql */ `
    SELECT message_id AS messageId, external_id AS externalId, role, content FROM messages
    WHERE conversation_id = :conversationId AND external_id IS NOT NULL ORDER BY seq DESC LIMIT 1`,
  hasSummary: /* sql */ `
    SELECT 1 FROM summaries WHERE summary_id = :summaryId`,
  await: /* sql */ `
    INSERT INTO lcm_meta (key, value) VALUES (:key, :parent) ON CONFLICT (key) DO NOTHING`,
  awaiting: /* sql */ `
    SELECT key FROM lcm_meta WHERE key >= :prefix AND key < :prefix || char(0x10ffff) AND value = :parent`,
  adopt: /* sql */ `
    UPDATE conversations SET parent_conversation_id = :conversationId
    WHERE importer = :importer AND session_id = :sessionId AND parent_conversation_id IS NULL
      AND conversation_id <> :conversationId`,
  awaitOrigin: /* sql */ `
    INSERT INTO lcm_meta (key, value)
    SELECT :key, :externalId WHERE NOT EXISTS (
      SELECT 1 FROM conversations
      WHERE importer = :importer AND session_id = :sessionId AND parent_conversation_id IS NOT NULL
    )
    ON CONFLICT (key) DO NOTHING`,
  // Another fork after the same compaction begins with the message, too.
  withoutOrigin: /* sql */ `
    SELECT f.key FROM lcm_meta AS f
    JOIN messages AS m ON m.conversation_id = :conversationId AND m.external_id = f.value
    WHERE f.key >= :prefix AND f.key < :prefix || char(0x10ffff)
      AND NOT EXISTS (SELECT 1 FROM lcm_meta AS own WHERE own.key = :own AND own.value = f.value)`,
  arrived: /* sql */ `
    DELETE FROM lcm_meta WHERE key = :key`,
}

export type StoredSession = {
  readonly id: number
  /** True when the conversation had no messages at the beginning of this import. */
  readonly isNew: boolean
}

export type StoredMessage = { readonly role: Role; readonly content: string; readonly parts: readonly StoredPart[] }

/**
 * Finds and creates the conversations of one importer. A sub-agent may arrive before the session that started it, and
 * is linked with it later.
 */
export class StoredSessions {
  readonly #db: WriteDb
  readonly #store: ConversationStore
  readonly #importer: string
  readonly #sourceUri: string
  readonly #known = new Map<string, StoredSession>()
  /** Sessions that were declared and have no message yet. Their conversation is created with the first message. */
  readonly #declared = new Map<string, SessionRecord>()
  /** Declarations that arrived again while the first messages of their sessions wait to be written. */
  readonly #expected = new Map<string, SessionRecord[]>()
  readonly #lastStored = new Map<string, LastStored | null>()
  readonly #foreign = new Map<string, number | null>()

  constructor(db: WriteDb, store: ConversationStore, importer: string, sourceUri: string) {
    this.#db = db
    this.#store = store
    this.#importer = importer
    this.#sourceUri = sourceUri
  }

  /** Returns the conversation of a session with messages, and undefined for others. */
  get(sessionId: string): StoredSession | undefined {
    return this.#known.get(sessionId)
  }

  declare(session: SessionRecord): void {
    if (this.#known.has(session.sessionId)) this.#ensure(session)
    else if (this.#expected.has(session.sessionId)) this.#expected.get(session.sessionId)?.push(session)
    else if (!this.#declared.has(session.sessionId)) this.#declared.set(session.sessionId, session)
  }

  /**
   * Returns the conversation of a declared session, or null when it has none yet. Then `open` creates it in the
   * transaction that stores its first messages.
   */
  expect(sessionId: string): StoredSession | null {
    const known = this.#known.get(sessionId)
    if (known || this.#expected.has(sessionId)) return known ?? null
    this.#requireDeclared(sessionId)
    if (this.#find(sessionId) !== null) return this.open(sessionId)
    this.#expected.set(sessionId, [])
    return null
  }

  /** Returns the conversation of a declared session, and creates it when there is none. */
  open(sessionId: string): StoredSession {
    const known = this.#known.get(sessionId)
    if (known) return known
    const stored = this.#ensure(this.#requireDeclared(sessionId))
    for (const again of this.#expected.get(sessionId) ?? []) this.#ensure(again)
    this.#declared.delete(sessionId)
    this.#expected.delete(sessionId)
    return stored
  }

  #requireDeclared(sessionId: string): SessionRecord {
    const declared = this.#declared.get(sessionId)
    if (!declared) throw new Error(`session ${sessionId} was not declared before its first record`)
    return declared
  }

  #ensure(session: SessionRecord): StoredSession {
    const { sessionId } = session
    const parent = session.parentSessionId ?? null
    const parentId = parent === null || parent === sessionId ? null : this.#find(parent)
    const id = this.#store.ensureConversation({
      importer: this.#importer,
      sessionId,
      logicalKey: session.cwd?.toWellFormed() ?? null,
      sourceUri: this.#sourceUri,
      parentConversationId: parentId,
      title: session.title ?? null,
      createdAtMs: session.startedAtMs,
    })
    const known = this.#known.get(sessionId)
    if (known) return known
    const stored = { id, isNew: this.#db.value(queries.hasMessages, { conversationId: id }) === undefined }
    this.#known.set(sessionId, stored)
    this.#foreign.delete(sessionId)
    if (parent !== null && parentId === null) {
      this.#db.run(queries.await, { key: this.#awaitKey(sessionId), parent })
    }
    this.#adopt(sessionId, id)
    return stored
  }

  storedBlocks(sessionId: string, externalId: string): number | undefined {
    const session = this.#known.get(sessionId)
    if (session?.isNew) return undefined
    const conversationId = session?.id ?? this.#find(sessionId)
    return conversationId === null
      ? undefined
      : this.#db.value<number>(queries.storedBlocks, { conversationId, externalId })
  }

  /** Says whether the session, of this file or of another one, has a conversation. */
  has(sessionId: string): boolean {
    return this.#expected.has(sessionId) || this.#find(sessionId) !== null
  }

  hasSummary(summaryId: string): boolean {
    return this.#db.value(queries.hasSummary, { summaryId }) !== undefined
  }

  lastStored(sessionId: string): LastStored | null {
    const known = this.#lastStored.get(sessionId)
    if (known !== undefined) return known
    const conversationId = this.#known.get(sessionId)?.isNew ? null : this.#find(sessionId)
    type Row = LastStored & { readonly messageId: number }
    const row = conversationId === null ? undefined : this.#db.get<Row>(queries.lastMessage, { conversationId })
    const last = row && mayBeCompleted(this.#db, row.messageId) ? row : null
    this.#lastStored.set(sessionId, last)
    return last
  }

  /** Returns what is stored of a message. */
  message(conversationId: number, externalId: string): StoredMessage | undefined {
    type Row = { readonly messageId: number; readonly role: Role; readonly content: string }
    const row = this.#db.get<Row>(queries.message, { conversationId, externalId })
    return row && { role: row.role, content: row.content, parts: storedParts(this.#db, row.messageId, row.content) }
  }

  /** Returns the content of a stored message, and undefined when it is not stored. Its parts are not read. */
  contentOf(conversationId: number, externalId: string): string | undefined {
    return this.#db.get<{ readonly content: string }>(queries.message, { conversationId, externalId })?.content
  }

  /** Returns another session that has the message. */
  holderOf(sessionId: string, externalId: string): string | null {
    const importer = this.#importer
    return this.#db.value<string>(queries.holder, { importer, sessionId, externalId }) ?? null
  }

  /** Names the parent of a session that was declared without one. */
  nameParent(sessionId: string, parentSessionId: string): void {
    const declared = this.#declared.get(sessionId)
    if (declared) this.#declared.set(sessionId, { ...declared, parentSessionId })
  }

  /** Says whether a session itself has the message. */
  hasOwn(sessionId: string, externalId: string): boolean {
    const conversationId = this.#find(sessionId)
    return conversationId !== null && this.#db.value(queries.message, { conversationId, externalId }) !== undefined
  }

  /** Says whether a session, or an ancestor of it, has the message. */
  holds(sessionId: string, externalId: string): boolean {
    const conversationId = this.#find(sessionId)
    return conversationId !== null && this.#db.value(queries.hasMessage, { conversationId, externalId }) !== undefined
  }

  /**
   * Notes that a session may be a fork of one that is not stored: both have the message, and the other one will have
   * what was said before it.
   */
  awaitOrigin(sessionId: string, externalId: string): void {
    const importer = this.#importer
    this.#db.run(queries.awaitOrigin, { key: this.#originKey(sessionId), externalId, importer, sessionId })
  }

  /** Links forks that were stored before the session that they were forked from. They keep their copies. */
  adoptForks(sessionId: string, conversationId: number): void {
    const prefix = this.#originKey('')
    const asked = { conversationId, prefix, own: this.#originKey(sessionId) }
    for (const key of this.#db.column<string>(queries.withoutOrigin, asked)) {
      const fork = { importer: this.#importer, sessionId: key.slice(prefix.length), conversationId }
      this.#db.run(queries.adopt, fork)
      this.#db.run(queries.arrived, { key })
      if (notedOf(this.#db, 'forked_at', fork) === undefined) noteSession(this.#db, 'forked_at', fork, '{}')
    }
  }

  #originKey(sessionId: string): string {
    return `transcript_origin:${this.#importer}:${sessionId}`
  }

  #adopt(sessionId: string, conversationId: number): void {
    const prefix = this.#awaitKey('')
    for (const key of this.#db.column<string>(queries.awaiting, { prefix, parent: sessionId })) {
      const child = { importer: this.#importer, sessionId: key.slice(prefix.length), conversationId }
      this.#db.run(queries.adopt, child)
      this.#db.run(queries.arrived, { key })
    }
  }

  #find(sessionId: string): number | null {
    const known = this.#known.get(sessionId)
    if (known) return known.id
    const found = this.#foreign.get(sessionId)
    if (found !== undefined) return found
    const id = this.#db.value<number>(queries.session, { importer: this.#importer, sessionId }) ?? null
    this.#foreign.set(sessionId, id)
    return id
  }

  #awaitKey(sessionId: string): string {
    return `transcript_parent:${this.#importer}:${sessionId}`
  }
}
