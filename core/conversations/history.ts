import { steadyClock } from './message-clock.ts'

export type HistoryColumns = {
  readonly messageIds: Float64Array
  readonly seqs: Float64Array
  /** Index into ROLES. */
  readonly roleCodes: Uint8Array
  /** As stored, milliseconds; NaN where the file has none. */
  readonly createdAtMs: Float64Array
  /** One longer than the others: tokens of all messages before a rank. */
  readonly tokensBefore: Float64Array
}

/**
 * The messages of one conversation in columns. A *rank* is the 0-based place of a message by seq; every column is
 * indexed by it. About 33 bytes a message.
 */
export class History {
  readonly conversationId: number
  readonly length: number
  readonly messageIds: Float64Array
  readonly seqs: Float64Array
  readonly roleCodes: Uint8Array
  readonly createdAtMs: Float64Array
  readonly tokensBefore: Float64Array
  #ranksById: Int32Array | null | undefined
  #clock: Float64Array | undefined

  constructor(conversationId: number, columns: HistoryColumns) {
    this.conversationId = conversationId
    this.length = columns.messageIds.length
    this.messageIds = columns.messageIds
    this.seqs = columns.seqs
    this.roleCodes = columns.roleCodes
    this.createdAtMs = columns.createdAtMs
    this.tokensBefore = columns.tokensBefore
  }

  get totalTokens(): number {
    return this.tokensBefore[this.length] ?? 0
  }

  tokensAt(rank: number): number {
    return (this.tokensBefore[rank + 1] ?? 0) - (this.tokensBefore[rank] ?? 0)
  }

  /** Rank of a message number, or −1 when it is not in this conversation. */
  rankOf(messageId: number): number {
    const order = this.#idOrder()
    // Message numbers are mostly dense.
    const guess = messageId - (this.messageIds[0] ?? 0)
    if (order === null && this.messageIds[guess] === messageId) return guess
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.messageIds[order ? (order[middle] as number) : middle] as number) < messageId) low = middle + 1
      else high = middle
    }
    const rank = order ? (order[low] ?? -1) : low
    return this.messageIds[rank] === messageId ? rank : -1
  }

  /** Times that never decrease with the rank (see `steadyClock`). */
  get clockMs(): Float64Array {
    this.#clock ??= steadyClock(this.createdAtMs)
    return this.#clock
  }

  /** First rank at or after a time by the steady clock; `length` when there is none. */
  rankAtTime(atMs: number): number {
    const clock = this.clockMs
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((clock[middle] as number) < atMs) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Ranks ordered by message number; null in the usual case that both orders are the same. */
  #idOrder(): Int32Array | null {
    if (this.#ranksById === undefined) {
      const ids = this.messageIds
      const ascends = ids.every((id, rank) => rank === 0 || id > (ids[rank - 1] as number))
      this.#ranksById = ascends
        ? null
        : Int32Array.from(ids.keys()).sort((a, b) => (ids[a] as number) - (ids[b] as number))
    }
    return this.#ranksById
  }
}
