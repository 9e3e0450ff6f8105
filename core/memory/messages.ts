import { firstAtLeast } from '../binary-search.ts'
import { ROLES } from '../contract/lists.ts'
import { steadyClock } from './message-clock.ts'
import type { PositionRanges } from './position-ranges.ts'

/**
 * The code of a role that is not in ROLES. It has one digit, so that the roles of many messages can be read as one
 * text.
 */
export const OTHER_ROLE = 9

const SYSTEM = ROLES.indexOf('system')

/** The messages of one conversation: the positions `from` (inclusive) to `to` (exclusive). */
export type MessageRange = { readonly conversationId: number; readonly from: number; readonly to: number }

/**
 * The messages that exist, in columns that never change: those of one conversation in the order of their seq, or those
 * of all conversations, one conversation after the other. A *position* is an index of these columns. A message takes 16
 * bytes.
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

  /** The conversation of these messages, if they are those of one conversation. */
  get conversationId(): number {
    return this.ranges[0]?.conversationId ?? Number.NaN
  }

  /** Returns the ids of up to `count` messages from a position on. */
  idsFrom(position: number, count: number): number[] {
    return Array.from(this.ids.subarray(position, position + count))
  }

  /** Returns the position of a message, or −1. */
  positionOf(id: number): number {
    this.#positions ??= indexOfIds(this.ids)
    return this.#positions(id)
  }

  /** Returns the conversation of the message at a position. */
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

/** Which message stands at which position. */
export type MessagePositions = Pick<MessageOrder, 'length' | 'idsFrom' | 'positionOf'>

type Columns = Pick<
  Messages,
  'ids' | 'seqs' | 'tokens' | 'roles' | 'createdAtMs' | 'tokensBefore' | 'ranges' | 'isPlain'
>

/** Messages without their texts. NaN stands for a value that is no number. A message takes 41 bytes. */
export class Messages extends MessageOrder {
  /** The token counts as they are stored. */
  readonly tokens: Float64Array
  /** Indexes of ROLES, or OTHER_ROLE. */
  readonly roles: Uint8Array
  /** The times as they are stored, in milliseconds. */
  readonly createdAtMs: Float64Array
  /**
   * The tokens of all messages before a position; a count below 0 adds nothing. This column is one longer than the
   * others.
   */
  readonly tokensBefore: Float64Array
  /** True when every role is known and no count is below 0. Then sums over these columns equal the sums of SQL. */
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

  /** Returns an index of ROLES. A message of another role is shown as one of the system. */
  roleAt(position: number): number {
    const role = this.roles[position] as number
    return role === OTHER_ROLE ? SYSTEM : role
  }

  /** Returns the tokens of a message, or 0 when its count is no number or is below 0. */
  tokensAt(position: number): number {
    return (this.tokensBefore[position + 1] ?? 0) - (this.tokensBefore[position] ?? 0)
  }

  /** Returns the row numbers of the messages at some positions. */
  idsIn(ranges: PositionRanges): number[] {
    const ids: number[] = []
    for (let end = 0; end < ranges.length; end += 2) {
      for (const id of this.ids.subarray(ranges[end], ranges[end + 1])) ids.push(id)
    }
    return ids
  }

  /** Returns the sum of the tokens of the messages at some positions. */
  tokensIn(ranges: PositionRanges): number {
    let tokens = 0
    for (let end = 0; end < ranges.length; end += 2) {
      const [from, to] = [ranges[end] as number, ranges[end + 1] as number]
      tokens += (this.tokensBefore[to] as number) - (this.tokensBefore[from] as number)
    }
    return tokens
  }

  /** Times of the messages of one conversation, adjusted so that they never decrease (see `steadyClock`). */
  get clockMs(): Float64Array {
    this.#clock ??= steadyClock(this.createdAtMs)
    return this.#clock
  }

  /** Returns the first position at or after a time by the adjusted clock, or `length` when there is none. */
  positionAtTime(atMs: number): number {
    return firstAtLeast(this.clockMs, atMs)
  }
}

type IdIndex = (id: number) => number

/** Row numbers mostly ascend or have no gaps, so both cases need no table. */
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

/** @param order positions in the order of the row numbers, or null when the row numbers ascend */
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
