import type { ReadDb } from '#core/sqlite/read-db.ts'
import { readSnapshot } from '#core/sqlite/read-snapshot.ts'
import type { Conversations } from '../records/tallies.ts'
import type { AppendedMessage, AppendedMessages, MessageTable } from './appended-messages.ts'
import { nextRecheckMs } from './recheck-time.ts'

export type KeptValue<Value> = {
  /** Reads the values of some conversations, or of all. One without a value is absent. */
  readonly read: (db: ReadDb, of: Conversations) => ReadonlyMap<number, Value>
  /**
   * Returns the value with a message that was appended, from null where there was none. Undefined when the value has to be
   * read again.
   */
  readonly withMessage: (before: Value | null, message: AppendedMessage) => Value | null | undefined
}

type ConversationValue<Value> = {
  readonly value: Value | null
  /** Until this moment appended messages are added to the value, and it is not read again. */
  readonly recheckAtMs: number
}

/**
 * A value of each conversation that follows from its messages. It is not read from all of them again after each message
 * that is appended.
 */
export class KeptByConversation<Value> {
  readonly #db: ReadDb
  readonly #appended: AppendedMessages
  readonly #options: KeptValue<Value>
  readonly #kept = new Map<number, ConversationValue<Value>>()
  #table: MessageTable | null = null
  /** Until this moment every conversation that has a value is kept. */
  #areAllUntilMs = 0

  constructor(db: ReadDb, appended: AppendedMessages, options: KeptValue<Value>) {
    this.#db = db
    this.#appended = appended
    this.#options = options
  }

  /** Returns the values of some conversations, or of all; one without a value is absent. */
  of(ids: Conversations): ReadonlyMap<number, Value> {
    // A message that comes between counting the table and reading the values would be added a second time later.
    return readSnapshot(this.#db, () => {
      this.#follow()
      if (ids === null) this.#readAll()
      else this.#readMissing(ids)
      const values = new Map<number, Value>()
      for (const id of ids ?? this.#kept.keys()) {
        const value = this.#kept.get(id)?.value ?? null
        if (value !== null) values.set(id, value)
      }
      return values
    })
  }

  #readAll(): void {
    if (performance.now() < this.#areAllUntilMs) return
    const startedMs = performance.now()
    const values = this.#options.read(this.#db, null)
    this.#areAllUntilMs = nextRecheckMs(this.#db, startedMs)
    this.#kept.clear()
    for (const [id, value] of values) this.#kept.set(id, { value, recheckAtMs: this.#areAllUntilMs })
  }

  #readMissing(ids: readonly number[]): void {
    const missing = ids.filter((id) => !this.#kept.has(id))
    if (missing.length === 0 || performance.now() < this.#areAllUntilMs) return
    const startedMs = performance.now()
    const values = this.#options.read(this.#db, missing)
    const recheckAtMs = nextRecheckMs(this.#db, startedMs)
    for (const id of missing) this.#kept.set(id, { value: values.get(id) ?? null, recheckAtMs })
  }

  /** Adds what was appended, and forgets what is to be read again. */
  #follow(): void {
    const now = this.#appended.now()
    if (now !== null && now === this.#table) return
    const appended = this.#appended.since(this.#table)
    this.#table = now
    const nowMs = performance.now()
    if (appended === null) {
      this.#kept.clear()
      this.#areAllUntilMs = 0
    }
    for (const [id, { recheckAtMs }] of this.#kept) if (nowMs >= recheckAtMs) this.#kept.delete(id)
    for (const message of appended ?? []) {
      const before = this.#kept.get(message.conversationId) ?? this.#none(nowMs)
      if (!before) continue
      const value = this.#options.withMessage(before.value, message)
      if (value === undefined) {
        this.#kept.delete(message.conversationId)
        this.#areAllUntilMs = 0
      } else this.#kept.set(message.conversationId, { ...before, value })
    }
  }

  /** A conversation that is not kept had no value, if every one that has a value is kept. Null if that is not known. */
  #none(nowMs: number): ConversationValue<Value> | null {
    return nowMs < this.#areAllUntilMs ? { value: null, recheckAtMs: this.#areAllUntilMs } : null
  }
}
