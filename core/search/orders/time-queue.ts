import { firstIndex } from '#core/binary-search.ts'
import type { IndexRange, Narrowed, Searched } from '../planning/search.ts'
import type { Placed } from './hit-order.ts'

/** The index is asked for so many rows first, and then for so many times as many. */
export const FIRST_ROWS = 8192
const GROWTH = 8
/** Where the index finds fewer hits than this part of the first rows, it is asked for all at once. */
const FEW_SHARE = 4
/** Otherwise it is asked for the first of so many parts of them at first: they fill the page of a common word. */
const FIRST_SHARE = 8
/**
 * It is asked for whole blocks of so many rows, at most so many ranges of them at once. Rows of one conversation mostly
 * ascend in time, so the newest of a file stand in a few ranges.
 */
const BLOCK_ROWS = 1024
const MOST_RANGES = 8
/**
 * When the index is slow to begin, the texts of the first rows are tried instead: one in TRIED_SHARE of the rows at first,
 * and more while at least one in TRIED_HITS of the texts is a hit.
 */
const TRIED_SHARE = 128
const TRIED_HITS = 16
const MOST_TRIED = 4096

/**
 * The candidates of one corpus in the order of time, verified from one end. The index is asked for the rows at that end
 * first, and for the others only when they are needed.
 */
export class TimeQueue {
  readonly searched: Searched
  /** True when the number of hits is known without looking at the candidates. */
  readonly countsAhead: boolean
  /** How many of the hits were given to the page. */
  given = 0
  /** How many texts were looked at. */
  scanned = 0
  readonly #isNewestFirst: boolean
  readonly #blockRows: number
  #hits: number[] | Int32Array = []
  /** True while texts are tried instead of asking the index. */
  #isTrying = false
  /** What the index was asked for last, in order, and how much of it was verified. */
  #narrowed: Narrowed | null = null
  #ordered: Int32Array = new Int32Array(0)
  #looked = 0
  /** How many texts there are to look at, of the rows that the index was asked for. */
  #doubtful = 0
  /** Places in the order: where the page begins, up to where the index was asked, and the end. */
  readonly #start: number
  #asked: number
  readonly #end: number

  /** @param isAfter whether a hit comes after the beginning of the page; null where the page begins with the first */
  constructor(
    searched: Searched,
    isNewestFirst: boolean,
    isAfter: ((hit: Placed) => boolean) | null,
    firstRows: number,
  ) {
    this.searched = searched
    this.#isNewestFirst = isNewestFirst
    this.#blockRows = Math.min(BLOCK_ROWS, Math.max(1, Math.floor(firstRows / FIRST_SHARE)))
    this.#end = searched.catalogue.length
    // Few rows are listed at once.
    this.#isTrying = searched.canBeTried && this.#end > firstRows / 2
    const few = Math.floor(firstRows / FEW_SHARE)
    // The first page says how many hits there are, so that they are counted for it anyway.
    const hasMany = (): boolean => (isAfter === null ? searched.count() : searched.countUpTo(few + 1)) > few
    const isCounted = !this.#isTrying && searched.canBeWalked && (!searched.isExact || hasMany())
    const isWalked = this.#isTrying || isCounted
    const mayBegin = (index: number): boolean => isAfter === null || isAfter({ searched, index })
    this.#start = isWalked ? firstIndex(this.#end, (place) => mayBegin(this.#indexAt(place))) : 0
    this.#asked = this.#start
    this.countsAhead = isCounted && searched.isExact && this.#start === 0
    if (isWalked) this.#ask(firstRows / (this.#isTrying ? TRIED_SHARE : FIRST_SHARE))
    else {
      this.#asked = this.#end
      const all = searched.catalogue.inTimeOrder(searched.candidates, isNewestFirst)
      const first = firstIndex(all.length, (at) => mayBegin(all[at] as number))
      this.#take(searched.all, all.subarray(first))
    }
  }

  /** The next hit, if it is known. */
  get hit(): number | undefined {
    return this.#hits[this.given]
  }

  /** The index at which the next hit may be that is not known yet, or undefined when all are known. */
  get frontier(): number | undefined {
    return this.#ordered[this.#looked] ?? (this.#asked < this.#end ? this.#indexAt(this.#asked) : undefined)
  }

  get isAtEnd(): boolean {
    return this.frontier === undefined
  }

  get found(): number {
    if (!this.countsAhead || this.isAtEnd) return this.#hits.length
    return this.searched.count()
  }

  /** How many texts there are to look at. It is estimated until the index was asked for all rows. */
  get rows(): number {
    return Math.round((this.#doubtful * (this.#end - this.#start)) / Math.max(1, this.#asked - this.#start))
  }

  /** Ascends with every step. */
  get progress(): number {
    return this.scanned + this.#asked
  }

  /** True while only texts say how many hits there are, or an index that has to collect all rows. */
  get isCountingLong(): boolean {
    return this.#isTrying
  }

  get #mayTry(): boolean {
    const tried = this.#asked - this.#start
    return this.#isTrying && (tried === 0 || (tried < MOST_TRIED && this.#hits.length * TRIED_HITS >= tried))
  }

  /** Looks at some more candidates. */
  async step(): Promise<void> {
    const { verifier } = this.searched
    const batch = this.#ordered.subarray(this.#looked, this.#looked + verifier.size)
    if (!this.#narrowed || batch.length === 0) {
      await verifier.pause()
      this.#ask((this.#asked - this.#start) * GROWTH)
      return
    }
    const { isCertainOf } = this.#narrowed
    const doubtful = batch.filter((index) => !isCertainOf(index))
    // Where the index was not asked, only a whole text says whether it is a hit.
    const { isHit } = await verifier.verify(doubtful, this.#isTrying)
    let at = 0
    for (const index of batch) {
      const isKnown = doubtful[at] !== index
      if ((isKnown || isHit[at]) && Array.isArray(this.#hits)) this.#hits.push(index)
      if (!isKnown) at += 1
    }
    this.#looked += batch.length
    this.scanned += batch.length
  }

  /** Asks the index for the next rows in the order. */
  #ask(rows: number): void {
    const count = Math.max(1, Math.floor(rows))
    const isMost = count * 2 > this.#end || (this.#isTrying && !this.#mayTry)
    const few = isMost ? [] : this.#rangesOf(this.#asked, Math.min(this.#end, this.#asked + count))
    const isFew = !isMost && few.length <= MOST_RANGES
    const end = isFew ? Math.min(this.#end, this.#asked + count) : this.#end
    const ranges: IndexRange[] = isFew ? few : [[0, this.#end]]
    this.#isTrying &&= isFew
    const narrowed = this.#isTrying ? this.searched.tried(ranges) : this.searched.narrow(ranges)
    const { places } = this.searched.catalogue.timeOrder
    const placeOf = (index: number): number => this.#mirrored(places[index] as number)
    const found = narrowed.candidates.map(placeOf).filter((place) => place >= this.#asked && place < end)
    this.#asked = end
    this.#take(
      narrowed,
      found.sort().map((place) => this.#indexAt(place)),
    )
  }

  /** Takes the candidates that the index found. Their texts are not looked at when the index is certain. */
  #take(narrowed: Narrowed, ordered: Int32Array): void {
    this.#narrowed = narrowed
    this.#ordered = ordered
    this.#looked = narrowed.isCertain ? ordered.length : 0
    if (!narrowed.isCertain) this.#doubtful += ordered.length
    else if (this.#asked === this.#end && this.#hits.length === 0) this.#hits = ordered
    else if (Array.isArray(this.#hits)) for (const index of ordered) this.#hits.push(index)
  }

  /** Returns ranges of blocks that contain the rows from one place up to another. */
  #rangesOf(start: number, end: number): IndexRange[] {
    const blocks = new Uint8Array(Math.ceil(this.#end / this.#blockRows))
    for (let place = start; place < end; place += 1) blocks[Math.floor(this.#indexAt(place) / this.#blockRows)] = 1
    const ranges: [start: number, end: number][] = []
    blocks.forEach((isWanted, block) => {
      if (!isWanted) return
      const last = ranges.at(-1)
      const first = block * this.#blockRows
      if (last?.[1] === first) last[1] = first + this.#blockRows
      else ranges.push([first, first + this.#blockRows])
    })
    return ranges
  }

  #indexAt(place: number): number {
    return this.searched.catalogue.timeOrder.indexes[this.#mirrored(place)] as number
  }

  /** Returns the place in the order of time for one in this order, and the other way round. */
  #mirrored(place: number): number {
    return this.#isNewestFirst ? this.#end - 1 - place : place
  }
}
