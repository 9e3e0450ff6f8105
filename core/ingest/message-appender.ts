import { LcmError } from '../errors.ts'
import type { NewFile } from '../files/large-file-service.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import { indexMessages } from '../sqlite/ingest-index.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import { type Completion, completeMessages, mayBeCompleted } from './completed-messages.ts'
import { contentHash, type MessageRow, partIdStem, toMessageRow } from './ingest-rows.ts'
import { areStoredAs, saySame, storedParts } from './known-parts.ts'
import { insertFile } from './large-texts.ts'
import { type PreparedMessage, prepareMessage } from './message-inserts.ts'
import type { NewMessage } from './new-message.ts'
import { PartInserts } from './part-inserts.ts'

/** A known external id came with another role, other content or other parts. The stored message stays as it is. */
export type IngestConflict = { readonly externalId: string; readonly messageId: number }

export type AppendResult = {
  readonly added: number
  /** The tokens of the messages that were added. */
  readonly addedTokens: number
  readonly alreadyThere: number
  /** The number of messages that were stored half-written and are complete now. */
  readonly completed: number
  readonly conflicts: readonly IngestConflict[]
}

/**
 * Asked about a message that differs from the stored one with its id. Returns the messages that replace the stored one
 * if the new message continues it, the first of which is the stored one; null when it is another message.
 */
export type Continue = (conversationId: number, message: NewMessage) => readonly NewMessage[] | null

/**
 * When a bare parameter is compared with an indexed column, SQLite plans the statement anew at every run, which takes
 * as long as the rest of storing a short message. A parameter inside CAST does not cause that.
 * https://www.sqlite.org/c3ref/prepare.html
 */
const queries = {
  conversation: /* sql */ `
    SELECT conversation_id AS id, importer, session_id AS sessionId FROM conversations
    WHERE conversation_id = :conversationId`,
  touch: /* sql */ `
    UPDATE conversations SET updated_at = max(updated_at, CAST(:at AS INTEGER))
    WHERE conversation_id = :conversationId`,
  nextMessage: /* sql */ `
    SELECT coalesce(max(message_id), 0) + 1 FROM messages`,
  nextSeq: /* sql */ `
    SELECT coalesce(max(seq) + 1, 0) FROM messages WHERE conversation_id = CAST(:conversationId AS INTEGER)`,
  nextOrdinal: /* sql */ `
    SELECT coalesce(max(ordinal) + 1, 0) FROM context_items WHERE conversation_id = CAST(:conversationId AS INTEGER)`,
  known: /* sql */ `
    SELECT message_id AS messageId, role, content_hash AS hash FROM messages
    WHERE conversation_id = :conversationId AND external_id = :externalId`,
  insertItems: /* sql */ `
    INSERT INTO context_items (conversation_id, ordinal, item_type, message_id, created_at)
    SELECT conversation_id, CAST(:ordinal AS INTEGER) + seq - CAST(:seq AS INTEGER), 'message', message_id, created_at
    FROM messages WHERE conversation_id = CAST(:conversationId AS INTEGER) AND seq >= CAST(:seq AS INTEGER) ORDER BY seq`,
}

/**
 * Up to which number messages are in the search indexes while others are stored, and how the indexes follow when stored
 * messages are completed.
 */
export type Indexing = { readonly upTo: number; readonly index: typeof indexMessages }

/** Triggers index each message when it is stored. */
export const BY_TRIGGERS: Indexing = { upTo: Number.MAX_SAFE_INTEGER, index: indexMessages }

const EMPTY_HASH = contentHash('')

type Conversation = { readonly id: number; readonly importer: string; readonly sessionId: string }

type StoredMessage = { readonly messageId: number; readonly role: string; readonly hash: string }

const isSameText = (known: StoredMessage, row: MessageRow): boolean =>
  known.hash === row.hash && known.role === row.role

/** The end of a conversation, after which new messages are stored. `file` is the last one that was given its place. */
type Tail = { messageId: number; seq: number; latestMs: number; file: NewFile | null }

/** Appends messages to conversations: new ones are inserted, known ones are compared, half-written ones completed. */
export class MessageAppender {
  readonly #db: WriteDb
  readonly #estimator: TokenEstimator

  constructor(db: WriteDb, estimator: TokenEstimator) {
    this.#db = db
    this.#estimator = estimator
  }

  /** Prepares messages before a transaction begins. */
  prepare(messages: readonly NewMessage[]): PreparedMessage[] {
    return messages.map((message) => prepareMessage(this.#db, message, this.#estimator))
  }

  /**
   * Stores messages of a conversation after those that it has. It must run inside a transaction.
   * @throws LcmError not_found when there is no such conversation
   */
  append(
    conversationId: number,
    given: readonly PreparedMessage[],
    { upTo, continued = null, index }: Indexing & { readonly continued?: Continue | null },
  ): AppendResult {
    const conversation = this.#conversation(conversationId)
    const seq = this.#db.value<number>(queries.nextSeq, { conversationId }) ?? 0
    const tail: Tail = { messageId: this.#db.value<number>(queries.nextMessage) ?? 1, seq, latestMs: 0, file: null }
    const parts = new PartInserts(this.#db)
    const counts = { added: 0, addedTokens: 0, alreadyThere: 0, completed: 0, conflicts: [] as IngestConflict[] }
    const completions = new Map<number, Completion>()
    const complete = (messageId: number, { message, row }: PreparedMessage): void => {
      this.#insertFiles(conversationId, message, tail)
      const partStem = partIdStem(`${conversation.importer}\n${conversation.sessionId}`, row)
      completions.set(messageId, { messageId, row, sessionId: conversation.sessionId, partStem })
    }
    const take = (prepared: PreparedMessage, goesOn: Continue | null): void => {
      const { message, row } = prepared
      const former = goesOn && message.formerId ? this.#knownAs(conversationId, message.formerId) : undefined
      if (
        former &&
        mayBeCompleted(this.#db, former.messageId) &&
        !this.#knownAs(conversationId, row.externalId ?? '')
      ) {
        counts.alreadyThere += 1
        counts.completed += 1
        complete(former.messageId, prepared)
        return
      }
      if (this.#insert(conversation, tail, prepared, parts)) {
        counts.added += 1
        counts.addedTokens += row.tokens
        return
      }
      // The message may have come a moment ago, with parts that are not written yet.
      parts.flush()
      const externalId = row.externalId ?? ''
      const known = this.#known(conversationId, externalId)
      if (isSameText(known, row) && areStoredAs(this.#db, known.messageId, row)) {
        counts.alreadyThere += 1
        return
      }
      if (this.#isSame(known, row)) {
        counts.alreadyThere += 1
        // Only details of the message have changed.
        const mayChange = goesOn !== null && continued !== null && mayBeCompleted(this.#db, known.messageId)
        if (mayChange) complete(known.messageId, prepared)
        return
      }
      const links = message.cut ?? goesOn?.(conversationId, message) ?? null
      if (links && goesOn && this.#isBeginning(conversationId, known, links)) {
        counts.alreadyThere += 1
        counts.completed += 1
        complete(known.messageId, prepared)
      } else if (links) for (const link of this.prepare(links)) take(link, null)
      else counts.conflicts.push({ externalId, messageId: known.messageId })
    }
    for (const one of given) take(one, continued)
    parts.flush()
    tail.file?.sync()
    completeMessages(this.#db, [...completions.values()], upTo, index)
    if (counts.added > 0) {
      const ordinal = this.#db.value<number>(queries.nextOrdinal, { conversationId }) ?? 0
      this.#db.run(queries.insertItems, { conversationId, seq, ordinal })
      this.#db.run(queries.touch, { conversationId, at: tail.latestMs })
    }
    return counts
  }

  #conversation(conversationId: number): Conversation {
    const conversation = this.#db.get<Conversation>(queries.conversation, { conversationId })
    if (conversation) return conversation
    throw new LcmError('not_found', `There is no conversation ${conversationId} in ${this.#db.path}.`)
  }

  #isSame(known: StoredMessage, row: MessageRow): boolean {
    return isSameText(known, row) && saySame(storedParts(this.#db, known.messageId, row.content), row.parts)
  }

  #knownAs(conversationId: number, externalId: string): StoredMessage | undefined {
    return this.#db.get<StoredMessage>(queries.known, { conversationId, externalId })
  }

  /** Whether a stored message is the beginning of the new one and nothing depends on it yet. */
  #isBeginning(conversationId: number, known: StoredMessage, [first]: readonly NewMessage[]): boolean {
    if (!first || !mayBeCompleted(this.#db, known.messageId)) return false
    const isCut = this.#knownAs(conversationId, `${first.externalId}#2`) !== undefined
    return !isCut && (known.hash === EMPTY_HASH || this.#isSame(known, toMessageRow(first, this.#estimator)))
  }

  #known(conversationId: number, externalId: string): StoredMessage {
    const known = this.#knownAs(conversationId, externalId)
    if (!known) throw new Error(`message ${externalId} was refused as known, but is not there`)
    return known
  }

  /** Returns false, and writes nothing, when the message is known. */
  #insert(
    conversation: Conversation,
    tail: Tail,
    { message, row, insert, parts }: PreparedMessage,
    inserts: PartInserts,
  ): boolean {
    const { messageId, seq } = tail
    if (insert([messageId, conversation.id, seq]) === 0) return false
    this.#insertFiles(conversation.id, message, tail)
    const stem = partIdStem(`${conversation.importer}\n${conversation.sessionId}`, row)
    parts().forEach((part, ordinal) => {
      inserts.add([`${stem}_${ordinal}`, messageId, conversation.sessionId, ordinal], part)
    })
    tail.messageId += 1
    tail.seq += 1
    tail.latestMs = Math.max(tail.latestMs, row.atMs)
    return true
  }

  #insertFiles(conversationId: number, { files = [], createdAtMs }: NewMessage, tail: Tail): void {
    for (const file of files) {
      insertFile(this.#db, conversationId, file, Math.round(createdAtMs))
      tail.file = file
    }
  }
}
