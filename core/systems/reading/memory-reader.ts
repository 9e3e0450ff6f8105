import { LcmError } from '#core/errors.ts'
import { sharedWork } from '#core/keeping.ts'
import { GrowingMessages, type MessageSums } from '#core/memory/growing-messages.ts'
import type { Memory } from '#core/memory/memory.ts'
import type { MessagePositions, Messages } from '#core/memory/messages.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { readSnapshot } from '#core/sqlite/read-snapshot.ts'
import { inSlices, withoutYielding } from '#core/yielding.ts'
import { AppendedMessages, type MessageTable } from './appended-messages.ts'
import { changeStamp } from './change-stamp.ts'
import { KeptOrders } from './kept-orders.ts'
import { followingConversation, lineageState, readingConversation } from './read-conversation.ts'
import { appendingNewer, checking, MESSAGE_SUMS } from './read-messages.ts'
import { nextRecheckMs } from './recheck-time.ts'

const queries = {
  exists: /* sql */ `SELECT 1 FROM conversations WHERE conversation_id = :conversation`,
  length: /* sql */ `SELECT count(*) FROM messages WHERE conversation_id = :conversation`,
  /** Whether messages came or went, without a look at each of them. */
  ends: /* sql */ `
    SELECT
      (SELECT count(*) FROM messages WHERE conversation_id = :conversation) AS length,
      (SELECT message_id FROM messages WHERE conversation_id = :conversation AND seq = :lastSeq) AS lastId`,
  /** What tells an appended conversation from a rewritten one. */
  sums: /* sql */ `
    SELECT ${MESSAGE_SUMS}
    FROM messages
    WHERE conversation_id = :conversation`,
}

/** Messages kept in memory over all conversations, about 33 bytes each; the least recently used go first. */
const MAX_KEPT_MESSAGES = 2_000_000

/** For this long messages are not compared again that were compared piece by piece while somebody went on writing. */
const TRUST_MS = 1000

/** Fewer messages than these are all compared again whenever the file changed. */
const MANY_MESSAGES = 20_000

export type MemoryReaderOptions = {
  /** Whether the file allows no two messages of a conversation the same seq. By default, it may have them. */
  readonly hasUniqueSeqs?: boolean
}
type KeptConversation = {
  /** The change stamp of the file when it held these messages. */
  stamp: string
  /** The change stamp of the file when every message was compared with it. */
  checked: string
  /** Until this moment only the number of messages is compared, and not each of them. */
  trustedUntilMs: number
  /** The state of the table of messages at `stamp`; null where it shows nothing. */
  table: MessageTable | null
  columns: GrowingMessages
  history: Messages
  /** The memory of these messages, or of the first of them. */
  memory: KeptMemory | null
}

const isTrusted = ({ trustedUntilMs }: KeptConversation): boolean => performance.now() < trustedUntilMs

type KeptMemory = {
  readonly memory: Memory
  /** The change stamp of the file when it held this memory. */
  readonly stamp: string
  /** The change stamp of the file when summaries and links were read. */
  readonly readStamp: string
  /** The `lineageState` of the file at that moment. */
  readonly state: string
  /** Before this moment summaries and links are read again only when the state differs. */
  readonly recheckAtMs: number
}

const UNCHECKED = { stamp: '', checked: '', trustedUntilMs: 0, table: null, memory: null } as const

/**
 * The conversations that are being looked at, each read once into a memory and kept in step with the file. What was
 * appended is read alone; what was rewritten is read again. A row that another program changed in its place may be noticed
 * late: see `nextRecheckMs`.
 */
export class MemoryReader {
  readonly appended: AppendedMessages
  readonly #db: ReadDb
  /** Least recently used first. */
  readonly #kept = new Map<number, KeptConversation>()
  readonly #orders: KeptOrders
  readonly #preparing = new Map<number, Promise<void>>()
  readonly #preparingMemories = new Map<number, Promise<void>>()
  #lineage = { stamp: '', state: '' }

  constructor(db: ReadDb, { hasUniqueSeqs = false }: MemoryReaderOptions = {}) {
    this.#db = db
    this.appended = new AppendedMessages(db)
    this.#orders = new KeptOrders(db, this.appended, hasUniqueSeqs)
  }

  /**
   * Returns which messages a conversation has at present, in order, without reading over their texts. Ask inside the
   * snapshot in which you use it.
   * @throws LcmError not_found
   */
  order(conversationId: number): MessagePositions {
    const stamp = changeStamp(this.#db)
    const kept = this.#kept.get(conversationId)
    if (kept?.stamp === stamp) return kept.history
    const known = this.#orders.at(conversationId, stamp)
    if (known && known.length > 0) return known
    return readSnapshot(this.#db, () => {
      const order = this.#orders.read(conversationId, kept?.history)
      if (order.length === 0) this.#requireThere(conversationId)
      return order
    })
  }

  /**
   * The messages of a conversation as they are now.
   * @throws LcmError not_found
   */
  of(conversationId: number): Messages {
    return this.#current(conversationId).history
  }

  /** The messages of a conversation as they were last read; null when they never were, or had to make room. */
  kept(conversationId: number): Messages | null {
    return this.#kept.get(conversationId)?.history ?? null
  }

  /** The memory of a conversation as it was last read; null when it never was, or had to make room. */
  keptMemory(conversationId: number): Memory | null {
    return this.#kept.get(conversationId)?.memory?.memory ?? null
  }

  /** The present messages of a conversation, when they are at hand; null when they would have to be read. */
  known(conversationId: number): Messages | null {
    const kept = this.#kept.get(conversationId)
    return kept?.checked === changeStamp(this.#db) ? kept.history : null
  }

  /** Differs when summaries or links of the file came or went. It is counted once for each state of the file. */
  lineageState(): string {
    const stamp = changeStamp(this.#db)
    if (this.#lineage.stamp !== stamp) this.#lineage = { stamp, state: lineageState(this.#db) }
    return this.#lineage.state
  }

  /**
   * All that is known of a conversation, as it is now.
   * @throws LcmError not_found
   */
  memory(conversationId: number): Memory {
    return readSnapshot(this.#db, () => {
      const kept = this.#current(conversationId)
      const memory = this.#atHand(kept) ?? withoutYielding(this.#reading(kept))
      kept.memory = memory
      return memory.memory
    })
  }

  /**
   * Reads the messages of a conversation, or compares them with the file, a piece at a time, so that others have their
   * turn meanwhile. Then `of` has them at hand, or has only to add those that came since.
   * Does nothing for a conversation that is not there.
   */
  async prepare(conversationId: number): Promise<void> {
    return sharedWork(this.#preparing, conversationId, () => inSlices(this.#prepared(conversationId)))
  }

  /**
   * Reads the messages, summaries and links that `memory` needs, and yields to other work in between. Rows that are
   * written after that are read by `memory` itself, at once.
   */
  async prepareMemory(conversationId: number): Promise<void> {
    return sharedWork(this.#preparingMemories, conversationId, async () => {
      await this.prepare(conversationId)
      await inSlices(this.#preparedMemory(conversationId))
    })
  }

  *#preparedMemory(conversationId: number): Generator<void> {
    // What is written during the first reading is followed by a second one, which is short.
    for (const _ of ['read', 'follow']) {
      const prepared = this.#kept.get(conversationId)
      if (!prepared) return
      const isAtHand = prepared.checked === changeStamp(this.#db) || isTrusted(prepared)
      if (!isAtHand && prepared.history.length >= MANY_MESSAGES) return
      const kept = this.#current(conversationId)
      if (this.#atHand(kept)) return
      const memory = yield* this.#reading(kept)
      const now = this.#kept.get(conversationId)
      if (now?.columns !== kept.columns) return
      // Messages that came meanwhile leave the summaries and links that were read as they are.
      const isUnchanged = (): boolean => this.lineageState() === memory.state
      if (changeStamp(this.#db) !== kept.stamp && !isUnchanged()) return
      now.memory = memory
    }
  }

  /** Returns the memory that was read of the present file; null when it has to be read again. */
  #atHand({ stamp, memory }: KeptConversation): KeptMemory | null {
    if (memory?.stamp !== stamp) return null
    return memory.readStamp === stamp || performance.now() < memory.recheckAtMs ? memory : null
  }

  *#reading({ stamp, history, memory: before }: KeptConversation): Generator<void, KeptMemory> {
    const startedMs = performance.now()
    const state = this.lineageState()
    if (before?.state === state && startedMs < before.recheckAtMs) {
      const followed = yield* followingConversation(this.#db, history, before.memory)
      if (followed) return { ...before, memory: followed, stamp }
    }
    const memory = yield* readingConversation(this.#db, history, before?.memory)
    return { memory, stamp, readStamp: stamp, state, recheckAtMs: nextRecheckMs(this.#db, startedMs) }
  }

  *#prepared(conversationId: number): Generator<void> {
    // The second pass finds what changed during the first. There is no third, because somebody may write all the time.
    for (const isLast of [false, true]) {
      const startedMs = performance.now()
      const stamp = changeStamp(this.#db)
      const kept = this.#kept.get(conversationId)
      if (kept && (kept.checked === stamp || isTrusted(kept))) return
      const isSound = kept ? yield* checking(this.#db, kept.history) : false
      const columns =
        kept && isSound ? kept.columns : new GrowingMessages(this.#length(conversationId)).begin(conversationId)
      yield* appendingNewer(this.#db, conversationId, columns)
      const now = changeStamp(this.#db)
      if (columns.length === 0 || this.#kept.get(conversationId)?.checked === now) return
      const history = columns.view()
      const trustedUntilMs =
        now === stamp ? this.#trustedUntilMs(history, startedMs) : isLast ? performance.now() + TRUST_MS : 0
      const memory = isSound ? (kept?.memory ?? null) : null
      const counted = this.appended.now()
      // What was written meanwhile may not have been compared.
      const table = changeStamp(this.#db) === stamp ? counted : null
      this.#keep(conversationId, { stamp, checked: stamp, trustedUntilMs, table, columns, history, memory })
    }
  }

  #current(conversationId: number): KeptConversation {
    const stamp = changeStamp(this.#db)
    const kept = this.#kept.get(conversationId)
    const trusted = kept && isTrusted(kept) ? kept : null
    if (kept?.stamp === stamp && (kept.checked === stamp || trusted)) return kept
    return readSnapshot(this.#db, () => {
      const now = changeStamp(this.#db)
      const current = (trusted && this.#followed(trusted)) ?? this.#lookedAt(conversationId, kept, now)
      current.stamp = now
      current.table = this.appended.now()
      this.#keep(conversationId, current)
      return current
    })
  }

  /** Adds the messages that came since. Null when something else happened. Every message was compared a moment ago. */
  #followed(kept: KeptConversation): KeptConversation | null {
    const { conversationId: conversation, ids, seqs, length } = kept.history
    const appended = this.appended.since(kept.table)
    if (appended) {
      const own = appended.filter(({ conversationId }) => conversationId === conversation).length
      if (own === 0) return { ...kept }
      appendNewer(this.#db, conversation, kept.columns)
      return kept.columns.length === length + own ? { ...kept, history: kept.columns.view() } : null
    }
    const lastSeq = seqs[length - 1] ?? null
    const ends = this.#db.get<{ length: number; lastId: number | null }>(queries.ends, { conversation, lastSeq })
    if (ends === undefined || ends.lastId !== ids[length - 1]) return null
    if (ends.length === length) return { ...kept }
    appendNewer(this.#db, conversation, kept.columns)
    return kept.columns.length === ends.length ? { ...kept, history: kept.columns.view() } : null
  }

  /** Compares every message again, or reads them. */
  #lookedAt(conversationId: number, kept: KeptConversation | undefined, stamp: string): KeptConversation {
    const startedMs = performance.now()
    const looked = kept && extended(this.#db, kept)
    if (!looked) return { ...this.#load(conversationId), checked: stamp }
    return { ...looked, checked: stamp, trustedUntilMs: this.#trustedUntilMs(looked.history, startedMs) }
  }

  /** Returns until when messages need not be compared again that were all compared. */
  #trustedUntilMs({ length }: Messages, startedMs: number): number {
    return length < MANY_MESSAGES ? 0 : nextRecheckMs(this.#db, startedMs)
  }

  #length(conversationId: number): number {
    return this.#db.value<number>(queries.length, { conversation: conversationId }) ?? 0
  }

  #load(conversationId: number): KeptConversation {
    const length = this.#length(conversationId)
    if (length === 0) this.#requireThere(conversationId)
    const columns = new GrowingMessages(length).begin(conversationId)
    appendNewer(this.#db, conversationId, columns)
    return { ...UNCHECKED, columns, history: columns.view() }
  }

  #requireThere(conversationId: number): void {
    if (this.#db.value(queries.exists, { conversation: conversationId }) !== undefined) return
    throw new LcmError(
      'not_found',
      `There is no conversation ${conversationId} in ${this.#db.path}: "lcm stats" lists those that are there.`,
      { conversationId },
    )
  }

  #keep(conversationId: number, current: KeptConversation): void {
    this.#kept.delete(conversationId)
    this.#kept.set(conversationId, current)
    let messages = 0
    for (const kept of this.#kept.values()) messages += kept.history.length
    for (const [id, kept] of this.#kept) {
      if (messages <= MAX_KEPT_MESSAGES || id === conversationId) break
      messages -= kept.history.length
      this.#kept.delete(id)
    }
  }
}

/** Adds all messages after those that are there. */
function appendNewer(db: ReadDb, conversation: number, columns: GrowingMessages): void {
  withoutYielding(appendingNewer(db, conversation, columns))
}

/** Adds the messages that came since to what was kept. Undefined when it is not the same history any more. */
function extended(db: ReadDb, kept: KeptConversation): KeptConversation | undefined {
  const { history, columns } = kept
  const conversation = { conversation: history.conversationId }
  const sums = db.get<MessageSums>(queries.sums, conversation)
  if (!sums || sums.length < Math.max(1, history.length)) return undefined
  if (isSame(columns.sums, sums)) return { ...kept }
  appendNewer(db, history.conversationId, columns)
  if (!isSame(columns.sums, sums)) return undefined
  return { ...UNCHECKED, columns, history: columns.view(), memory: kept.memory }
}

const isSame = (a: MessageSums, b: MessageSums): boolean =>
  a.length === b.length && a.tokens === b.tokens && a.ordered === b.ordered
