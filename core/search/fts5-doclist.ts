import { UnknownLayout } from './fts5-layout.ts'

/** Rows, ascending, and how often a term stands in each. */
export type Postings = { readonly rows: Float64Array; readonly counts: Uint16Array }

/** What one segment says of a term. A count of 0: the row lost the term since the older segments were written. */
export type Doclist = Postings & { readonly hasDeleted: boolean }

const MAX_COUNT = 65_535
const NO_BYTES: Uint8Array = new Uint8Array(0)

/** Walks the rows of a term as they lie in the pages of one segment. */
export class DoclistCursor {
  row = 0
  /** How often the term stands in the row; 1 where the index does not know. */
  count = 0
  /** The row was deleted before: older segments do not count for it. */
  isDeleted = false
  #bytes = NO_BYTES
  #at = 0
  /** Where a row number stands that does not count from the one before; the last of them is no place. */
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
   * Goes on with what stands on later pages.
   * @param pages each with the place of the first row number on it; negative where there is none
   */
  extend(pages: readonly { readonly bytes: Uint8Array; readonly firstRow: number }[]): void {
    let length = this.#bytes.length
    for (const { bytes, firstRow } of pages) {
      if (firstRow >= 0 && firstRow < bytes.length) this.#absolute.push(length + firstRow)
      length += bytes.length
    }
    this.#bytes = Buffer.concat([this.#bytes, ...pages.map(({ bytes }) => bytes)])
  }

  /** No more rows than this follow. */
  get most(): number {
    return this.#bytes.length - this.#at
  }

  /** @throws UnknownLayout */
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

  /** Twice the length of the positions, and 1 where the row was deleted before; then the positions. */
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
      // 1 and the number of a column stand before the positions in it; every other number is a position.
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

  /** 0 where the row was deleted before, and another 0 where it holds the term again. */
  #flags(at: number): number {
    const bytes = this.#bytes
    this.isDeleted = at < bytes.length && bytes[at] === 0
    this.count = 1
    if (!this.isDeleted) return at
    if (at + 1 < bytes.length && bytes[at + 1] === 0) return at + 2
    this.count = 0
    return at + 1
  }

  /** All rows that follow. */
  rest(): Doclist {
    return (this.#hasPositions ? null : this.#restWithoutFlags()) ?? this.#restOneByOne()
  }

  /** The quickest way through a list that is nothing but row numbers; null for any other. */
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
      // A flag, where a row number cannot be.
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

/** What the segments say together. @param lists newest segment first */
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

/** Room for so many rows at most: 32 MB. */
const MAX_ROWS = 16_000_000

/** Adds up the rows of many terms. */
export class RowTable {
  #first = 0
  #counts = new Uint16Array(0)

  /**
   * Adds all rows that follow; false when it met one that was deleted before.
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
    // Twice as large each time, so that growing costs little.
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
