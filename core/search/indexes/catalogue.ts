import { firstAtLeast } from '#core/binary-search.ts'

/** The sort key of a hit in the order of time: hits of one time are ordered by corpus, then by row. */
export type TimeKey = { readonly time: number; readonly corpus: number; readonly row: number }

/**
 * What is known of the rows of a corpus without their texts: enough to filter and to order hits. Columns ascend by row,
 * and an *index* is an index of these columns. A row takes about 32 bytes.
 */
export class Catalogue {
  readonly rows: Float64Array
  readonly conversationIds: Float64Array
  /** The role code of a message, or the depth of a summary. */
  readonly groups: Int32Array
  /** The time of each row, or −Infinity where the file has none. */
  readonly times: Float64Array
  /** The tokens of each row, or 0 where the file does not say. */
  readonly tokens: Int32Array
  #byTime: Int32Array | null | undefined
  #neighbours: Neighbours | undefined
  #all: Int32Array | undefined
  #places: TimePlaces | undefined

  constructor(columns: CatalogueColumns) {
    this.rows = columns.rows
    this.conversationIds = columns.conversationIds
    this.groups = columns.groups
    this.times = columns.times
    this.tokens = columns.tokens
  }

  get length(): number {
    return this.rows.length
  }

  /** All indexes. */
  get all(): Int32Array {
    if (!this.#all) {
      this.#all = new Int32Array(this.length)
      for (let index = 0; index < this.length; index += 1) this.#all[index] = index
    }
    return this.#all
  }

  /** Returns −1 when there is no such row. */
  indexOf(row: number): number {
    const first = this.rows[0] ?? 0
    // Row numbers mostly have no gaps.
    if (this.rows[row - first] === row) return row - first
    const at = firstAtLeast(this.rows, row)
    return this.rows[at] === row ? at : -1
  }

  /** Returns the indexes of those rows that are in the catalogue. Rows and indexes ascend. */
  indexesOf(rows: Float64Array): Int32Array {
    const indexes = new Int32Array(rows.length)
    let count = 0
    for (let at = 0; at < rows.length; at += 1) {
      const index = this.indexOf(rows[at] as number)
      if (index < 0) continue
      indexes[count] = index
      count += 1
    }
    return indexes.subarray(0, count)
  }

  /** The rows before and after each row in its conversation. */
  get neighbours(): Neighbours {
    this.#neighbours ??= neighboursIn(this.conversationIds)
    return this.#neighbours
  }

  /** All indexes in the order of time, and the place of each index in that order. */
  get timeOrder(): TimePlaces {
    if (!this.#places) {
      const indexes = this.#timeOrder() ?? this.all
      const places = new Int32Array(this.length)
      for (let place = 0; place < places.length; place += 1) places[indexes[place] as number] = place
      this.#places = { indexes, places }
    }
    return this.#places
  }

  /** Returns ascending indexes in the order of time. Indexes of one time stay in the order of their rows. */
  inTimeOrder(indexes: Int32Array, isNewestFirst: boolean): Int32Array {
    const oldestFirst = this.#oldestFirst(indexes)
    return isNewestFirst ? oldestFirst.toReversed() : oldestFirst
  }

  #oldestFirst(indexes: Int32Array): Int32Array {
    const byTime = this.#timeOrder()
    if (byTime === null) return indexes
    if (indexes.length === this.length) return byTime
    if (indexes.length < this.length / 32) return indexes.toSorted((a, b) => this.#compare(a, b))
    const wanted = new Uint8Array(this.length)
    for (let at = 0; at < indexes.length; at += 1) wanted[indexes[at] as number] = 1
    const sorted = new Int32Array(indexes.length)
    let count = 0
    for (let at = 0; count < sorted.length; at += 1) {
      const index = byTime[at] as number
      if (wanted[index] === 0) continue
      sorted[count] = index
      count += 1
    }
    return sorted
  }

  /** Returns the indexes ordered by time, then by row, or null in the usual case that times ascend with the rows. */
  #timeOrder(): Int32Array | null {
    if (this.#byTime === undefined) {
      const { times } = this
      const ascends = times.every((time, index) => index === 0 || time >= (times[index - 1] as number))
      this.#byTime = ascends ? null : this.all.toSorted((a, b) => this.#compare(a, b))
    }
    return this.#byTime
  }

  #compare(a: number, b: number): number {
    return compareTimes(this.times[a] as number, this.times[b] as number) || a - b
  }
}

type CatalogueColumns = Pick<Catalogue, 'rows' | 'conversationIds' | 'groups' | 'times' | 'tokens'>

/** By place: the index; and by index: the place. */
type TimePlaces = { readonly indexes: Int32Array; readonly places: Int32Array }

/** By index: the index of the row before and after it in its conversation, or −1. */
type Neighbours = { readonly before: Int32Array; readonly after: Int32Array }

function neighboursIn(conversationIds: Float64Array): Neighbours {
  const before = new Int32Array(conversationIds.length).fill(-1)
  const after = new Int32Array(conversationIds.length).fill(-1)
  const last = new Map<number, number>()
  conversationIds.forEach((conversationId, index) => {
    const previous = last.get(conversationId) ?? -1
    before[index] = previous
    if (previous >= 0) after[previous] = index
    last.set(conversationId, index)
  })
  return { before, after }
}

/** Compares two sort keys, the older hit first. */
export const compareTimeKeys = (a: TimeKey, b: TimeKey): number =>
  compareTimes(a.time, b.time) || a.corpus - b.corpus || a.row - b.row

/** The equality is tested first because −Infinity minus itself is not a number. */
export const compareTimes = (a: number, b: number): number => (a === b ? 0 : a - b)

/** Collects the entries of a catalogue in any order. */
export class CatalogueBuilder {
  length = 0
  #rows: Float64Array
  #conversationIds: Float64Array
  #groups: Int32Array
  #times: Float64Array
  #tokens: Int32Array

  /** @param before the catalogue to which entries are added */
  constructor(before: Catalogue | null, expected: number) {
    const capacity = (before?.length ?? 0) + expected
    this.#rows = grown(before?.rows, new Float64Array(capacity))
    this.#conversationIds = grown(before?.conversationIds, new Float64Array(capacity))
    this.#groups = grown(before?.groups, new Int32Array(capacity))
    this.#times = grown(before?.times, new Float64Array(capacity))
    this.#tokens = grown(before?.tokens, new Int32Array(capacity))
    this.length = before?.length ?? 0
  }

  add(row: number, conversationId: number, group: number, atMs: number | null, tokens: number | null): void {
    if (this.length === this.#rows.length) {
      const capacity = this.length + Math.max(1024, this.length >> 2)
      this.#rows = grown(this.#rows, new Float64Array(capacity))
      this.#conversationIds = grown(this.#conversationIds, new Float64Array(capacity))
      this.#groups = grown(this.#groups, new Int32Array(capacity))
      this.#times = grown(this.#times, new Float64Array(capacity))
      this.#tokens = grown(this.#tokens, new Int32Array(capacity))
    }
    this.#rows[this.length] = row
    this.#conversationIds[this.length] = conversationId
    this.#groups[this.length] = group
    this.#times[this.length] = atMs ?? Number.NEGATIVE_INFINITY
    this.#tokens[this.length] = Math.max(0, tokens ?? 0)
    this.length += 1
  }

  build(): Catalogue {
    const rows = this.#rows.subarray(0, this.length)
    const conversationIds = this.#conversationIds.subarray(0, this.length)
    const groups = this.#groups.subarray(0, this.length)
    const times = this.#times.subarray(0, this.length)
    const tokens = this.#tokens.subarray(0, this.length)
    const ascends = rows.every((row, index) => index === 0 || row > (rows[index - 1] as number))
    if (ascends) return new Catalogue({ rows, conversationIds, groups, times, tokens })
    const order = Int32Array.from(rows.keys()).sort((a, b) => (rows[a] as number) - (rows[b] as number))
    return new Catalogue({
      rows: Float64Array.from(order, (index) => rows[index] as number),
      conversationIds: Float64Array.from(order, (index) => conversationIds[index] as number),
      groups: Int32Array.from(order, (index) => groups[index] as number),
      times: Float64Array.from(order, (index) => times[index] as number),
      tokens: Int32Array.from(order, (index) => tokens[index] as number),
    })
  }
}

function grown<Column extends Float64Array | Int32Array>(from: Column | undefined, to: Column): Column {
  if (from) to.set(from)
  return to
}
