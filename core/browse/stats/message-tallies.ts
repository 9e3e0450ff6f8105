import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { AppendedMessage, AppendedMessages, MessageTable } from '#core/systems/appended-messages.ts'
import { messageCounts, messageTokens } from '#core/systems/records/tallies.ts'
import { restUntilProven } from '#core/systems/rest.ts'

/** A sum over the messages of a conversation, and until when only what is appended has to be added to it. */
type KeptSum = { readonly sum: number; readonly restUntilMs: number }

type Tally = {
  readonly read: (db: ReadDb, of: readonly number[]) => ReadonlyMap<number, number>
  readonly amountOf: (message: AppendedMessage) => number
  readonly kept: Map<number, KeptSum>
}

const tally = (read: Tally['read'], amountOf: Tally['amountOf']): Tally => ({ read, amountOf, kept: new Map() })

/**
 * How many messages conversations have, and how many tokens, without reading all of them again after each message that is
 * appended.
 */
export class MessageTallies {
  readonly #db: ReadDb
  readonly #appended: AppendedMessages
  readonly #counts = tally(messageCounts, () => 1)
  readonly #tokens = tally(messageTokens, ({ tokens }) => (typeof tokens === 'number' ? tokens : 0))
  #table: MessageTable | null = null

  constructor(db: ReadDb, appended: AppendedMessages) {
    this.#db = db
    this.#appended = appended
  }

  /** Returns how many messages some conversations have; one without any is absent. Call it inside a snapshot. */
  counts(of: readonly number[]): ReadonlyMap<number, number> {
    return this.#sums(this.#counts, of)
  }

  /** Returns the tokens of all messages of some conversations. Call it inside a snapshot. */
  tokens(of: readonly number[]): ReadonlyMap<number, number> {
    return this.#sums(this.#tokens, of)
  }

  #sums({ kept, read }: Tally, of: readonly number[]): ReadonlyMap<number, number> {
    this.#follow()
    const unknown = of.filter((id) => !kept.has(id))
    if (unknown.length > 0) {
      const startedMs = performance.now()
      const sums = read(this.#db, unknown)
      const restUntilMs = restUntilProven(this.#db, startedMs)
      for (const id of unknown) kept.set(id, { sum: sums.get(id) ?? ABSENT, restUntilMs })
    }
    return new Map(
      of.flatMap((id): [number, number][] => {
        const sum = kept.get(id)?.sum ?? ABSENT
        return sum === ABSENT ? [] : [[id, sum]]
      }),
    )
  }

  /** Adds what was appended, and forgets what is to be read again. */
  #follow(): void {
    const now = this.#appended.now()
    if (now !== null && now === this.#table) return
    const appended = this.#appended.since(this.#table)
    this.#table = now
    const nowMs = performance.now()
    for (const { kept, amountOf } of [this.#counts, this.#tokens]) {
      if (appended === null) kept.clear()
      for (const [id, { restUntilMs }] of kept) if (nowMs >= restUntilMs) kept.delete(id)
      for (const message of appended ?? []) {
        const before = kept.get(message.conversationId)
        if (!before) continue
        const sum = (before.sum === ABSENT ? 0 : before.sum) + amountOf(message)
        kept.set(message.conversationId, { ...before, sum })
      }
    }
  }
}

/** Stands for a conversation without a message. */
const ABSENT = -1
