import { firstIndex } from '../binary-search.ts'
import { compareTimeKeys, type TimeKey } from './catalogue.ts'
import { type HitOrder, type Placed, timeKeyOf } from './hit-order.ts'
import type { Searched } from './search.ts'

/** The candidates of one corpus in the order of time, which are verified from one end. */
type Queue = {
  readonly searched: Searched
  readonly ordered: Int32Array
  /** The hits among those that were verified, in order. */
  hits: Int32Array | number[]
  /** How many of the hits were given to the page. */
  given: number
  /** How many candidates were verified. */
  looked: number
}

export type TimeOrderOptions = {
  readonly isNewestFirst: boolean
  readonly limit: number
  /** The page begins after this hit, or with the first one when it is null. */
  readonly after: TimeKey | null
}

/** Hits from the newest to the oldest, or the other way round. Texts are read in this order until the page is full. */
export class TimeOrder implements HitOrder {
  readonly page: Placed[] = []
  readonly countsAll: boolean
  readonly #queues: readonly Queue[]
  readonly #limit: number
  readonly #compare: (a: TimeKey, b: TimeKey) => number

  constructor(searches: readonly Searched[], { isNewestFirst, limit, after }: TimeOrderOptions) {
    this.#limit = limit
    this.countsAll = after === null
    this.#compare = isNewestFirst ? newestFirst : compareTimeKeys
    this.#queues = searches.map((searched) => {
      const all = searched.catalogue.inTimeOrder(searched.candidates, isNewestFirst)
      const ordered = after === null ? all : all.subarray(this.#firstAfter(searched, all, after))
      const hits = searched.isCertain ? ordered : []
      return { searched, ordered, hits, given: 0, looked: searched.isCertain ? ordered.length : 0 }
    })
    this.#fillPage()
  }

  #firstAfter(searched: Searched, ordered: Int32Array, after: TimeKey): number {
    const isAfter = (at: number): boolean =>
      this.#compare(timeKeyOf({ searched, index: ordered[at] as number }), after) > 0
    return firstIndex(ordered.length, isAfter)
  }

  get isPageDone(): boolean {
    return this.page.length === this.#limit || this.isDone
  }

  get isDone(): boolean {
    return this.#queues.every((queue) => queue.looked === queue.ordered.length)
  }

  get found(): number {
    return this.#queues.reduce((sum, { hits }) => sum + hits.length, 0)
  }

  get scanned(): number {
    return this.#queues.reduce((sum, { searched, looked }) => sum + (searched.isCertain ? 0 : looked), 0)
  }

  get rows(): number {
    return this.#queues.reduce((sum, { searched, ordered }) => sum + (searched.isCertain ? 0 : ordered.length), 0)
  }

  async step(): Promise<void> {
    const next = this.#first((queue) => queue.ordered[queue.looked])
    if (!next) return
    const { searched, ordered, looked, hits } = next
    const batch = ordered.subarray(looked, looked + searched.verifier.size)
    const doubtful = batch.filter((index) => !searched.isCertainOf(index))
    const { isHit } = await searched.verifier.verify(doubtful, false)
    let at = 0
    for (const index of batch) {
      const isKnown = doubtful[at] !== index
      if ((isKnown || isHit[at]) && Array.isArray(hits)) hits.push(index)
      if (!isKnown) at += 1
    }
    next.looked += batch.length
    this.#fillPage()
  }

  /** Gives hits to the page as long as no other hit can come before them. */
  #fillPage(): void {
    while (this.page.length < this.#limit) {
      const best = this.#first((queue) => queue.hits[queue.given])
      const index = best?.hits[best.given]
      if (!best || index === undefined) return
      const hit = { searched: best.searched, index }
      const open = this.#first((queue) => queue.ordered[queue.looked])
      const frontier = open?.ordered[open.looked]
      if (open && frontier !== undefined) {
        const next = { searched: open.searched, index: frontier }
        if (this.#compare(timeKeyOf(next), timeKeyOf(hit)) < 0) return
      }
      this.page.push(hit)
      best.given += 1
    }
  }

  /** Returns the queue whose named index comes first in the order of time. A queue without one is left out. */
  #first(named: (queue: Queue) => number | undefined): Queue | undefined {
    let first: { readonly queue: Queue; readonly key: TimeKey } | undefined
    for (const queue of this.#queues) {
      const index = named(queue)
      if (index === undefined) continue
      const key = timeKeyOf({ searched: queue.searched, index })
      if (!first || this.#compare(key, first.key) < 0) first = { queue, key }
    }
    return first?.queue
  }
}

const newestFirst = (a: TimeKey, b: TimeKey): number =>
  compareTimeKeys({ ...b, corpus: a.corpus }, { ...a, corpus: b.corpus })
