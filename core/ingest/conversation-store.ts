import type { Clock } from '../clock.ts'
import { LcmError } from '../errors.ts'
import type { NewFile } from '../files/large-file-service.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import { indexAtOnce, indexMessages } from '../sqlite/ingest-index.ts'
import { withLargePageCache } from '../sqlite/page-cache.ts'
import { deferIndex, indexPending, LONGEST_INDEXED_AT_ONCE } from '../sqlite/pending-index.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import { runToEnd } from '../yielding.ts'
import { type Completion, completeMessages, mayBeCompleted } from './completed-messages.ts'
import { contentHash, type MessageRow, partIdStem, toMessageRow } from './ingest-rows.ts'
import { areStoredAs, saySame, storedParts } from './known-parts.ts'
import { insertFile, type LargeTexts } from './large-texts.ts'
import { type PreparedMessage, prepareMessage } from './message-inserts.ts'
import { type NewMessage, textUnits } from './new-message.ts'
import { PartInserts } from './part-inserts.ts'
import { recordEstimator } from './recorded-estimator.ts'

export type NewConversation = {
  /** The program whose session it is. Session ids are unique for one importer. */
  readonly importer: string
  readonly sessionId: string
  /** What stays the same over several sessions: the project, agent or working directory. */
  readonly logicalKey?: string | null
  readonly title?: string | null
  /** The file from which the session was read. */
  readonly sourceUri?: string | null
  /** The conversation that started this one. */
  readonly parentConversationId?: number | null
  /** Default: the present time. */
  readonly createdAtMs?: number
}

/** A known external id came with another role, other content or other parts. The stored message stays as it is. */
type IngestConflict = { readonly externalId: string; readonly messageId: number }

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

export type IngestBatch = {
  /** The conversation, or a function that creates it in the transaction that stores its messages. */
  readonly conversationId: number | (() => number)
  readonly messages: readonly NewMessage[]
}

/**
 * When a bare parameter is compared with an indexed column, SQLite plans the statement anew at every run, which takes
 * as long as the rest of storing a short message. A parameter inside CAST does not cause that.
 * https://www.sqlite.org/c3ref/prepare.html
 */
const queries = {
  conversation: /* sql */ `
    SELECT conversation_id AS id, importer, session_id AS sessionId FROM conversations
    WHERE conversation_id = :conversationId`,
  conversationBySession: /* sql */ `
    SELECT conversation_id FROM conversations WHERE importer = :importer AND session_id = :sessionId`,
  insertConversation: /* sql */ `
    INSERT INTO conversations
      (session_id, logical_key, importer, source_uri, parent_conversation_id, title, created_at, updated_at)
    VALUES (:sessionId, :logicalKey, :importer, :sourceUri, :parentConversationId, :title, :createdAt, :createdAt)
    RETURNING conversation_id`,
  completeConversation: /* sql */ `
    UPDATE conversations SET
      logical_key = coalesce(logical_key, :logicalKey),
      source_uri = coalesce(source_uri, :sourceUri),
      parent_conversation_id = coalesce(parent_conversation_id, :parentConversationId),
      title = coalesce(title, :title)
    WHERE conversation_id = :conversationId
      AND ((logical_key IS NULL AND :logicalKey IS NOT NULL)
        OR (source_uri IS NULL AND :sourceUri IS NOT NULL)
        OR (parent_conversation_id IS NULL AND :parentConversationId IS NOT NULL)
        OR (title IS NULL AND :title IS NOT NULL))`,
  setTitle: /* sql */ `
    UPDATE conversations SET title = :title WHERE conversation_id = :conversationId AND title IS NOT :title`,
  titleOf: /* sql */ `
    SELECT title FROM conversations WHERE conversation_id = :conversationId`,
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
  stored: /* sql */ `
    SELECT message_id AS messageId, content FROM messages
    WHERE conversation_id = :conversationId AND external_id = :externalId`,
  insertItems: /* sql */ `
    INSERT INTO context_items (conversation_id, ordinal, item_type, message_id, created_at)
    SELECT conversation_id, CAST(:ordinal AS INTEGER) + seq - CAST(:seq AS INTEGER), 'message', message_id, created_at
    FROM messages WHERE conversation_id = CAST(:conversationId AS INTEGER) AND seq >= CAST(:seq AS INTEGER) ORDER BY seq`,
}

/** How new messages get into the search indexes, and how the indexes follow when stored messages are completed. */
type Indexing = { readonly by: 'triggers' | 'batch'; readonly index: typeof indexMessages }

const BY_TRIGGERS: Indexing = { by: 'triggers', index: indexMessages }

/** Up to this many messages, the triggers take less time than indexing a batch at once. */
const FEW_MESSAGES = 4

const EMPTY_HASH = contentHash('')

type Conversation = { readonly id: number; readonly importer: string; readonly sessionId: string }

type StoredMessage = { readonly messageId: number; readonly content: string }

type Known = { readonly messageId: number; readonly role: string; readonly hash: string }

const isSameText = (known: Known, row: MessageRow): boolean => known.hash === row.hash && known.role === row.role

/** The end of a conversation, after which new messages are stored. `file` is the last one that was given its place. */
type Tail = { messageId: number; seq: number; latestMs: number; file: NewFile | null }

/**
 * Stores conversations and messages in a native memory. A message is written completely, with its parts and its window
 * entry, or not at all, and never changes afterwards.
 */
export class ConversationStore {
  readonly #db: WriteDb
  readonly #estimator: TokenEstimator
  readonly #clock: Clock

  constructor(db: WriteDb, estimator: TokenEstimator, clock: Clock) {
    this.#db = db
    this.#estimator = estimator
    this.#clock = clock
  }

  /**
   * Returns the conversation of a session, and creates it when there is none. Of an existing one, only unknown fields
   * are filled in.
   */
  ensureConversation(conversation: NewConversation): number {
    const { importer, sessionId } = conversation
    const described = {
      logicalKey: conversation.logicalKey ?? null,
      sourceUri: conversation.sourceUri ?? null,
      parentConversationId: conversation.parentConversationId ?? null,
      title: conversation.title?.toWellFormed() ?? null,
    }
    return this.#db.transaction(() => {
      recordEstimator(this.#db, this.#estimator.name)
      const known = this.#db.value<number>(queries.conversationBySession, { importer, sessionId })
      if (known !== undefined) {
        this.#db.run(queries.completeConversation, { conversationId: known, ...described })
        return known
      }
      const createdAt = Math.round(conversation.createdAtMs ?? this.#clock())
      const made = { importer, sessionId, createdAt, ...described }
      return this.#db.value<number>(queries.insertConversation, made) as number
    })
  }

  setTitle(conversationId: number, title: string): void {
    this.#db.run(queries.setTitle, { conversationId, title: title.toWellFormed() })
  }

  titleOf(conversationId: number): string | null {
    return this.#db.value<string | null>(queries.titleOf, { conversationId }) ?? null
  }

  /**
   * Appends messages in the given order in one transaction. A message whose external id is known stays as it is.
   * @throws LcmError not_found when there is no such conversation
   */
  append(conversationId: number, messages: readonly NewMessage[]): AppendResult {
    const given = this.#prepare(messages)
    return this.#db.transaction(() => this.#insertAll(conversationId, given, BY_TRIGGERS))
  }

  /**
   * Stores messages of a session in one transaction, all of them or none, and creates its conversation when there is
   * none. Large texts go to files first. A message whose external id is known stays as it is.
   * @throws LcmError message_conflict when a known one comes with another role, content or parts; cancelled; disk_full,
   * file_not_readable when a file cannot be stored
   */
  async ingest(
    conversation: NewConversation,
    messages: readonly NewMessage[],
    texts: LargeTexts,
  ): Promise<AppendResult & { readonly conversationId: number }> {
    const rewritten = await this.#withFiles(conversation, messages, texts)
    let conversationId = 0
    const ensure = (): number => {
      conversationId = this.ensureConversation(conversation)
      return conversationId
    }
    const refuse = ([result]: readonly AppendResult[]): void => {
      if (result && result.conflicts.length > 0) throw conflictError(conversation, result.conflicts)
    }
    const [result] = this.ingestBulk([{ conversationId: ensure, messages: rewritten }], null, refuse)
    // Only a batch of many megabytes leaves words to be indexed afterwards.
    for await (const _ of indexPending(this.#db));
    return { ...(result as AppendResult), conversationId }
  }

  async #withFiles(
    { importer, sessionId }: NewConversation,
    messages: readonly NewMessage[],
    texts: LargeTexts,
  ): Promise<NewMessage[]> {
    const conversationId = this.#db.value<number>(queries.conversationBySession, { importer, sessionId }) ?? null
    const rewritten: NewMessage[] = []
    for (const message of messages) {
      const { externalId, role, content, parts } = message
      texts.noteCalls(`${importer}\n${sessionId}`, parts)
      if (!texts.mayConcern(role, content, parts)) {
        rewritten.push(message)
        continue
      }
      const known =
        externalId === null ? undefined : this.#db.get<StoredMessage>(queries.stored, { conversationId, externalId })
      const stored = known ? [{ ...known, parts: storedParts(this.#db, known.messageId, known.content) }] : null
      rewritten.push(await runToEnd(texts.rewrite(message, { conversationKey: `${importer}\n${sessionId}`, stored })))
    }
    return rewritten
  }

  /**
   * Appends many messages of several conversations, as imports do, in one transaction that indexes them at once. Other
   * writers wait meanwhile, so keep a batch to about `BULK_BATCH` (0.2 s). Of a batch larger than
   * `LONGEST_INDEXED_AT_ONCE` only the rows are stored; call `indexPending` then. A few messages are left to the index
   * triggers, because removing and restoring the triggers would take longer.
   * @param accept is shown the results before they are committed; nothing is stored when it throws
   * @throws LcmError not_found when there is no such conversation
   */
  ingestBulk(
    batches: readonly IngestBatch[],
    continued: Continue | null = null,
    accept: (results: readonly AppendResult[]) => void = () => undefined,
  ): AppendResult[] {
    const units = batches.flatMap(({ messages }) => messages.map(textUnits)).reduce((sum, one) => sum + one, 0)
    const index = units > LONGEST_INDEXED_AT_ONCE ? deferIndex : indexMessages
    // Hashing and counting the tokens of a long text take time, so they are done before the transaction makes others
    // wait.
    const prepared = batches.map(({ conversationId, messages }) => ({ conversationId, given: this.#prepare(messages) }))
    const insert = (indexing: Indexing): AppendResult[] => {
      const results = prepared.map(({ conversationId: id, given }) =>
        this.#insertAll(typeof id === 'number' ? id : id(), given, { ...indexing, continued }),
      )
      accept(results)
      return results
    }
    const count = batches.reduce((sum, { messages }) => sum + messages.length, 0)
    if (count <= FEW_MESSAGES && index === indexMessages) return this.#db.transaction(() => insert(BY_TRIGGERS))
    // The page cache is enlarged around the transaction, because what the indexes have gathered is written at its end.
    return withLargePageCache(this.#db, () =>
      this.#db.transaction(() => indexAtOnce(this.#db, () => insert({ by: 'batch', index }), index)),
    )
  }

  #prepare(messages: readonly NewMessage[]): PreparedMessage[] {
    return messages.map((message) => prepareMessage(this.#db, message, this.#estimator))
  }

  #insertAll(
    conversationId: number,
    given: readonly PreparedMessage[],
    { by, continued = null, index }: Indexing & { readonly continued?: Continue | null },
  ): AppendResult {
    const conversation = this.#conversation(conversationId)
    const seq = this.#db.value<number>(queries.nextSeq, { conversationId }) ?? 0
    const tail: Tail = { messageId: this.#db.value<number>(queries.nextMessage) ?? 1, seq, latestMs: 0, file: null }
    const parts = new PartInserts(this.#db)
    const indexed = by === 'triggers' ? Number.MAX_SAFE_INTEGER : tail.messageId - 1
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
      } else if (links) for (const link of this.#prepare(links)) take(link, null)
      else counts.conflicts.push({ externalId, messageId: known.messageId })
    }
    for (const one of given) take(one, continued)
    parts.flush()
    tail.file?.sync()
    completeMessages(this.#db, [...completions.values()], indexed, index)
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

  #isSame(known: Known, row: MessageRow): boolean {
    return isSameText(known, row) && saySame(storedParts(this.#db, known.messageId, row.content), row.parts)
  }

  #knownAs(conversationId: number, externalId: string): Known | undefined {
    return this.#db.get<Known>(queries.known, { conversationId, externalId })
  }

  /** Whether a stored message is the beginning of the new one and nothing depends on it yet. */
  #isBeginning(conversationId: number, known: Known, [first]: readonly NewMessage[]): boolean {
    if (!first || !mayBeCompleted(this.#db, known.messageId)) return false
    const isCut = this.#knownAs(conversationId, `${first.externalId}#2`) !== undefined
    return !isCut && (known.hash === EMPTY_HASH || this.#isSame(known, toMessageRow(first, this.#estimator)))
  }

  #known(conversationId: number, externalId: string): Known {
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

/** How much one call of `ingestBulk` should store at most. A larger transaction gains little speed and lasts longer. */
export const BULK_BATCH = { messages: 2000, textUnits: 1_200_000 } as const

function conflictError({ sessionId }: NewConversation, conflicts: readonly IngestConflict[]): LcmError {
  const [first] = conflicts
  const more = conflicts.length > 1 ? ` and ${conflicts.length - 1} others` : ''
  return new LcmError(
    'message_conflict',
    `Message ${JSON.stringify(first?.externalId)}${more} of session ${JSON.stringify(sessionId)} is stored with another role, content or parts, and a stored message never changes. Nothing of this batch was stored: give a changed message an id of its own.`,
    { conflicts: conflicts.slice(0, 100) },
  )
}
