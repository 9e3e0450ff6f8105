// Why it is so: docs/decisions/0010-search.md

import { firstIndex } from '#core/binary-search.ts'
import type { TimeSlice } from '#core/yielding.ts'
import type { Catalogue } from '../indexes/catalogue.ts'
import type { Corpus, RowRange, TextIndex } from '../indexes/corpus.ts'
import { hasRow, NO_ROWS, type RowSet, union } from '../indexes/row-set.ts'
import type { Candidates } from './candidates.ts'
import type { Filters } from './filters.ts'
import type { Plan } from './plan.ts'
import { Verifier } from './verifier.ts'

/** A corpus that a search looks at. */
export type Ground = {
  readonly corpus: Corpus
  /** The index of the corpus among those of the search. */
  readonly order: number
  /** Rows after this one are ignored, because they came after the first page. */
  readonly newestRow: number
  readonly filters: Filters
  /** The index of the corpus, or null when every text is read. */
  readonly index: TextIndex | null
}

/** Up to this many candidates are looked up one by one when the catalogue of all rows would have to be read first. */
const FEW = 2000
/** Candidates are ranked by themselves when they are at most this share of the rows. */
const FEW_SHARE = 0.25

/** How many rows are looked up first to see whether a search finds many, and how many times as many then. */
const FIRST_RANGE = 4096
const GROWTH = 8

/** Indexes of a catalogue from the first up to the second. */
export type IndexRange = readonly [start: number, end: number]

/** What a plan makes of some rows before any text is read. */
export type Narrowed = {
  /** The indexes of the candidates, ascending. */
  readonly candidates: Int32Array
  /** True when all of them are hits. */
  readonly isCertain: boolean
  /** Whether one of them is a hit for certain. */
  readonly isCertainOf: (index: number) => boolean
  /** True when no index narrows the candidates down, so that every text is read. */
  readonly isScan: boolean
  /** How many rows the index found, before filters excluded some of them. */
  readonly found: number
}

/** One corpus as a search sees it. What the index says is looked up when somebody asks, for all rows or for some. */
export class Searched {
  readonly corpus: Corpus
  readonly order: number
  readonly index: TextIndex | null
  readonly catalogue: Catalogue
  readonly plan: Plan
  readonly verifier: Verifier
  readonly #allows: ((index: number) => boolean) | null
  /** The number of entries of the catalogue that are not too new. */
  readonly #length: number
  readonly #newestRow: number
  #all: Narrowed | undefined
  #some: Narrowed | undefined
  #members: Uint8Array | undefined
  #count: number | undefined

  /** @param found what the index says of all rows, if it was asked */
  constructor(ground: Ground, plan: Plan, catalogue: Catalogue, slice: TimeSlice, found: Candidates | null) {
    const { corpus, order, newestRow, filters, index } = ground
    this.corpus = corpus
    this.order = order
    this.index = index
    this.catalogue = catalogue
    this.plan = plan
    this.verifier = new Verifier(corpus, catalogue, plan, index !== null, slice)
    this.#newestRow = newestRow
    this.#allows = filters.allows(corpus.kind, catalogue)
    this.#length = firstIndex(catalogue.length, (at) => (catalogue.rows[at] as number) > newestRow)
    if (found) this.#all = this.#narrowed(found, [[0, this.#length]])
  }

  /** What the plan makes of all rows. */
  get all(): Narrowed {
    this.#all ??= this.#narrowed(this.#lookUp(null), [[0, this.#length]])
    return this.#all
  }

  get candidates(): Int32Array {
    return this.all.candidates
  }

  get isFiltered(): boolean {
    return this.candidates.length < this.all.found
  }

  /** True when the index alone decides: the hits are the rows that it finds. */
  get isExact(): boolean {
    return this.index !== null && this.plan.exact !== null && this.#allows === null
  }

  /** Returns the number of hits where the index alone decides. */
  count(): number {
    const { index, plan, catalogue } = this
    if (!index || plan.exact === null || this.#length === 0) return 0
    const range = { first: catalogue.rows[0] as number, last: catalogue.rows[this.#length - 1] as number }
    // All of the index is counted more quickly than a range of it.
    this.#count ??= index.count(plan.exact, this.corpus.newestRow() === this.#newestRow ? null : range)
    return this.#count
  }

  /** Returns the number of hits where the index alone decides. It stops counting at `most`. */
  countUpTo(most: number): number {
    const { index, plan } = this
    return !index || plan.exact === null ? 0 : index.countUpTo(plan.exact, most)
  }

  /** The rows of the candidates where they are few of those that the index ranks, otherwise null. */
  get fewRanked(): Float64Array | null {
    if (this.isExact || this.isScan || this.candidates.length > this.#length * FEW_SHARE) return null
    return Float64Array.from(this.candidates, (index) => this.catalogue.rows[index] as number)
  }

  get isCertainOf(): (index: number) => boolean {
    // Listing the rows would take longer than ranking the best of them.
    return this.isExact ? () => true : this.all.isCertainOf
  }

  get isScan(): boolean {
    return !this.isExact && (this.#some ?? this.all).isScan
  }

  /** True when there are more candidates than this. Rows are looked up range by range until that is known. */
  holdsMoreThan(most: number): boolean {
    let held = 0
    for (let [start, size] = [0, FIRST_RANGE]; start < this.#length && held <= most; start += size, size *= GROWTH)
      held += this.narrow([[start, start + size]]).candidates.length
    return held > most
  }

  /** True when the index is asked for some rows and then for others, which pays where it finds many. */
  get canBeWalked(): boolean {
    if (!this.index || this.#all || this.plan.hasPrefix) return false
    if (this.plan.exact !== null) return this.isExact && !this.plan.isConjunction
    // Where the index says nothing of a range, it says nothing at all.
    return this.#lookUp({ first: 0, last: -1 }).rows !== null
  }

  /** True when texts are tried first, which pays where the index collects all rows before it gives the first. */
  get canBeTried(): boolean {
    return this.index !== null && !this.#all && this.plan.hasPrefix
  }

  /** The rows in some ranges of indexes of the catalogue, which ascend, without asking the index. */
  tried(ranges: readonly IndexRange[]): Narrowed {
    this.#some = { ...this.#narrowed({ rows: null, certain: NO_ROWS }, this.#old(ranges)), isScan: false }
    return this.#some
  }

  /** What the plan makes of the rows in some ranges of indexes of the catalogue, which ascend. */
  narrow(ranges: readonly IndexRange[]): Narrowed {
    const old = this.#old(ranges)
    const found = old.map(([start, end]) => {
      const { rows } = this.catalogue
      return this.#lookUp({ first: rows[start] as number, last: rows[end - 1] as number })
    })
    this.#some = this.#narrowed(
      {
        rows: found.reduce<RowSet>((rows, one) => union(rows, one.rows), NO_ROWS),
        certain: found.reduce<Float64Array>((rows, one) => union(rows, one.certain) ?? NO_ROWS, NO_ROWS),
      },
      old,
    )
    return this.#some
  }

  readonly isCandidate = (index: number): boolean => {
    if (this.isExact) return index >= 0 && index < this.#length
    if (!this.#members) {
      this.#members = new Uint8Array(this.catalogue.length)
      for (const candidate of this.candidates) this.#members[candidate] = 1
    }
    return this.#members[index] === 1
  }

  /** Returns the ranges without what is too new. */
  #old(ranges: readonly IndexRange[]): IndexRange[] {
    return ranges
      .map(([start, end]): IndexRange => [start, Math.min(end, this.#length)])
      .filter(([start, end]) => start < end)
  }

  /** Returns those of ascending indexes that are not too new. */
  #oldOf(indexes: Int32Array): Int32Array {
    return indexes.subarray(
      0,
      firstIndex(indexes.length, (at) => (indexes[at] as number) >= this.#length),
    )
  }

  #lookUp(range: RowRange | null): Candidates {
    return this.index ? this.plan.candidates(this.index, this.corpus.kind, range) : { rows: null, certain: NO_ROWS }
  }

  #narrowed({ rows, certain }: Candidates, ranges: readonly IndexRange[]): Narrowed {
    const { catalogue } = this
    const indexes = rows === null ? inRanges(ranges) : this.#oldOf(catalogue.indexesOf(rows))
    const candidates = this.#allows ? indexes.filter(this.#allows) : indexes
    const isCertain = rows !== null && certain.length === rows.length
    return {
      candidates,
      isCertain,
      isCertainOf: isCertain ? () => true : (index) => hasRow(certain, catalogue.rows[index] as number),
      isScan: rows === null,
      found: indexes.length,
    }
  }
}

function inRanges(ranges: readonly IndexRange[]): Int32Array {
  const indexes = new Int32Array(ranges.reduce((sum, [start, end]) => sum + end - start, 0))
  let count = 0
  for (const [start, end] of ranges) {
    for (let index = start; index < end; index += 1, count += 1) indexes[count] = index
  }
  return indexes
}

/** Reads the catalogue of the corpus, unless the index finds so few rows that they are looked up one by one. */
export async function prepareSearch(ground: Ground, plan: Plan, slice: TimeSlice): Promise<Searched> {
  const { corpus, index } = ground
  await slice.yieldIfOver()
  const { known } = corpus
  if (known) return new Searched(ground, plan, known, slice, null)
  const found = index ? plan.candidates(index, corpus.kind, null) : null
  const few = found?.rows && found.rows.length <= FEW && !plan.needsNeighbours ? found.rows : null
  const catalogue = few ? corpus.excerpt([...few]) : await corpus.catalogue(slice)
  return new Searched(ground, plan, catalogue, slice, found)
}
