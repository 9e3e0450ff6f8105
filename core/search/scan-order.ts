import type { HitKey, HitOrder, Placed } from './hit-order.ts'
import { timeKeyOf } from './hit-order.ts'
import { compareHitKeys, insert, type ScoredHit, type ScoreOrderOptions } from './score-order.ts'
import { damping, rarity, termScore } from './scoring.ts'
import type { Searched } from './search.ts'

type Counted = { readonly hit: Placed; readonly frequencies: readonly number[] }

/** The best hits first when there is no index: all texts are read before the first hit is known. */
export class ScanOrder implements HitOrder {
  readonly countsAll = true
  readonly rows: number
  scanned = 0
  readonly #searches: readonly Searched[]
  readonly #options: ScoreOrderOptions
  readonly #hits: Counted[][]
  readonly #best: ScoredHit[] = []
  #at = 0
  #looked = 0

  constructor(searches: readonly Searched[], options: ScoreOrderOptions) {
    this.#searches = searches
    this.#options = options
    this.#hits = searches.map(() => [])
    this.rows = searches.reduce((sum, { candidates }) => sum + candidates.length, 0)
  }

  get isDone(): boolean {
    return this.scanned === this.rows
  }

  get isPageDone(): boolean {
    return this.isDone
  }

  get page(): readonly Placed[] {
    return this.#best.map(({ hit }) => hit)
  }

  get found(): number {
    return this.#hits.reduce((sum, hits) => sum + hits.length, 0)
  }

  async step(): Promise<void> {
    const searched = this.#searches[this.#at]
    if (!searched) return
    const { candidates, verifier, plan, catalogue } = searched
    const batch = candidates.subarray(this.#looked, this.#looked + verifier.size)
    const { isHit, texts } = await verifier.verify(batch, true)
    batch.forEach((index, at) => {
      const fields = texts.get(catalogue.rows[index] as number)
      if (!isHit[at] || !fields) return
      this.#hits[this.#at]?.push({ hit: { searched, index }, frequencies: plan.matcher.frequencies(fields) })
    })
    this.#looked += batch.length
    this.scanned += batch.length
    if (this.#looked === candidates.length) {
      this.#at += 1
      this.#looked = 0
    }
    if (this.isDone) this.#rank()
  }

  #rank(): void {
    this.#searches.forEach(({ catalogue, newestRow, plan }, at) => {
      const hits = this.#hits[at] ?? []
      const average = catalogue.averageTokens(newestRow)
      const idfs = Array.from({ length: plan.matcher.termCount }, (_, term) => {
        const holding = hits.filter(({ frequencies }) => (frequencies[term] ?? 0) > 0).length
        return rarity(catalogue.length, holding)
      })
      for (const { hit, frequencies } of hits) {
        const damped = damping(catalogue.tokens[hit.index] as number, average)
        const score = idfs.reduce((sum, idf, term) => sum + termScore(idf, frequencies[term] ?? 0, damped), 0)
        const key = { ...timeKeyOf(hit), score }
        const { after, limit } = this.#options
        if (!after || compareHitKeys(key, after) > 0) insert(this.#best, { hit, key }, limit)
      }
    })
  }

  keyOf(hit: Placed): HitKey {
    const known = this.#best.find(({ hit: { searched, index } }) => searched === hit.searched && index === hit.index)
    return known?.key ?? { ...timeKeyOf(hit), score: 0 }
  }
}
