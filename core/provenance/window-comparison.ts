import { agreesInDenial, contradictionOf } from './contradiction.ts'
import type { IndexView } from './index-view.ts'
import { type Hit, pairKey, type ReadUnit } from './passages.ts'
import { SCORE } from './thresholds.ts'
import type { Claim } from './vocabulary.ts'
import { NO_TERMS, type WeighedClaim } from './weighed-claim.ts'

/** How many neighbouring units may be the source of one claim. */
export const WIDEST_WINDOW = 3

/** A range of a source, and how well it supports a claim. */
export type Candidate = {
  /** The index of the text in the passage index. */
  readonly text: number
  readonly start: number
  readonly end: number
  /** A number from 0 to 1. */
  readonly score: number
  /** The share of the claim's words that it contains, by their weights. */
  readonly coverage: number
  /** The terms of the claim that were found: where in the claim and where in the source. */
  readonly matches: readonly TermMatch[]
  /** The range of each specific in the passage, by its number. */
  readonly specifics: ReadonlyMap<number, readonly [number, number]>
  /** What the source denies and the claim asserts, or the other way round. Null when they agree. */
  readonly flip: string | null
  /** True when the claim denies something and this passage denies the same. */
  readonly agreesInDenial: boolean
}

type TermMatch = {
  readonly term: number
  readonly claimStart: number
  readonly claimEnd: number
  readonly start: number
  readonly end: number
}

/** A window that was compared. Most are given up for a better one, so a `Candidate` is made of the last one only. */
export type ComparedWindow = {
  /** The first and the last unit, and all of them with what they have of the claim. */
  readonly from: number
  readonly to: number
  readonly units: readonly ReadUnit[]
  score: number
  readonly coverage: number
  readonly specifics: Candidate['specifics']
  readonly parting: readonly [number, number] | null
  readonly hasTerms: boolean
}

/** Compares one claim with the windows (a unit and up to two neighbours) around units of an index. */
export class WindowComparison {
  readonly #weighed: WeighedClaim
  readonly #index: IndexView
  readonly #contrary: ReadonlySet<number>
  readonly #own = new Map<number, OwnUnit>()
  /** How many windows were compared. The last one has this number. */
  #windows = 0
  /** The number of the last window that had each term, by its place in the claim. */
  readonly #lastWindow: Int32Array

  constructor(weighed: WeighedClaim, index: IndexView) {
    this.#weighed = weighed
    this.#index = index
    this.#lastWindow = new Int32Array(weighed.weights.length)
    const { turnable } = weighed
    this.#contrary =
      turnable.length === 0 ? NO_TERMS : new Set(turnable.flatMap(({ alike, contrary }) => [...alike, ...contrary]))
  }

  /**
   * Returns the best window around a unit, or null when the unit contains nothing of the claim.
   * @param atLeast windows that are certain to score less are not looked at
   */
  best(unit: number, atLeast = 0): ComparedWindow | null {
    const text = this.#index.textOf(unit)
    let [first, last] = [unit, unit]
    while (first > unit - WIDEST_WINDOW + 1 && this.#index.textOf(first - 1) === text) first -= 1
    while (last < unit + WIDEST_WINDOW - 1 && this.#index.textOf(last + 1) === text) last += 1
    const around: OwnUnit[] = []
    for (let near = first; near <= last; near += 1) around.push(this.#read(near))
    if (this.#most(around, 0, around.length) <= atLeast) return null
    let best: ComparedWindow | null = null
    for (let from = first; from <= unit; from += 1) {
      // A window that ends in a unit without anything of the claim says no more than the one without that unit.
      if (from < unit && !this.#hasAny(around[from - first] as OwnUnit)) continue
      for (let to = unit; to < from + WIDEST_WINDOW && to <= last; to += 1) {
        if (to > unit && !this.#hasAny(around[to - first] as OwnUnit)) continue
        // Of two windows that support the claim equally, the narrower one is chosen.
        const cost = SCORE.widthCost * (to - from)
        const toBeat = Math.max(best?.score ?? 0, atLeast) + cost
        const compared = this.#compare(around, first, from, to, toBeat)
        if (compared && (!best || compared.score - cost > best.score + 1e-9)) {
          compared.score = Math.max(0, compared.score - cost)
          best = compared
        }
      }
    }
    return best && (best.hasTerms || best.specifics.size > 0) ? best : null
  }

  /** Returns a score that no window of some units exceeds. */
  #most(units: readonly OwnUnit[], begin: number, end: number): number {
    const { claim, total } = this.#weighed
    let [weight, specifics] = [0, 0]
    for (let place = begin; place < end; place += 1) {
      const unit = units[place] as OwnUnit
      weight += unit.weight
      specifics += unit.specifics.size
    }
    return mostScore(claim, total > 0 ? Math.min(1, weight / total) : 0, specifics, 1)
  }

  /**
   * @param around the units from the first one on, of which the window has those from `from` to `to`
   * @param toBeat null is returned as soon as the score is certain to be no higher than this
   */
  #compare(around: readonly OwnUnit[], first: number, from: number, to: number, toBeat: number): ComparedWindow | null {
    const [begin, end] = [from - first, to - first + 1]
    if (toBeat >= HIGHEST_SCORE || this.#most(around, begin, end) <= toBeat) return null
    const { claim, weights, total, pairs } = this.#weighed
    let [found, distinct, most] = [0, 0, 0]
    this.#windows += 1
    for (let near = begin; near < end; near += 1) {
      const { places, specifics } = around[near] as OwnUnit
      for (const place of places) this.#lastWindow[place] = this.#windows
      most += specifics.size
    }
    for (let place = 0; place < weights.length; place += 1) {
      if (this.#lastWindow[place] !== this.#windows) continue
      found += weights[place] as number
      distinct += 1
    }
    const coverage = total > 0 ? found / total : 0
    const leastOrder = SCORE.leastOrder * coverage
    const mostOrder = pairs.length > 0 ? this.#mostOrder() : coverage
    if (mostScore(claim, coverage, most, Math.max(mostOrder, leastOrder)) <= toBeat) return null
    const window = around.slice(begin, end)
    const specifics = most > 0 ? specificsIn(claim, window) : NO_SPECIFICS
    const share = claim.specifics.length > 0 ? specifics.size / claim.specifics.length : coverage
    const order = pairs.length > 0 ? orderShare(window, pairs) : coverage
    let score = SCORE.words * coverage + SCORE.order * Math.max(order, leastOrder) + SCORE.specifics * share
    if (distinct + specifics.size < 2 && weights.length > 2) score = Math.min(score, SCORE.lonely)
    if (score <= toBeat) return null
    const units = window.map((unit) => this.#ownOf(unit))
    const parting = contradictionOf(this.#weighed, units, coverage)
    if (parting) score *= SCORE.flipped
    return { from, to, units, score, coverage, specifics, parting, hasTerms: distinct > 0 }
  }

  /** Returns what there is to say of a window. */
  candidateOf({ from, to, units, score, coverage, specifics, parting }: ComparedWindow): Candidate {
    const seen = new Map<number, Hit>()
    for (const { hits } of units) for (const hit of hits) if (!seen.has(hit.term)) seen.set(hit.term, hit)
    const matches: TermMatch[] = []
    for (const { term, start: claimStart, end: claimEnd } of this.#weighed.claim.terms) {
      const hit = seen.get(term)
      if (hit) matches.push({ term, claimStart, claimEnd, start: hit.start, end: hit.end })
    }
    return {
      text: this.#index.textOf(from),
      start: this.#index.startOf(from),
      end: this.#index.endOf(to),
      score,
      coverage,
      matches,
      specifics,
      flip: parting && this.#named(parting),
      agreesInDenial: agreesInDenial(this.#weighed, units),
    }
  }

  /** Returns the share of the claim's neighbouring terms that the last window has, wherever in it they stand. */
  #mostOrder(): number {
    const { pairs, places } = this.#weighed
    const has = (term: number): boolean => this.#lastWindow[places[term] as number] === this.#windows
    let found = 0
    for (const [first, second] of pairs) if (has(first) && has(second)) found += 1
    return found / pairs.length
  }

  /** Returns whether a unit has anything of the claim, or of what its terms may be turned into. */
  #hasAny(unit: OwnUnit): boolean {
    if (unit.places.length > 0 || unit.specifics.size > 0) return true
    return this.#contrary.size > 0 && this.#ownOf(unit).hits.length > 0
  }

  #named([term, other]: readonly [number, number]): string {
    const [a, b] = [this.#index.vocabulary.keys[term] ?? '', this.#index.vocabulary.keys[other] ?? '']
    return term === other ? a : `${a} / ${b}`
  }

  /** Returns what a unit has of this claim. */
  #read(unit: number): OwnUnit {
    const known = this.#own.get(unit)
    if (known) return known
    const { claim, weights, places } = this.#weighed
    const read = this.#index.read(unit)
    const own: number[] = []
    let weight = 0
    for (const term of read.terms) {
      const place = places[term] as number
      if (place < 0) continue
      own.push(place)
      weight += weights[place] as number
    }
    const specifics =
      read.specifics.size === 0 ? NO_SPECIFICS : saidIn(claim, read.specifics, this.#index.vocabulary.firstOf)
    const has = { read, places: own, weight, specifics, own: null }
    this.#own.set(unit, has)
    return has
  }

  /** Returns a unit with the hits of the claim, and those of what its terms may be turned into. */
  #ownOf(unit: OwnUnit): ReadUnit {
    const { places } = this.#weighed
    const isOwn = ({ term }: Hit): boolean => (places[term] as number) >= 0 || this.#contrary.has(term)
    unit.own ??= { ...unit.read, hits: unit.read.hits.filter(isOwn) }
    return unit.own
  }
}

/** What a unit has of one claim. */
type OwnUnit = {
  readonly read: ReadUnit
  /** The places of its terms in the claim, each once. */
  readonly places: readonly number[]
  /** The weight of all its terms of the claim together. */
  readonly weight: number
  /** The range of each specific of the claim in the unit, by its number. */
  readonly specifics: ReadUnit['specifics']
  /** The unit as `#ownOf` returns it; null until it is asked for. */
  own: ReadUnit | null
}

/** Returns those specifics of a claim that a unit has. */
function saidIn(
  { specifics: own }: Claim,
  specifics: ReadUnit['specifics'],
  firstOf: readonly number[],
): ReadUnit['specifics'] {
  const said = new Map<number, readonly [number, number]>()
  for (const specific of own) {
    const place = specifics.get(firstOf[specific] ?? specific)
    if (place) said.set(specific, place)
  }
  return said
}

/** Returns which share of the claim's neighbouring terms are neighbours in one of the units, too. */
function orderShare(window: readonly OwnUnit[], pairs: WeighedClaim['pairs']): number {
  let found = 0
  for (const [first, second] of pairs) {
    const key = pairKey(first, second)
    for (const { read } of window) {
      if (!read.pairs.has(key)) continue
      found += 1
      break
    }
  }
  return found / pairs.length
}

/** The score of a passage that says the whole claim. The parts are added in the order in which a score adds them. */
export const HIGHEST_SCORE = SCORE.words + SCORE.order + SCORE.specifics

/**
 * Returns a score that no passage exceeds which has this share of the claim's words, this number of its specifics and
 * this share of its order.
 */
export const mostScore = (
  { specifics: { length } }: Claim,
  coverage: number,
  specifics: number,
  order: number,
): number =>
  SCORE.words * coverage +
  SCORE.order * order +
  SCORE.specifics * (length > 0 ? Math.min(1, specifics / length) : coverage) +
  ROUNDING

const NO_SPECIFICS: ReadonlyMap<number, readonly [number, number]> = new Map()

function specificsIn({ specifics }: Claim, window: readonly OwnUnit[]): Map<number, readonly [number, number]> {
  const found = new Map<number, readonly [number, number]>()
  for (const specific of specifics) {
    const place = window.find((unit) => unit.specifics.has(specific))?.specifics.get(specific)
    if (place) found.set(specific, place)
  }
  return found
}

/** Sums of the same weights in another order differ by less than this. */
const ROUNDING = 1e-12
