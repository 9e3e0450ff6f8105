import { compareTimeKeys, compareTimes } from './catalogue.ts'
import { Heap } from './heap.ts'
import { type HitKey, type HitOrder, type Placed, timeKeyOf } from './hit-order.ts'
import { CERTAIN, DOUBTFUL, type UpperScores, upperScores } from './scoring.ts'
import type { Searched } from './search.ts'

export type ScoreOrderOptions = {
  readonly limit: number
  /** The page begins after this hit, or with the best one when it is null. */
  readonly after: HitKey | null
}

/** The candidates of one corpus. `start` is the number of the first of them among all candidates. */
type Part = { readonly searched: Searched; readonly start: number; readonly upper: UpperScores }

export type ScoredHit = { readonly hit: Placed; readonly key: HitKey }

/**
 * The best hits first and, among equally good ones, the newest first. Scores come from the index. Candidates that have
 * to be verified are verified in the order of the highest score that they can have, until no remaining one can come
 * before the last hit of the page.
 */
export class ScoreOrder implements HitOrder {
  readonly countsAll = true
  readonly #parts: readonly Part[]
  readonly #heap: Heap
  readonly #limit: number
  readonly #after: HitKey | null
  readonly #best: ScoredHit[] = []
  readonly rows: number
  #rest: Int32Array | null = null
  scanned = 0
  found = 0

  constructor(searches: readonly Searched[], { limit, after }: ScoreOrderOptions) {
    let start = 0
    this.#parts = searches.map((searched) => {
      const part = { searched, start, upper: upperScores(searched) }
      start += searched.candidates.length
      return part
    })
    this.#limit = limit
    this.#after = after
    let doubtful = 0
    for (const { upper } of this.#parts) {
      for (const doubt of upper.doubts) {
        if (doubt !== CERTAIN) doubtful += 1
        if (doubt !== DOUBTFUL) this.found += 1
      }
    }
    this.rows = doubtful
    const numbers = new Int32Array(start)
    for (let number = 0; number < start; number += 1) numbers[number] = number
    this.#heap = new Heap(numbers, this.#compare())
    this.#takeCertain()
  }

  #compare(): (a: number, b: number) => number {
    const length = this.#parts.reduce((sum, { searched }) => sum + searched.candidates.length, 0)
    const scores = new Float64Array(length)
    const times = new Float64Array(length)
    for (const { start, upper, searched } of this.#parts) {
      const { candidates, catalogue } = searched
      scores.set(upper.scores, start)
      candidates.forEach((index, candidate) => {
        times[start + candidate] = catalogue.times[index] as number
      })
    }
    return (a, b) => {
      const difference = (scores[b] as number) - (scores[a] as number)
      if (difference !== 0) return difference
      // This is the order of `compareHitKeys`, because numbers ascend by corpus and row.
      return compareTimes(times[b] as number, times[a] as number) || b - a
    }
  }

  #partOf(number: number): Part {
    const part = this.#parts.findLast(({ start }) => start <= number)
    if (!part) throw new RangeError(`there is no candidate ${number}`)
    return part
  }

  #keyOfNumber(number: number): HitKey {
    const { searched, start, upper } = this.#partOf(number)
    const index = searched.candidates[number - start] as number
    return { ...timeKeyOf({ searched, index }), score: upper.scores[number - start] as number }
  }

  get #isSettled(): boolean {
    const next = this.#heap.first
    if (this.#rest !== null || next === undefined) return true
    const last = this.#best[this.#limit - 1]
    return last !== undefined && compareHitKeys(last.key, this.#keyOfNumber(next)) < 0
  }

  get isPageDone(): boolean {
    return this.#isSettled
  }

  get isDone(): boolean {
    return this.#isSettled && this.scanned === this.rows
  }

  get page(): readonly Placed[] {
    const next = this.#heap.first
    if (this.#isSettled || next === undefined) return this.#best.map(({ hit }) => hit)
    const frontier = this.#keyOfNumber(next)
    return this.#best.filter(({ key }) => compareHitKeys(key, frontier) < 0).map(({ hit }) => hit)
  }

  async step(): Promise<void> {
    this.#takeCertain()
    const doubtful = this.#isSettled ? this.#takeRest() : this.#takeDoubtful()
    for (const part of this.#parts) {
      const { searched, start, upper } = part
      const end = start + searched.candidates.length
      const numbers = doubtful.filter((number) => number >= start && number < end)
      if (numbers.length === 0) continue
      const chosen = numbers.map((number) => number - start)
      const indexes = Int32Array.from(chosen, (candidate) => searched.candidates[candidate] as number)
      const { isHit, texts } = await searched.verifier.verify(indexes, searched.plan.hasOptional)
      chosen.forEach((candidate, i) => {
        if (!isHit[i]) return
        if (upper.doubts[candidate] === DOUBTFUL) this.found += 1
        const fields = texts.get(searched.catalogue.rows[indexes[i] as number] as number)
        const counts = searched.plan.hasOptional && fields ? searched.plan.matcher.frequencies(fields) : []
        const missing = counts.reduce((sum, count, term) => sum + (count > 0 ? 0 : upper.optional(term, candidate)), 0)
        this.#offer(part, candidate, (upper.scores[candidate] as number) - missing)
      })
      this.scanned += numbers.length
    }
    this.#takeCertain()
  }

  /** A hit whose score is certain need not be verified. */
  #takeCertain(): void {
    while (!this.#isSettled) {
      const number = this.#heap.first
      if (number === undefined) return
      const part = this.#partOf(number)
      const candidate = number - part.start
      if (part.upper.doubts[candidate] !== CERTAIN) return
      this.#heap.pop()
      this.#offer(part, candidate, part.upper.scores[candidate] as number)
    }
  }

  #takeDoubtful(): number[] {
    const size = Math.max(...this.#parts.map(({ searched }) => searched.verifier.size))
    const numbers: number[] = []
    while (numbers.length < size) {
      const number = this.#heap.first
      if (number === undefined) break
      const { start, upper } = this.#partOf(number)
      if (upper.doubts[number - start] === CERTAIN) break
      this.#heap.pop()
      numbers.push(number)
    }
    return numbers
  }

  /** A candidate that cannot come onto the page any more is only counted. */
  #takeRest(): number[] {
    this.#rest ??= this.#heap.rest.filter((number) => {
      const { start, upper } = this.#partOf(number)
      return upper.doubts[number - start] === DOUBTFUL
    })
    if (this.#rest.length === 0) this.scanned = this.rows
    const size = Math.max(...this.#parts.map(({ searched }) => searched.verifier.size))
    const numbers = this.#rest.subarray(0, size)
    this.#rest = this.#rest.subarray(size)
    return [...numbers]
  }

  #offer({ searched }: Part, candidate: number, score: number): void {
    const hit = { searched, index: searched.candidates[candidate] as number }
    const key = { ...timeKeyOf(hit), score }
    if (this.#after && compareHitKeys(key, this.#after) <= 0) return
    insert(this.#best, { hit, key }, this.#limit)
  }

  keyOf(hit: Placed): HitKey {
    const known = this.#best.find(({ hit: { searched, index } }) => searched === hit.searched && index === hit.index)
    return known?.key ?? { ...timeKeyOf(hit), score: 0 }
  }
}

/** Compares two hits: the better one first, then the newer one. */
export const compareHitKeys = (a: HitKey, b: HitKey): number => b.score - a.score || compareTimeKeys(b, a)

/** Inserts a hit into a sorted list and keeps the best `limit` hits. */
export function insert(best: ScoredHit[], scored: ScoredHit, limit: number): void {
  const last = best[limit - 1]
  if (last && compareHitKeys(last.key, scored.key) <= 0) return
  let at = best.length
  while (at > 0 && compareHitKeys((best[at - 1] as ScoredHit).key, scored.key) > 0) at -= 1
  best.splice(at, 0, scored)
  if (best.length > limit) best.pop()
}
