import { compareTimeKeys, type TimeKey } from '../indexes/catalogue.ts'
import type { Searched } from '../planning/search.ts'
import { type HitOrder, type Placed, timeKeyOf } from './hit-order.ts'
import { FIRST_ROWS, TimeQueue } from './time-queue.ts'

export type TimeOrderOptions = {
  readonly isNewestFirst: boolean
  readonly limit: number
  /** The page begins after this hit, or with the first one when it is null. */
  readonly after: TimeKey | null
  /** The index is asked for this many rows first. */
  readonly firstRows?: number
}

/** Hits from the newest to the oldest, or the other way round. Texts are read in this order until the page is full. */
export class TimeOrder implements HitOrder {
  readonly page: Placed[] = []
  readonly countsAll: boolean
  readonly #queues: readonly TimeQueue[]
  readonly #limit: number
  readonly #compare: (a: TimeKey, b: TimeKey) => number

  constructor(
    searches: readonly Searched[],
    { isNewestFirst, limit, after, firstRows = FIRST_ROWS }: TimeOrderOptions,
  ) {
    this.#limit = limit
    this.countsAll = after === null
    this.#compare = isNewestFirst ? newestFirst : compareTimeKeys
    const isAfter = after && ((hit: Placed): boolean => this.#compare(timeKeyOf(hit), after) > 0)
    this.#queues = searches.map((searched) => new TimeQueue(searched, isNewestFirst, isAfter, firstRows))
    this.#fillPage()
  }

  get isPageDone(): boolean {
    return this.page.length === this.#limit || this.#queues.every(({ isAtEnd }) => isAtEnd)
  }

  get isDone(): boolean {
    return this.isPageDone && this.#queues.every(({ isAtEnd, countsAhead }) => isAtEnd || countsAhead)
  }

  get found(): number {
    return this.#queues.reduce((sum, { found }) => sum + found, 0)
  }

  get scanned(): number {
    return this.#queues.reduce((sum, { scanned }) => sum + scanned, 0)
  }

  get rows(): number {
    return this.#queues.reduce((sum, { rows }) => sum + rows, 0)
  }

  get progress(): number {
    return this.#queues.reduce((sum, { progress }) => sum + progress, 0)
  }

  get isCountingLong(): boolean {
    return this.#next?.queue.isCountingLong ?? false
  }

  async step(): Promise<void> {
    const next = this.#next
    if (!next) return
    await next.queue.step()
    this.#fillPage()
  }

  get #next(): Named | undefined {
    return this.#first(this.#queues.filter(({ countsAhead }) => !countsAhead || !this.isPageDone))
  }

  /** Gives hits to the page as long as no other hit can come before them. */
  #fillPage(): void {
    while (this.page.length < this.#limit) {
      const best = this.#earliest(this.#queues.map((queue) => [queue, queue.hit]))
      if (!best) return
      const open = this.#first(this.#queues)
      if (open && this.#compare(open.key, best.key) < 0) return
      this.page.push({ searched: best.queue.searched, index: best.index })
      best.queue.given += 1
    }
  }

  /** Returns the queue in which the next hit may be found. */
  #first(queues: readonly TimeQueue[]): Named | undefined {
    return this.#earliest(queues.map((queue) => [queue, queue.frontier]))
  }

  /** Returns the queue whose named index comes first in the order of time. A queue without one is left out. */
  #earliest(named: readonly (readonly [queue: TimeQueue, index: number | undefined])[]): Named | undefined {
    let first: Named | undefined
    for (const [queue, index] of named) {
      if (index === undefined) continue
      const key = timeKeyOf({ searched: queue.searched, index })
      if (!first || this.#compare(key, first.key) < 0) first = { queue, index, key }
    }
    return first
  }
}

type Named = { readonly queue: TimeQueue; readonly index: number; readonly key: TimeKey }

const newestFirst = (a: TimeKey, b: TimeKey): number =>
  compareTimeKeys({ ...b, corpus: a.corpus }, { ...a, corpus: b.corpus })
