import { steadyClock } from './message-clock.ts'
import { MessageOrder } from './message-order.ts'

export type HistoryColumns = {
  readonly messageIds: Float64Array
  readonly seqs: Float64Array
  /** Index into ROLES. */
  readonly roleCodes: Uint8Array
  /** As stored, milliseconds; NaN where the file has none. */
  readonly createdAtMs: Float64Array
  /** One longer than the others: tokens of all messages before a rank. */
  readonly tokensBefore: Float64Array
  /** Every role is a known one and no count of tokens is below 0: what is added up here is what SQL adds up. */
  readonly isPlain: boolean
}

/** The messages of one conversation in columns, each indexed by rank. About 33 bytes a message. */
export class History extends MessageOrder {
  readonly roleCodes: Uint8Array
  readonly createdAtMs: Float64Array
  readonly tokensBefore: Float64Array
  readonly isPlain: boolean
  #clock: Float64Array | undefined

  constructor(conversationId: number, columns: HistoryColumns) {
    super(conversationId, columns)
    this.isPlain = columns.isPlain
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
}

/** Index of the first value above a limit, in values that never decrease. */
export function firstAbove(values: Float64Array, limit: number): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((values[middle] as number) > limit) high = middle
    else low = middle + 1
  }
  return low
}
