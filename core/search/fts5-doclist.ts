import { UnknownLayout } from './fts5-layout.ts'

/** The rows, ascending, that contain a term, and how often each contains it. */
export type Postings = { readonly rows: Float64Array; readonly counts: Uint16Array }

/** What one segment says of a term. A count of 0 means that the row lost the term after older segments were written. */
export type Doclist = Postings & { readonly hasDeleted: boolean }

const MAX_COUNT = 65_535
const NO_BYTES: Uint8Array = new Uint8Array(0)

/** Reads the rows of a term in the order in which they are stored in the pages of one segment. */
export class DoclistCursor {
  row = 0
  /** How often the term stands in the row, or 1 where the index does not count. */
  count = 0
  /** True when the row was deleted before, so that older segments do not count for it. */
  isDeleted = false
  #bytes = NO_BYTES
  #at = 0
  /** Offsets of row numbers that are stored in full and not as a difference. The last entry is a sentinel. */
  #absolute: number[] = []
  #nextAbsolute = 0
  readonly #hasPositions: boolean

  /** @param hasPositions false for an index with detail = none */
  constructor(hasPositions: boolean) {
    this.#hasPositions = hasPositions
  }

  /** Begins with the rows that follow the term on its page. */
  open(bytes: Uint8Array): void {
    this.#bytes = bytes
    this.#at = 0
    this.#absolute = []
    this.#nextAbsolute = 0
    this.row = 0
  }

  /**
   * Adds the content of later pages.
   * @param pages each with the offset of its first row number, which is negative when the page has none
   */
  extend(pages: readonly { readonly bytes: Uint8Array; readonly firstRow: number }[]): void {
    let length = this.#bytes.length
    for (const { bytes, firstRow } of pages) {
      if (firstRow >= 0 && firstRow < bytes.length) this.#absolute.push(length + firstRow)
      length += bytes.length
    }
    this.#bytes = Buffer.concat([this.#bytes, ...pages.map(({ bytes }) => bytes)])
  }

  /** An upper bound of the number of rows that follow. */
  get most(): number {
    return this.#bytes.length - this.#at
  }

  /**
   * Moves to the next row.
   * @throws UnknownLayout
   */
  next(): boolean {
    const bytes = this.#bytes
    const end = bytes.length
    let at = this.#at
    if (at >= end) return false
    if (this.#absolute[this.#nextAbsolute] === at) {
      this.row = 0
      this.#nextAbsolute += 1
    }
    let byte = bytes[at] as number
    at += 1
    let number = byte & 127
    while (byte > 127) {
      byte = bytes[at] as number
      at += 1
      number = number * 128 + (byte & 127)
    }
    this.row += number
    this.#at = this.#hasPositions ? this.#positions(at) : this.#flags(at)
    if (this.#at > end || !(this.row <= Number.MAX_SAFE_INTEGER)) throw new UnknownLayout('rows do not fit the page')
    return true
  }

  /** Reads twice the length of the positions, plus 1 when the row was deleted before, and then the positions. */
  #positions(from: number): number {
    const bytes = this.#bytes
    let at = from
    let byte = bytes[at] as number
    at += 1
    let size = byte & 127
    while (byte > 127) {
      byte = bytes[at] as number
      at += 1
      size = size * 128 + (byte & 127)
    }
    this.isDeleted = size % 2 === 1
    const end = at + Math.floor(size / 2)
    if (end > bytes.length) throw new UnknownLayout('positions do not fit the page')
    let count = 0
    while (at < end) {
      byte = bytes[at] as number
      at += 1
      // The byte 1 and a column number stand before the positions of that column; every other number is a position.
      if (byte === 1) at += 1
      else count += 1
      while (byte > 127) {
        byte = bytes[at] as number
        at += 1
      }
    }
    this.count = count > MAX_COUNT ? MAX_COUNT : count
    return end
  }

  /** Reads a 0 when the row was deleted before, and another 0 when it contains the term again. */
  #flags(at: number): number {
    const bytes = this.#bytes
    this.isDeleted = at < bytes.length && bytes[at] === 0
    this.count = 1
    if (!this.isDeleted) return at
    if (at + 1 < bytes.length && bytes[at + 1] === 0) return at + 2
    this.count = 0
    return at + 1
  }

  /** Returns all rows that follow. */
  rest(): Doclist {
    return (this.#hasPositions ? null : this.#restWithoutFlags()) ?? this.#restOneByOne()
  }

  /** Reads a list that holds nothing but row numbers, in the fastest way. Returns null for any other list. */
  #restWithoutFlags(): Doclist | null {
    const bytes = this.#bytes
    const end = bytes.length
    const rows = new Float64Array(end - this.#at)
    let length = 0
    let row = 0
    let nextAbsolute = this.#absolute[0] ?? -1
    let passed = 0
    for (let at = this.#at; at < end; ) {
      if (at === nextAbsolute) {
        row = 0
        passed += 1
        nextAbsolute = this.#absolute[passed] ?? -1
      }
      let byte = bytes[at] as number
      // A 0 is a flag here, because no row number can stand here.
      if (byte === 0) return null
      at += 1
      let number = byte & 127
      while (byte > 127) {
        byte = bytes[at] as number
        at += 1
        number = number * 128 + (byte & 127)
      }
      row += number
      rows[length] = row
      length += 1
    }
    if (!(row <= Number.MAX_SAFE_INTEGER)) throw new UnknownLayout('rows do not fit the page')
    this.#at = end
    return { rows: rows.subarray(0, length), counts: new Uint16Array(length).fill(1), hasDeleted: false }
  }

  #restOneByOne(): Doclist {
    const rows = new Float64Array(this.#hasPositions ? (this.most >> 1) + 1 : this.most)
    const counts = new Uint16Array(rows.length)
    let length = 0
    let hasDeleted = false
    for (; this.next(); length += 1) {
      rows[length] = this.row
      counts[length] = this.count
      hasDeleted ||= this.isDeleted
    }
    return { rows: rows.subarray(0, length), counts: counts.subarray(0, length), hasDeleted }
  }
}

const NO_POSTINGS: Postings = { rows: new Float64Array(0), counts: new Uint16Array(0) }

/**
 * Merges what the segments say.
 * @param lists the newest segment first
 */
export function mergedPostings(lists: readonly Doclist[]): Postings {
  const [only] = lists
  if (!only) return NO_POSTINGS
  const ascending = lists.filter(({ rows }) => rows.length > 0).sort((a, b) => firstOf(a) - firstOf(b))
  const isApart = ascending.every((list, i) => i === 0 || lastOf(ascending[i - 1]) < firstOf(list))
  const all = lists.length === 1 ? only : isApart ? joined(ascending) : lists.reduce<Postings>(newerFirst, NO_POSTINGS)
  return lists.some(({ hasDeleted }) => hasDeleted) ? withoutDeleted(all) : all
}

const firstOf = ({ rows }: Postings): number => rows[0] ?? 0
const lastOf = (list: Postings | undefined): number => list?.rows.at(-1) ?? 0

function joined(lists: readonly Postings[]): Postings {
  const length = lists.reduce((sum, { rows }) => sum + rows.length, 0)
  const rows = new Float64Array(length)
  const counts = new Uint16Array(length)
  let at = 0
  for (const list of lists) {
    rows.set(list.rows, at)
    counts.set(list.counts, at)
    at += list.rows.length
  }
  return { rows, counts }
}

function newerFirst(newer: Postings, older: Postings): Postings {
  const rows = new Float64Array(newer.rows.length + older.rows.length)
  const counts = new Uint16Array(rows.length)
  let length = 0
  for (let i = 0, j = 0; i < newer.rows.length || j < older.rows.length; length += 1) {
    const a = newer.rows[i] ?? Number.POSITIVE_INFINITY
    const b = older.rows[j] ?? Number.POSITIVE_INFINITY
    rows[length] = Math.min(a, b)
    counts[length] = (a <= b ? newer.counts[i] : older.counts[j]) as number
    if (a <= b) i += 1
    if (b <= a) j += 1
  }
  return { rows: rows.subarray(0, length), counts: counts.subarray(0, length) }
}

function withoutDeleted({ rows, counts }: Postings): Postings {
  return { rows: rows.filter((_, place) => counts[place] !== 0), counts: counts.filter((count) => count !== 0) }
}

/** There is room for at most this many rows, which takes 32 MB. */
const MAX_ROWS = 16_000_000

/** Adds up the rows of many terms. */
export class RowTable {
  #first = 0
  #counts = new Uint16Array(0)

  /**
   * Adds all rows that follow. Returns false when one of them was deleted before.
   * @throws UnknownLayout when rows lie too far apart
   */
  addRest(cursor: DoclistCursor): boolean {
    while (cursor.next()) {
      if (cursor.isDeleted) return false
      this.#add(cursor.row, cursor.count)
    }
    return true
  }

  add({ rows, counts }: Postings): void {
    for (let place = 0; place < rows.length; place += 1) this.#add(rows[place] as number, counts[place] as number)
  }

  #add(row: number, count: number): void {
    let at = row - this.#first
    if (at < 0 || at >= this.#counts.length) {
      this.#cover(row)
      at = row - this.#first
    }
    const sum = (this.#counts[at] as number) + count
    this.#counts[at] = sum > MAX_COUNT ? MAX_COUNT : sum
  }

  #cover(row: number): void {
    const isEmpty = this.#counts.length === 0
    const from = isEmpty ? row : Math.min(row, this.#first)
    const to = Math.max(row + 1, this.#first + this.#counts.length)
    if (to - from > MAX_ROWS) throw new UnknownLayout('row numbers lie too far apart')
    // The room is doubled each time, so that growing costs little.
    const spare = Math.min(Math.max(1024, to - from), MAX_ROWS - (to - from))
    const first = row < this.#first && !isEmpty ? Math.max(0, from - spare) : from
    const counts = new Uint16Array(to - first + (first < from ? 0 : spare))
    if (!isEmpty) counts.set(this.#counts.subarray(0, to - this.#first), this.#first - first)
    this.#first = first
    this.#counts = counts
  }

  postings(): Postings {
    const table = this.#counts
    let length = 0
    for (let at = 0; at < table.length; at += 1) if ((table[at] as number) > 0) length += 1
    const rows = new Float64Array(length)
    const counts = new Uint16Array(length)
    for (let at = 0, place = 0; place < length; at += 1) {
      const count = table[at] as number
      if (count === 0) continue
      rows[place] = this.#first + at
      counts[place] = count
      place += 1
    }
    return { rows, counts }
  }
}
