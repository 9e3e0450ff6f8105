import { Messages, OTHER_ROLE } from './messages.ts'
import { grown, unpackInto } from './packed-numbers.ts'

/** A message without its text. In a damaged file any value may be of any type. `role` indexes ROLES, or is OTHER_ROLE. */
export type MessageRow = readonly [id: unknown, seq: unknown, tokens: unknown, role: number, createdAtMs: unknown]

/**
 * Many messages in a few values. Each column is one text of decimal numbers with commas between them; roles are one
 * digit each.
 */
export type PackedMessages = readonly [
  count: number,
  ids: string | null,
  seqs: string | null,
  tokens: string | null,
  roles: string | null,
  createdAtMs: string | null,
]

/** Sums that distinguish a conversation to which messages were appended from one that was rewritten. */
export type MessageSums = { readonly length: number; readonly tokens: number; readonly ordered: number }

/**
 * Large enough to notice that messages changed places, and small enough that the sum over a million messages is exact.
 */
export const ORDER_MODULUS = 251

/** Returns the sum by which the order of messages in some positions is compared. */
export function sumOfOrder(ids: Float64Array, seqs: Float64Array, from: number, to: number): number {
  let sum = 0
  for (let position = from; position < to; position += 1) {
    sum += ((ids[position] as number) % ORDER_MODULUS) * (seqs[position] as number)
  }
  return sum
}

/**
 * Columns of messages that grow. What is in them is never changed, so `Messages` that were made from them stay valid.
 */
export class GrowingMessages {
  length = 0
  readonly #ranges: { conversationId: number; from: number; to: number }[] = []
  /** The sum of the stored token counts as SQL computes it, to be compared with the file. */
  #sumOfTokens = 0
  #sumOfOrder = 0
  #isPlain = true
  #ids: Float64Array
  #seqs: Float64Array
  #tokens: Float64Array
  #roles: Uint8Array
  #createdAtMs: Float64Array
  #tokensBefore: Float64Array

  constructor(capacity: number) {
    this.#ids = new Float64Array(capacity)
    this.#seqs = new Float64Array(capacity)
    this.#tokens = new Float64Array(capacity)
    this.#roles = new Uint8Array(capacity)
    this.#createdAtMs = new Float64Array(capacity)
    this.#tokensBefore = new Float64Array(capacity + 1)
  }

  /** Begins a conversation. Messages that are appended from now on belong to it. */
  begin(conversationId: number): this {
    this.#ranges.push({ conversationId, from: this.length, to: this.length })
    return this
  }

  /** Removes the messages that were appended since `begin`. */
  clearConversation(): void {
    const last = this.#ranges.at(-1)
    if (!last) return
    this.length = last.from
    last.to = last.from
  }

  /** The seq of the last message of the conversation, or −Infinity while there is none. */
  get lastSeq(): number {
    const last = this.#ranges.at(-1)
    return last && last.to > last.from ? (this.#seqs[this.length - 1] as number) : Number.NEGATIVE_INFINITY
  }

  get sums(): MessageSums {
    return { length: this.length, tokens: this.#sumOfTokens, ordered: this.#sumOfOrder }
  }

  append(rows: Iterable<MessageRow>): void {
    for (const [id, seq, tokens, role, createdAtMs] of rows) {
      if (this.length === this.#ids.length) this.#grow(1)
      this.#ids[this.length] = numberOf(id)
      this.#seqs[this.length] = numberOf(seq)
      this.#tokens[this.length] = numberOf(tokens)
      this.#roles[this.length] = role
      this.#createdAtMs[this.length] = numberOf(createdAtMs)
      this.#complete()
    }
  }

  /**
   * Appends many rows in half the time that single rows take. When all `limit` rows came, those with the last seq are
   * left out, because there may be more of them. Returns false and appends nothing when a value is no whole number or
   * no row would remain.
   */
  appendPacked([count, ids, seqs, tokens, roles, createdAtMs]: PackedMessages, limit: number): boolean {
    const first = this.length
    if (first + count > this.#ids.length) this.#grow(count)
    const isWhole = (text: string | null, into: Float64Array): boolean =>
      unpackInto(text ?? '', into.subarray(0, first + count), first) === count
    if (roles?.length !== count || !isWhole(ids, this.#ids) || !isWhole(seqs, this.#seqs)) return false
    if (!isWhole(tokens, this.#tokens) || !isWhole(createdAtMs, this.#createdAtMs)) return false
    const last = this.#seqs[first + count - 1]
    let end = count
    if (count === limit) while (end > 0 && this.#seqs[first + end - 1] === last) end -= 1
    for (let index = 0; index < end; index += 1) {
      this.#roles[this.length] = roles.charCodeAt(index) - ZERO
      this.#complete()
    }
    return end > 0
  }

  view(): Messages {
    const end = this.length
    return new Messages({
      ids: this.#ids.subarray(0, end),
      seqs: this.#seqs.subarray(0, end),
      tokens: this.#tokens.subarray(0, end),
      roles: this.#roles.subarray(0, end),
      createdAtMs: this.#createdAtMs.subarray(0, end),
      tokensBefore: this.#tokensBefore.subarray(0, end + 1),
      ranges: this.#ranges.map((range) => ({ ...range })),
      isPlain: this.#isPlain,
    })
  }

  /** Counts the row at the end, whose columns have been set. */
  #complete(): void {
    const position = this.length
    const tokens = this.#tokens[position] as number
    this.#tokensBefore[position + 1] = (this.#tokensBefore[position] as number) + (tokens > 0 ? tokens : 0)
    if (!Number.isNaN(tokens)) this.#sumOfTokens += tokens
    this.#sumOfOrder += sumOfOrder(this.#ids, this.#seqs, position, position + 1)
    if (tokens < 0 || this.#roles[position] === OTHER_ROLE) this.#isPlain = false
    this.length += 1
    const range = this.#ranges.at(-1)
    if (range) range.to = this.length
  }

  #grow(by: number): void {
    const capacity = this.length + Math.max(by, 1024, this.length >> 3)
    this.#ids = grown(this.#ids, capacity)
    this.#seqs = grown(this.#seqs, capacity)
    this.#tokens = grown(this.#tokens, capacity)
    this.#roles = grown(this.#roles, capacity)
    this.#createdAtMs = grown(this.#createdAtMs, capacity)
    this.#tokensBefore = grown(this.#tokensBefore, capacity + 1)
  }
}

const ZERO = 48

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN)
