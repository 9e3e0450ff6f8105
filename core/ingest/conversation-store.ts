import type { Clock } from '../clock.ts'
import { LcmError } from '../errors.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import { indexAtOnce, indexMessages } from '../sqlite/ingest-index.ts'
import { withLargePageCache } from '../sqlite/page-cache.ts'
import { deferIndex, indexPending, LONGEST_INDEXED_AT_ONCE } from '../sqlite/pending-index.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import { runToEnd } from '../yielding.ts'
import { storedParts } from './known-parts.ts'
import type { LargeTexts } from './large-texts.ts'
import {
  type AppendResult,
  BY_TRIGGERS,
  type Continue,
  type Indexing,
  type IngestConflict,
  MessageAppender,
} from './message-appender.ts'
import { type NewMessage, textUnits } from './new-message.ts'
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

export type IngestBatch = {
  /** The conversation, or a function that creates it in the transaction that stores its messages. */
  readonly conversationId: number | (() => number)
  readonly messages: readonly NewMessage[]
}

const queries = {
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
  stored: /* sql */ `
    SELECT message_id AS messageId, content FROM messages
    WHERE conversation_id = :conversationId AND external_id = :externalId`,
}

/** Up to this many messages, the triggers take less time than indexing a batch at once. */
const FEW_MESSAGES = 4

type StoredMessage = { readonly messageId: number; readonly content: string }

/**
 * Stores conversations and messages in a native memory. A message is written completely, with its parts and its window
 * entry, or not at all, and never changes afterwards.
 */
export class ConversationStore {
  readonly #db: WriteDb
  readonly #estimator: TokenEstimator
  readonly #clock: Clock
  readonly #appender: MessageAppender
  /** How messages are indexed while `together` runs. */
  #together: Indexing | null = null

  constructor(db: WriteDb, estimator: TokenEstimator, clock: Clock) {
    this.#db = db
    this.#estimator = estimator
    this.#clock = clock
    this.#appender = new MessageAppender(db, estimator)
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
    const given = this.#appender.prepare(messages)
    return this.#db.transaction(() => this.#appender.append(conversationId, given, this.#together ?? BY_TRIGGERS))
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
    const prepared = batches.map(({ conversationId, messages }) => ({
      conversationId,
      given: this.#appender.prepare(messages),
    }))
    const insert = (indexing: Indexing): AppendResult[] => {
      const results = prepared.map(({ conversationId: id, given }) =>
        this.#appender.append(typeof id === 'number' ? id : id(), given, { ...indexing, continued }),
      )
      accept(results)
      return results
    }
    if (this.#together) return insert(this.#together)
    const count = batches.reduce((sum, { messages }) => sum + messages.length, 0)
    if (count <= FEW_MESSAGES && index === indexMessages) return this.#db.transaction(() => insert(BY_TRIGGERS))
    // The page cache is enlarged around the transaction, because what the indexes have gathered is written at its end.
    return withLargePageCache(this.#db, () =>
      this.#db.transaction(() => indexAtOnce(this.#db, (upTo) => insert({ upTo, index }), index)),
    )
  }

  /**
   * Runs `body` in one transaction that indexes at its end what this store stored meanwhile, as few entries as one batch.
   * @param messages how many messages that will be at most
   */
  together<T>(messages: number, body: () => T): T {
    if (messages <= FEW_MESSAGES) return this.#db.transaction(body)
    const inGroup = (upTo: number): T => {
      this.#together = { upTo, index: indexMessages }
      try {
        return body()
      } finally {
        this.#together = null
      }
    }
    return withLargePageCache(this.#db, () => this.#db.transaction(() => indexAtOnce(this.#db, inGroup)))
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
