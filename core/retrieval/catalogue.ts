import { placeOf } from './row-set.ts'

/**
 * What is known of the rows of a corpus without reading their text: enough to filter and to order hits. Columns ascend
 * by row; an *index* is a place in them. About 28 bytes a row.
 */
export class Catalogue {
  readonly rows: Float64Array
  readonly conversationIds: Float64Array
  /** Role code of a message, depth of a summary, 0 of a file. */
  readonly groups: Int32Array
  /** −Infinity where the file has no time. */
  readonly times: Float64Array
  #byTime: Int32Array | null | undefined

  constructor(columns: Pick<Catalogue, 'rows' | 'conversationIds' | 'groups' | 'times'>) {
    this.rows = columns.rows
    this.conversationIds = columns.conversationIds
    this.groups = columns.groups
    this.times = columns.times
  }

  get length(): number {
    return this.rows.length
  }

  /** −1 when there is no such row. */
  indexOf(row: number): number {
    const first = this.rows[0] ?? 0
    // Row numbers are mostly dense.
    if (this.rows[row - first] === row) return row - first
    const place = placeOf(this.rows, row)
    return this.rows[place] === row ? place : -1
  }

  /** Indexes of those of the rows that are here; both ascend. */
  indexesOf(rows: Float64Array): Int32Array {
    const indexes = new Int32Array(rows.length)
    let count = 0
    for (const row of rows) {
      const index = this.indexOf(row)
      if (index < 0) continue
      indexes[count] = index
      count += 1
    }
    return indexes.subarray(0, count)
  }

  /** The same indexes from the newest to the oldest; those of one time by row. */
  newestFirst(indexes: Int32Array): Int32Array {
    const byTime = this.#timeOrder()
    if (byTime === null) return indexes.slice().reverse()
    const found = new Uint8Array(this.length)
    for (const index of indexes) found[index] = 1
    const sorted = new Int32Array(indexes.length)
    let count = 0
    for (let place = byTime.length - 1; place >= 0; place -= 1) {
      const index = byTime[place] as number
      if (found[index] === 0) continue
      sorted[count] = index
      count += 1
    }
    return sorted
  }

  /** Indexes ordered by time, then row; null in the usual case that rows ascend with time. */
  #timeOrder(): Int32Array | null {
    if (this.#byTime === undefined) {
      const { times } = this
      const ascends = times.every((time, index) => index === 0 || time >= (times[index - 1] as number))
      this.#byTime = ascends
        ? null
        : Int32Array.from(times.keys()).sort((a, b) => compareTimes(times[a] as number, times[b] as number) || a - b)
    }
    return this.#byTime
  }
}

/** −Infinity minus itself is no number. */
const compareTimes = (a: number, b: number): number => (a === b ? 0 : a - b)

/** Collects entries in any order. */
export class CatalogueBuilder {
  length = 0
  #rows: Float64Array
  #conversationIds: Float64Array
  #groups: Int32Array
  #times: Float64Array

  /** @param before what is added to */
  constructor(before: Catalogue | null, expected: number) {
    const capacity = (before?.length ?? 0) + expected
    this.#rows = grown(before?.rows, new Float64Array(capacity))
    this.#conversationIds = grown(before?.conversationIds, new Float64Array(capacity))
    this.#groups = grown(before?.groups, new Int32Array(capacity))
    this.#times = grown(before?.times, new Float64Array(capacity))
    this.length = before?.length ?? 0
  }

  add(row: number, conversationId: number, group: number, atMs: number | null): void {
    if (this.length === this.#rows.length) {
      const capacity = this.length + Math.max(1024, this.length >> 2)
      this.#rows = grown(this.#rows, new Float64Array(capacity))
      this.#conversationIds = grown(this.#conversationIds, new Float64Array(capacity))
      this.#groups = grown(this.#groups, new Int32Array(capacity))
      this.#times = grown(this.#times, new Float64Array(capacity))
    }
    this.#rows[this.length] = row
    this.#conversationIds[this.length] = conversationId
    this.#groups[this.length] = group
    this.#times[this.length] = atMs ?? Number.NEGATIVE_INFINITY
    this.length += 1
  }

  build(): Catalogue {
    const rows = this.#rows.subarray(0, this.length)
    const conversationIds = this.#conversationIds.subarray(0, this.length)
    const groups = this.#groups.subarray(0, this.length)
    const times = this.#times.subarray(0, this.length)
    const ascends = rows.every((row, index) => index === 0 || row > (rows[index - 1] as number))
    if (ascends) return new Catalogue({ rows, conversationIds, groups, times })
    const order = Int32Array.from(rows.keys()).sort((a, b) => (rows[a] as number) - (rows[b] as number))
    return new Catalogue({
      rows: Float64Array.from(order, (index) => rows[index] as number),
      conversationIds: Float64Array.from(order, (index) => conversationIds[index] as number),
      groups: Int32Array.from(order, (index) => groups[index] as number),
      times: Float64Array.from(order, (index) => times[index] as number),
    })
  }
}

function grown<Column extends Float64Array | Int32Array>(from: Column | undefined, to: Column): Column {
  if (from) to.set(from)
  return to
}
