/*
 * How FTS5 keeps an index in its `_data` and `_idx` tables, as far as it takes to read what a term's rows are: version
 * 4, which every SQLite since 3.9 reads and writes. Sizes and offsets are varints as in the file format of SQLite.
 * https://www.sqlite.org/fts5.html#fts5_data_structures, and the head of fts5_index.c.
 */

/** Thrown when the tables have a layout that is not known here. Then FTS5 itself has to be asked. */
export class UnknownLayout extends Error {}

/** A sorted run of terms on the pages `first` to `last` of the segment. */
export type Segment = { readonly id: number; readonly first: number; readonly last: number }

/** The row of `_data` that names the segments. */
export const STRUCTURE_ROW = 10

/** Marks a structure that also counts deleted rows (`contentless_delete`). */
const WITH_TOMBSTONES = 0xff000001

/**
 * Returns the segments, newest first. What a newer segment says of a row and a term replaces what older ones say.
 * @throws UnknownLayout
 */
export function segmentsOf(structure: Uint8Array): Segment[] {
  const reader = new VarintReader(structure, 4)
  const view = new DataView(structure.buffer, structure.byteOffset, structure.byteLength)
  const hasTombstones = structure.length >= 8 && view.getUint32(4) === WITH_TOMBSTONES
  if (hasTombstones) reader.at = 8
  const levels = reader.next()
  reader.next()
  reader.next()
  const segments: Segment[] = []
  for (let level = 0; level < levels; level += 1) {
    reader.next()
    const count = reader.next()
    const ofLevel: Segment[] = []
    for (let i = 0; i < count; i += 1) {
      ofLevel.push({ id: reader.next(), first: reader.next(), last: reader.next() })
      if (!hasTombstones) continue
      reader.next()
      reader.next()
      if (reader.next() > 0) throw new UnknownLayout('rows were deleted from an index without content')
      reader.next()
      reader.next()
    }
    segments.push(...ofLevel.reverse())
  }
  return segments
}

/** A page of a segment. It may begin with the remaining rows of a term; then come terms, each followed by its rows. */
export class LeafPage {
  /** The offset at which rows and terms end. */
  readonly end: number
  /** The offset of the first row number that belongs to a term of an earlier page, or 0 when there is none. */
  readonly firstRow: number
  /** The offsets of the terms, in order. */
  readonly terms: readonly number[]
  /** True when the page holds a term that comes after all wanted ones. */
  isPast = false
  readonly #bytes: Uint8Array
  #term = new Uint8Array(64)
  #length = 0

  constructor(bytes: Uint8Array) {
    if (bytes.length < 4) throw new UnknownLayout('a page is too short')
    this.#bytes = bytes
    this.firstRow = sixteenBits(bytes, 0)
    this.end = sixteenBits(bytes, 2)
    if (this.end > bytes.length) throw new UnknownLayout('a page is too short')
    const reader = new VarintReader(bytes, this.end)
    const terms: number[] = []
    for (let place = 0; reader.at < bytes.length; ) {
      place += reader.next()
      terms.push(place)
    }
    this.terms = terms
  }

  /** The term that was yielded last. */
  get term(): Uint8Array {
    return this.#term.subarray(0, this.#length)
  }

  /** Yields the offsets of the rows of the wanted term, or of all terms with that prefix. */
  *termsFrom(wanted: Uint8Array, isPrefix: boolean): Generator<{ readonly start: number; readonly end: number }> {
    const reader = new VarintReader(this.#bytes, 0)
    for (let place = 0; place < this.terms.length; place += 1) {
      reader.at = this.terms[place] as number
      // A term is stored as its difference from the one before, and the first one in full.
      const kept = place === 0 ? 0 : reader.next()
      const added = reader.next()
      const start = reader.at + added
      const end = this.terms[place + 1] ?? this.end
      if (start > end || kept > this.#length) throw new UnknownLayout('terms do not fit the page')
      this.#put(kept, reader.at, start)
      const order = this.#order(wanted, isPrefix)
      if (order < 0) continue
      this.isPast = order > 0
      if (this.isPast) return
      yield { start, end }
    }
  }

  #put(kept: number, from: number, to: number): void {
    this.#length = kept + to - from
    if (this.#length > this.#term.length) {
      const larger = new Uint8Array(2 * this.#length)
      larger.set(this.#term)
      this.#term = larger
    }
    for (let at = from; at < to; at += 1) this.#term[kept + at - from] = this.#bytes[at] as number
  }

  /**
   * Compares the bytes of a term with what is wanted: negative when it comes before, 0 when it matches, positive after.
   */
  #order(wanted: Uint8Array, isPrefix: boolean): number {
    const length = Math.min(this.#length, wanted.length)
    for (let at = 0; at < length; at += 1) {
      const difference = (this.#term[at] as number) - (wanted[at] as number)
      if (difference !== 0) return difference
    }
    return isPrefix && this.#length > wanted.length ? 0 : this.#length - wanted.length
  }
}

const sixteenBits = (bytes: Uint8Array, at: number): number => (bytes[at] as number) * 256 + (bytes[at + 1] as number)

/** Reads numbers of one to seven bytes that hold seven bits each, the highest bits first. */
class VarintReader {
  at: number
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes
    this.at = at
  }

  next(): number {
    let value = 0
    for (let length = 1; length <= 7; length += 1) {
      const byte = this.#bytes[this.at]
      if (byte === undefined) throw new UnknownLayout('a number is cut off')
      this.at += 1
      value = value * 128 + (byte & 127)
      if (byte < 128) return value
    }
    throw new UnknownLayout('a number is larger than a row number of this program')
  }
}
