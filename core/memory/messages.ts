import { ROLES } from '../contract/lists.ts'
import { steadyClock } from './message-clock.ts'
import { grown, unpackInto } from './packed-numbers.ts'

/** Code of a role that is none of ROLES. It is one digit, so that the roles of many messages can be read as one text. */
export const OTHER_ROLE = 9

const SYSTEM = ROLES.indexOf('system')

/** A message without its text. In a damaged file any value may be of any type. `role` indexes ROLES, or is OTHER_ROLE. */
export type MessageRow = readonly [id: unknown, seq: unknown, tokens: unknown, role: number, createdAtMs: unknown]

/** Many messages in a few values: each column as its numbers in decimal with commas between, roles as digits. */
export type PackedMessages = readonly [
  count: number,
  ids: string | null,
  seqs: string | null,
  tokens: string | null,
  roles: string | null,
  createdAtMs: string | null,
]

/** The messages of one conversation: the positions `from` (inclusive) to `to` (exclusive). */
export type MessageRange = { readonly conversationId: number; readonly from: number; readonly to: number }

/** What tells a conversation to which messages were appended from one that was rewritten. */
export type MessageSums = { readonly length: number; readonly tokens: number; readonly ordered: number }

/** Large enough to notice that messages changed places; small enough that the sum over a million messages is exact. */
export const ORDER_MODULUS = 251

/**
 * Which messages there are, in columns that never change: those of one conversation in the order of their sequence, or
 * those of all conversations, one after the other. A *position* is an index of these columns. 16 bytes a message.
 */
export class MessageOrder {
  readonly length: number
  readonly ids: Float64Array
  readonly seqs: Float64Array
  readonly ranges: readonly MessageRange[]
  #positions: IdIndex | undefined

  constructor(columns: Pick<MessageOrder, 'ids' | 'seqs' | 'ranges'>) {
    this.length = columns.ids.length
    this.ids = columns.ids
    this.seqs = columns.seqs
    this.ranges = columns.ranges
  }

  /** Of messages of one conversation. */
  get conversationId(): number {
    return this.ranges[0]?.conversationId ?? Number.NaN
  }

  /** The position of a message, or −1. */
  positionOf(id: number): number {
    this.#positions ??= indexOfIds(this.ids)
    return this.#positions(id)
  }

  /** The conversation of the message at a position. */
  conversationAt(position: number): number {
    let low = 0
    let high = this.ranges.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.ranges[middle] as MessageRange).to <= position) low = middle + 1
      else high = middle
    }
    return this.ranges[low]?.conversationId ?? Number.NaN
  }
}

type Columns = Pick<
  Messages,
  'ids' | 'seqs' | 'tokens' | 'roles' | 'createdAtMs' | 'tokensBefore' | 'ranges' | 'isPlain'
>

/** Messages without their texts. NaN stands for what is no number. 41 bytes a message. */
export class Messages extends MessageOrder {
  /** As stored. */
  readonly tokens: Float64Array
  /** Indexes of ROLES, or OTHER_ROLE. */
  readonly roles: Uint8Array
  /** As stored, in milliseconds. */
  readonly createdAtMs: Float64Array
  /** One longer than the others: tokens of all messages before a position; a count below 0 adds nothing. */
  readonly tokensBefore: Float64Array
  /** Every role is known and no count is below 0: what is added up here is what SQL adds up. */
  readonly isPlain: boolean
  #clock: Float64Array | undefined

  constructor(columns: Columns) {
    super(columns)
    this.tokens = columns.tokens
    this.roles = columns.roles
    this.createdAtMs = columns.createdAtMs
    this.tokensBefore = columns.tokensBefore
    this.isPlain = columns.isPlain
  }

  get totalTokens(): number {
    return this.tokensBefore[this.length] ?? 0
  }

  /** Index of ROLES. A message of another role is shown as one of the system. */
  roleAt(position: number): number {
    const role = this.roles[position] as number
    return role === OTHER_ROLE ? SYSTEM : role
  }

  /** Tokens that count: 0 for a message that has no number of them, or one below 0. */
  tokensAt(position: number): number {
    return (this.tokensBefore[position + 1] ?? 0) - (this.tokensBefore[position] ?? 0)
  }

  /** Times that never decrease with the position, of messages of one conversation (see `steadyClock`). */
  get clockMs(): Float64Array {
    this.#clock ??= steadyClock(this.createdAtMs)
    return this.#clock
  }

  /** First position at or after a time by the steady clock; `length` when there is none. */
  positionAtTime(atMs: number): number {
    return firstAtLeast(this.clockMs, atMs)
  }
}

/** Index of the first value that is at least a limit, in values that never decrease. */
function firstAtLeast(values: Float64Array, limit: number): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((values[middle] as number) < limit) low = middle + 1
    else high = middle
  }
  return low
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

/** Columns that grow. Messages that were handed out stay valid: what is there is never changed, only added to. */
export class GrowingMessages {
  length = 0
  readonly #ranges: { conversationId: number; from: number; to: number }[] = []
  /** As SQL adds them up. */
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

  /** What is appended from now on belongs to this conversation. */
  begin(conversationId: number): this {
    this.#ranges.push({ conversationId, from: this.length, to: this.length })
    return this
  }

  /** Takes back what was appended since `begin`. */
  clearConversation(): void {
    const last = this.#ranges.at(-1)
    if (!last) return
    this.length = last.from
    last.to = last.from
  }

  /** Of the last message of the conversation; −Infinity while there is none. */
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
   * Appends many rows at half the cost of one by one. Of `limit` rows those of the last seq are left out, since there may
   * be more of them. Appends nothing and returns false when a value is no whole number, or nothing would be left.
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

  /** Counts the row at the end, whose columns are set. */
  #complete(): void {
    const position = this.length
    const tokens = this.#tokens[position] as number
    this.#tokensBefore[position + 1] = (this.#tokensBefore[position] as number) + (tokens > 0 ? tokens : 0)
    if (!Number.isNaN(tokens)) this.#sumOfTokens += tokens
    this.#sumOfOrder += ((this.#ids[position] as number) % ORDER_MODULUS) * (this.#seqs[position] as number)
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

type IdIndex = (id: number) => number

/** Numbers mostly ascend, or are dense. */
function indexOfIds(ids: Float64Array): IdIndex {
  if (ascends(ids)) return searchIn(ids, null)
  let largest = 0
  let isDense = true
  for (let position = 0; position < ids.length; position += 1) {
    const id = ids[position] as number
    if (id > largest) largest = id
    else if (!(id >= 0)) isDense = false
  }
  if (isDense && largest < 4 * ids.length + 65_536) {
    const positions = new Int32Array(largest + 1)
    for (let position = 0; position < ids.length; position += 1) positions[ids[position] as number] = position + 1
    return (id) => (positions[id] ?? 0) - 1
  }
  return searchIn(
    ids,
    Int32Array.from(ids.keys()).sort((a, b) => (ids[a] as number) - (ids[b] as number)),
  )
}

/** @param order positions in the order of the numbers; null when they ascend */
function searchIn(ids: Float64Array, order: Int32Array | null): IdIndex {
  const first = ids[0] ?? 0
  return (id) => {
    if (order === null && ids[id - first] === id) return id - first
    let low = 0
    let high = ids.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ids[order ? (order[middle] as number) : middle] as number) < id) low = middle + 1
      else high = middle
    }
    const position = order ? (order[low] ?? -1) : low
    return ids[position] === id ? position : -1
  }
}

function ascends(ids: Float64Array): boolean {
  for (let position = 1; position < ids.length; position += 1) {
    if (!((ids[position] as number) > (ids[position - 1] as number))) return false
  }
  return true
}
