import type { Searched } from '../planning/search.ts'
import { type HitOrder, type Placed, rowOf } from './hit-order.ts'
import { NO_LIMIT, type Rank, type Ranked, type ScoreParts } from './ranking.ts'

/** How many rows are ranked first, and how many times as many when they do not fill the page. */
const FIRST_ROWS = 2000
const GROWTH = 8

export type RelevanceOptions = {
  readonly limit: number
  readonly rank: Rank
  /** Rows that earlier pages gave, by the kind of their corpus. */
  readonly seen: Readonly<Record<string, ReadonlySet<number>>>
}

type Scored = { readonly hit: Placed; readonly score: number; readonly parts?: () => ScoreParts }

/**
 * The best hits first and, of equally good ones, the one stored last. Candidates that have to be verified are verified
 * in this order until the page is full.
 */
export class RelevanceOrder implements HitOrder {
  readonly page: Placed[] = []
  readonly countsAll = true
  readonly rows: number
  scanned = 0
  found: number
  readonly #options: RelevanceOptions
  readonly #searches: readonly Searched[]
  readonly #queue: Generator<Scored>
  /** By search and index: candidates that came out of the queue or were counted. */
  readonly #passed: readonly Uint8Array[]
  readonly #parts = new Map<Placed, ScoreParts>()
  #isQueueEmpty = false
  /** How often the queue was asked for its next candidate. */
  #taken = 0
  /** Where counting the remaining candidates has come to: a search and a place among its candidates. */
  #counted = { search: 0, place: 0, steps: 0 }

  constructor(searches: readonly Searched[], options: RelevanceOptions) {
    this.#searches = searches
    this.#options = options
    this.#passed = searches.map(({ catalogue }) => new Uint8Array(catalogue.length))
    const sizes = searches.map(sizeOf)
    this.found = sizes.reduce((sum, { certain }) => sum + certain, 0)
    this.rows = sizes.reduce((sum, { all, certain }) => sum + all - certain, 0)
    this.#queue = this.#inOrder()
  }

  get isPageDone(): boolean {
    return this.page.length === this.#options.limit || this.#isQueueEmpty
  }

  get isDone(): boolean {
    return this.isPageDone && (this.scanned === this.rows || this.#counted.search === this.#searches.length)
  }

  get progress(): number {
    return this.#taken + this.#counted.steps
  }

  partsOf(hit: Placed): ScoreParts | undefined {
    return this.#parts.get(hit)
  }

  async step(): Promise<void> {
    if (this.isPageDone) await this.#countSome()
    else await this.#fillPage()
  }

  async #fillPage(): Promise<void> {
    // Where nothing is searched, the first look at the queue tells that it is empty.
    const size = Math.max(1, ...this.#searches.map(({ verifier }) => verifier.size))
    const batch: Scored[] = []
    let missing = this.#options.limit - this.page.length
    while (batch.length < size && missing > 0) {
      const next = this.#queue.next()
      this.#taken += 1
      if (next.done) {
        this.#isQueueEmpty = true
        break
      }
      batch.push(next.value)
      const { searched, index } = next.value.hit
      if (searched.isCertainOf(index)) missing -= 1
    }
    const isHit = await this.#verify(batch.map(({ hit }) => hit))
    batch.forEach(({ hit, parts }, at) => {
      const isSeen = this.#options.seen[hit.searched.corpus.kind]?.has(rowOf(hit)) ?? false
      if (!isHit[at] || isSeen || this.page.length === this.#options.limit) return
      if (parts) this.#parts.set(hit, parts())
      this.page.push(hit)
    })
  }

  /** Verifies candidates of which it is not known that they are hits, and counts them. */
  async #verify(hits: readonly Placed[]): Promise<boolean[]> {
    const isHit = hits.map(({ searched, index }) => searched.isCertainOf(index))
    for (const searched of this.#searches) {
      const places = hits.flatMap((hit, at) => (hit.searched === searched && !isHit[at] ? [at] : []))
      if (places.length === 0) continue
      const indexes = Int32Array.from(places, (at) => (hits[at] as Placed).index)
      const verified = await searched.verifier.verify(indexes, false)
      places.forEach((at, i) => {
        isHit[at] = verified.isHit[i] as boolean
        if (isHit[at]) this.found += 1
      })
      this.scanned += places.length
    }
    return isHit
  }

  /** The page is full: the remaining candidates are only counted. */
  async #countSome(): Promise<void> {
    const searched = this.#searches[this.#counted.search]
    if (!searched) return
    const { search, steps } = this.#counted
    const passed = this.#passed[search] as Uint8Array
    const nextSearch = { search: search + 1, place: 0, steps: steps + 1 }
    if (searched.isExact) {
      this.#counted = nextSearch
      return
    }
    this.#counted.steps += 1
    const { candidates, verifier, isCertainOf } = searched
    const some: Placed[] = []
    while (some.length < verifier.size && this.#counted.place < candidates.length) {
      const index = candidates[this.#counted.place] as number
      this.#counted.place += 1
      if (passed[index] === 0 && !isCertainOf(index)) some.push({ searched, index })
    }
    if (this.#counted.place === candidates.length) this.#counted = nextSearch
    await this.#verify(some)
  }

  /** Yields every candidate once. Later pages continue the same sequence, so it does not depend on the page. */
  *#inOrder(): Generator<Scored> {
    for (let limit = this.#firstLimit(); ; limit *= GROWTH) {
      const ranked = this.#searches.map((searched) => this.#options.rank(searched, limit))
      const floor = Math.max(...ranked.map((one) => one.floor ?? Number.NEGATIVE_INFINITY))
      for (const next of this.#sorted(ranked)) {
        if (next.score >= floor) yield* this.#once(next)
      }
      if (floor === Number.NEGATIVE_INFINITY) break
    }
    for (const searched of this.#searches) {
      // What the index alone finds, it has ranked.
      if (searched.isExact) continue
      for (const index of searched.candidates.toReversed()) yield* this.#once({ hit: { searched, index }, score: 0 })
    }
  }

  /** How many rows have to be ranked so that about FIRST_ROWS of them pass the filters. */
  #firstLimit(): number {
    let limit = FIRST_ROWS
    for (const searched of this.#searches) {
      if (searched.isExact || !searched.isFiltered) continue
      const { candidates, found } = searched.all
      if (candidates.length <= FIRST_ROWS) return NO_LIMIT
      limit = Math.max(limit, Math.ceil((FIRST_ROWS * found) / candidates.length))
    }
    return limit
  }

  *#once(next: Scored): Generator<Scored> {
    const { searched, index } = next.hit
    const passed = this.#passed[this.#searches.indexOf(searched)] as Uint8Array
    if (passed[index] === 1) return
    passed[index] = 1
    yield next
  }

  #sorted(ranked: readonly Ranked[]): Scored[] {
    const all = ranked.flatMap(({ scores, partsOf }, at) => {
      const searched = this.#searches[at] as Searched
      return Array.from(
        scores,
        ([index, score]): Scored => ({
          hit: { searched, index },
          score,
          ...(partsOf && { parts: () => partsOf(index) }),
        }),
      )
    })
    return all.sort(
      (a, b) => b.score - a.score || a.hit.searched.order - b.hit.searched.order || b.hit.index - a.hit.index,
    )
  }
}

/** Returns how many candidates there are, and how many of them are hits for certain. */
function sizeOf(searched: Searched): { readonly all: number; readonly certain: number } {
  if (searched.isExact) {
    const count = searched.count()
    return { all: count, certain: count }
  }
  const { candidates, isCertainOf } = searched
  const certain = candidates.reduce((sum, index) => sum + (isCertainOf(index) ? 1 : 0), 0)
  return { all: candidates.length, certain }
}
