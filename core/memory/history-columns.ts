import type { HistoryColumns } from './history.ts'

/** A message without its text. `role` is an index into ROLES, or OTHER_ROLE. */
export type HistoryRow = [
  messageId: number,
  seq: number,
  tokens: number | null,
  role: number,
  createdAtMs: number | null,
]

/** Of a role that is none of ROLES; one digit. Such a message is shown as one of the system. */
export const OTHER_ROLE = 9

/** Many messages in a few values: each column as its numbers in decimal with commas between, roles as digits. */
export type PackedRows = readonly [
  count: number,
  messageIds: string | null,
  seqs: string | null,
  tokens: string | null,
  roles: string | null,
  createdAtMs: string | null,
]

/** What tells an appended conversation from a rewritten one. */
export type Extent = { readonly length: number; readonly tokens: number; readonly ordered: number }

/** Enough to notice that messages changed places; small enough that the sum over a million messages is exact. */
export const ORDER_MODULUS = 251

/** Growing columns. Views that were handed out stay valid: what is there is never changed, only added to. */
export class GrowingColumns {
  length = 0
  /** As SQL adds it up; a negative count of tokens in a damaged file is 0 in the history. */
  #tokens = 0
  #ordered = 0
  #isPlain = true
  #messageIds: Float64Array<ArrayBuffer>
  #seqs: Float64Array<ArrayBuffer>
  #roleCodes: Uint8Array<ArrayBuffer>
  #createdAtMs: Float64Array<ArrayBuffer>
  #tokensBefore: Float64Array<ArrayBuffer>

  constructor(capacity: number) {
    this.#messageIds = new Float64Array(capacity)
    this.#seqs = new Float64Array(capacity)
    this.#roleCodes = new Uint8Array(capacity)
    this.#createdAtMs = new Float64Array(capacity)
    this.#tokensBefore = new Float64Array(capacity + 1)
  }

  /** −Infinity while there is none. */
  get lastSeq(): number {
    return this.#seqs[this.length - 1] ?? Number.NEGATIVE_INFINITY
  }

  get extent(): Extent {
    return { length: this.length, tokens: this.#tokens, ordered: this.#ordered }
  }

  append(rows: Iterable<HistoryRow>): void {
    for (const [messageId, seq, tokens, role, createdAtMs] of rows) {
      if (this.length === this.#messageIds.length) this.#grow(1)
      this.#messageIds[this.length] = messageId
      this.#seqs[this.length] = seq
      this.#roleCodes[this.length] = this.#known(role)
      this.#createdAtMs[this.length] = createdAtMs ?? Number.NaN
      this.#add(tokens ?? 0)
    }
  }

  /**
   * Appends many rows at half the cost of one by one. Of `limit` rows, those of the last seq are left out, since there
   * may be more of them. False when something is there that is no plain number, or nothing could be appended: then
   * nothing was.
   */
  appendPacked([count, messageIds, seqs, tokens, roles, createdAtMs]: PackedRows, limit: number): boolean {
    const first = this.length
    if (first + count > this.#messageIds.length) this.#grow(count)
    const counts = new Float64Array(count)
    const isPlain =
      roles?.length === count &&
      unpack(messageIds, this.#messageIds, first, count) &&
      unpack(seqs, this.#seqs, first, count) &&
      unpack(tokens, counts, 0, count) &&
      unpack(createdAtMs, this.#createdAtMs, first, count)
    if (!isPlain) return false
    const last = this.#seqs[first + count - 1]
    let end = count
    if (count === limit) while (end > 0 && this.#seqs[first + end - 1] === last) end -= 1
    for (let place = 0; place < end; place += 1) {
      this.#roleCodes[first + place] = this.#known(roles.charCodeAt(place) - ZERO)
      this.#add(counts[place] as number)
    }
    return end > 0
  }

  view(): HistoryColumns {
    const end = this.length
    return {
      messageIds: this.#messageIds.subarray(0, end),
      seqs: this.#seqs.subarray(0, end),
      roleCodes: this.#roleCodes.subarray(0, end),
      createdAtMs: this.#createdAtMs.subarray(0, end),
      tokensBefore: this.#tokensBefore.subarray(0, end + 1),
      isPlain: this.#isPlain,
    }
  }

  #known(role: number): number {
    if (role !== OTHER_ROLE) return role
    this.#isPlain = false
    return 0
  }

  /** Completes the row at the end, whose other columns are set. */
  #add(tokens: number): void {
    const rank = this.length
    this.#tokensBefore[rank + 1] = (this.#tokensBefore[rank] as number) + Math.max(0, tokens)
    this.#tokens += tokens
    if (tokens < 0) this.#isPlain = false
    this.#ordered += ((this.#messageIds[rank] as number) % ORDER_MODULUS) * (this.#seqs[rank] as number)
    this.length += 1
  }

  #grow(by: number): void {
    const capacity = this.length + Math.max(by, 1024, this.length >> 3)
    const grown = (from: Float64Array, length: number): Float64Array<ArrayBuffer> => {
      const to = new Float64Array(length)
      to.set(from)
      return to
    }
    const roleCodes = new Uint8Array(capacity)
    roleCodes.set(this.#roleCodes)
    this.#roleCodes = roleCodes
    this.#messageIds = grown(this.#messageIds, capacity)
    this.#seqs = grown(this.#seqs, capacity)
    this.#createdAtMs = grown(this.#createdAtMs, capacity)
    this.#tokensBefore = grown(this.#tokensBefore, capacity + 1)
  }
}

const ZERO = 48
const COMMA = 44

/** Writes `count` numbers that stand in a text with commas between; false when the text is not exactly as many whole numbers from 0. */
export function unpack(text: string | null, into: Float64Array, first: number, count: number): boolean {
  if (text === null) return count === 0
  let place = first
  let value = 0
  let digits = 0
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    if (unit >= ZERO && unit < ZERO + 10) {
      value = value * 10 + unit - ZERO
      digits += 1
    } else if (unit === COMMA && digits > 0 && place < first + count) {
      into[place] = value
      place += 1
      value = 0
      digits = 0
    } else {
      return false
    }
  }
  if (digits === 0 || place !== first + count - 1) return false
  into[place] = value
  return true
}
