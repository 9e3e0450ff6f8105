import { keepRecent } from '#core/keeping.ts'
import { MessageOrder, type MessagePositions } from '#core/memory/messages.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { AppendedMessages, MessageTable } from './appended-messages.ts'
import { changeStamp } from './change-stamp.ts'
import { NumberedPositions, orderWith, readOrder } from './read-order.ts'
import { nextRecheckMs } from './recheck-time.ts'

/** Conversations whose order is kept. */
const MAX_KEPT = 4

type KeptOrder = {
  readonly stamp: string
  readonly order: MessageOrder | NumberedPositions
  readonly table: MessageTable | null
  /** Until this moment only appended messages are read, and the others are not read again. */
  readonly recheckAtMs: number
}

/** The order of the messages of the last few conversations, of which nothing else was asked for. */
export class KeptOrders {
  readonly #db: ReadDb
  readonly #appended: AppendedMessages
  readonly #hasUniqueSeqs: boolean
  readonly #kept = new Map<number, KeptOrder>()

  /** @param hasUniqueSeqs whether the file allows no two messages of a conversation the same seq */
  constructor(db: ReadDb, appended: AppendedMessages, hasUniqueSeqs: boolean) {
    this.#db = db
    this.#appended = appended
    this.#hasUniqueSeqs = hasUniqueSeqs
  }

  /** Returns the order in a state of the file, or null when it is not at hand. */
  at(conversationId: number, stamp: string): MessagePositions | null {
    const kept = this.#kept.get(conversationId)
    return kept?.stamp === stamp ? kept.order : null
  }

  /**
   * Reads the present order. Call it inside a snapshot.
   * @param known the messages as they were read for something else
   */
  read(conversationId: number, known: MessageOrder | undefined): MessagePositions {
    const kept = this.#kept.get(conversationId)
    const order = (kept && this.#withAppended(conversationId, kept)) ?? this.#readAgain(conversationId, kept, known)
    return keepRecent(this.#kept, conversationId, order, MAX_KEPT).order
  }

  #withAppended(conversationId: number, kept: KeptOrder): KeptOrder | null {
    if (performance.now() >= kept.recheckAtMs) return null
    const appended = this.#appended.since(kept.table)?.filter((row) => row.conversationId === conversationId)
    const order = appended && orderWith(kept.order, appended)
    return order ? { ...kept, order, stamp: changeStamp(this.#db), table: this.#appended.now() } : null
  }

  #readAgain(conversationId: number, kept: KeptOrder | undefined, known: MessageOrder | undefined): KeptOrder {
    const startedMs = performance.now()
    const numbered = this.#hasUniqueSeqs ? NumberedPositions.read(this.#db, conversationId) : null
    const before = kept?.order instanceof MessageOrder ? kept.order : known
    const order = numbered ?? readOrder(this.#db, conversationId, before)
    const recheckAtMs = nextRecheckMs(this.#db, startedMs)
    return { stamp: changeStamp(this.#db), order, table: this.#appended.now(), recheckAtMs }
  }
}
