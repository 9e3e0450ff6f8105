import { agreesInDenial, contradictionOf } from './contradiction.ts'
import type { IndexView } from './index-view.ts'
import type { Hit, ReadUnit } from './passages.ts'
import { SCORE } from './thresholds.ts'
import type { Claim } from './vocabulary.ts'
import type { WeighedClaim } from './weighed-claim.ts'

/** How many neighbouring units may be the source of one claim. */
const WIDEST_WINDOW = 3

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
  /** By number of a specific: its range in the passage. */
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

/** Compares one claim with the windows (a unit and up to two neighbours) around units of an index. */
export class WindowComparison {
  readonly #weighed: WeighedClaim
  readonly #index: IndexView
  readonly #contrary: ReadonlySet<number>
  /** By term of the claim: its place among them. */
  readonly #places: ReadonlyMap<number, number>
  /** By a term and the one after it: their places among the claim's pairs. */
  readonly #pairs = new Map<number, number[]>()
  readonly #own = new Map<number, OwnUnit>()
  readonly #noTerms: Uint8Array

  constructor(weighed: WeighedClaim, index: IndexView) {
    this.#weighed = weighed
    this.#index = index
    this.#noTerms = new Uint8Array(weighed.weights.size)
    this.#places = new Map(Array.from(weighed.weights.keys(), (term, place) => [term, place]))
    for (const [place, [first, second]] of weighed.pairs.entries()) {
      const key = first * MOST_TERMS + second
      this.#pairs.set(key, [...(this.#pairs.get(key) ?? []), place])
    }
    this.#contrary = new Set(weighed.turnable.flatMap(({ alike, contrary }) => [...alike, ...contrary]))
  }

  /**
   * Returns the best window around a unit, or null when the unit contains nothing of the claim.
   * @param atLeast windows that are certain to score less are not looked at
   */
  best(unit: number, atLeast = 0): Candidate | null {
    const text = this.#index.textOf(unit)
    if (this.#mostAround(unit, text) <= atLeast) return null
    let best: Candidate | null = null
    for (let from = unit - WIDEST_WINDOW + 1; from <= unit; from += 1) {
      for (let to = unit; to < from + WIDEST_WINDOW; to += 1) {
        if (from < 0 || this.#index.textOf(from) !== text || this.#index.textOf(to) !== text) continue
        // Of two windows that support the claim equally, the narrower one is chosen.
        const cost = SCORE.widthCost * (to - from)
        const candidate = this.#compare(from, to, Math.max(best?.score ?? 0, atLeast) + cost)
        if (candidate && (!best || candidate.score - cost > best.score + 1e-9)) {
          best = { ...candidate, score: Math.max(0, candidate.score - cost) }
        }
      }
    }
    return best && best.matches.length + best.specifics.size > 0 ? best : null
  }

  /** Returns a score that no window around a unit exceeds. */
  #mostAround(unit: number, text: number): number {
    const { claim, total } = this.#weighed
    let [weight, specifics] = [0, 0]
    for (let near = unit - WIDEST_WINDOW + 1; near < unit + WIDEST_WINDOW; near += 1) {
      if (near < 0 || this.#index.textOf(near) !== text) continue
      const read = this.#read(near)
      weight += read.weight
      specifics += read.specifics.size
    }
    return mostScore(claim, total > 0 ? Math.min(1, weight / total) : 0, specifics)
  }

  /** @param toBeat null is returned as soon as the score is certain to be no higher than this */
  #compare(from: number, to: number, toBeat: number): Candidate | null {
    if (toBeat >= HIGHEST_SCORE) return null
    const { claim, weights, total, pairs } = this.#weighed
    let [weight, most] = [0, 0]
    for (let unit = from; unit <= to; unit += 1) {
      const read = this.#read(unit)
      weight += read.weight
      most += read.specifics.size
    }
    if (mostScore(claim, total > 0 ? Math.min(1, weight / total) : 0, most) <= toBeat) return null
    const window: OwnUnit[] = []
    for (let unit = from; unit <= to; unit += 1) window.push(this.#read(unit))
    const terms = window.map((unit) => unit.terms)
    let [found, distinct, place] = [0, 0, 0]
    for (const weight of weights.values()) {
      if (isMarked(terms, place)) {
        found += weight
        distinct += 1
      }
      place += 1
    }
    const coverage = total > 0 ? found / total : 0
    if (mostScore(claim, coverage, most) <= toBeat) return null
    const specifics = most > 0 ? specificsIn(claim, window) : NO_SPECIFICS
    const share = claim.specifics.length > 0 ? specifics.size / claim.specifics.length : coverage
    const order = pairs.length > 0 ? this.#orderShare(window) : coverage
    let score = SCORE.words * coverage + SCORE.order * Math.max(order, coverage * 0.6) + SCORE.specifics * share
    if (distinct + specifics.size < 2 && weights.size > 2) score = Math.min(score, SCORE.lonely)
    if (score <= toBeat) return null
    const parting = contradictionOf(this.#weighed, window, coverage)
    if (parting) score *= SCORE.flipped
    const seen = new Map<number, Hit>()
    for (const { hits } of window) for (const hit of hits) if (!seen.has(hit.term)) seen.set(hit.term, hit)
    return {
      text: this.#index.textOf(from),
      start: this.#index.startOf(from),
      end: this.#index.endOf(to),
      score,
      coverage,
      matches: claim.terms.flatMap(({ term, start: claimStart, end: claimEnd }): TermMatch[] => {
        const hit = seen.get(term)
        return hit ? [{ term, claimStart, claimEnd, start: hit.start, end: hit.end }] : []
      }),
      specifics,
      flip: parting && this.#named(parting),
      agreesInDenial: agreesInDenial(this.#weighed, window),
    }
  }

  #named([term, other]: readonly [number, number]): string {
    const [a, b] = [this.#index.vocabulary.keys[term] ?? '', this.#index.vocabulary.keys[other] ?? '']
    return term === other ? a : `${a} / ${b}`
  }

  /** Returns what a unit has of this claim. */
  #read(unit: number): OwnUnit {
    const known = this.#own.get(unit)
    if (known) return known
    const { hits, denies, scopes, specifics } = this.#index.read(unit)
    const own = hits.filter(({ term }) => this.#places.has(term) || this.#contrary.has(term))
    const said = specifics.size > 0 ? this.#saidIn(specifics) : NO_SPECIFICS
    const read = { hits: own, denies, scopes, specifics: said, ...this.#weighedTerms(own), followed: null }
    this.#own.set(unit, read)
    return read
  }

  #saidIn(specifics: ReadUnit['specifics']): ReadUnit['specifics'] {
    const { firstOf } = this.#index.vocabulary
    const said = new Map<number, readonly [number, number]>()
    for (const specific of this.#weighed.claim.specifics) {
      const place = specifics.get(firstOf[specific] ?? specific)
      if (place) said.set(specific, place)
    }
    return said
  }

  #weighedTerms(own: readonly Hit[]): Pick<OwnUnit, 'terms' | 'weight'> {
    if (own.length === 0) return { terms: this.#noTerms, weight: 0 }
    const { weights } = this.#weighed
    const terms = new Uint8Array(weights.size)
    let weight = 0
    for (const { term } of own) {
      const place = this.#places.get(term)
      if (place === undefined || terms[place] === 1) continue
      terms[place] = 1
      weight += weights.get(term) ?? 0
    }
    return { terms, weight }
  }

  /** Returns which share of the claim's neighbouring terms are neighbours in one of the units, too. */
  #orderShare(window: readonly OwnUnit[]): number {
    const followed = window.map((unit) => {
      unit.followed ??= this.#followedIn(unit.hits)
      return unit.followed
    })
    const { length } = this.#weighed.pairs
    let found = 0
    for (let pair = 0; pair < length; pair += 1) if (isMarked(followed, pair)) found += 1
    return found / length
  }

  /** Marks the pairs of the claim that are neighbours in a unit. */
  #followedIn(hits: readonly Hit[]): Uint8Array {
    const followed = new Uint8Array(this.#weighed.pairs.length)
    for (let i = 0; i < hits.length; i += 1) {
      const a = hits[i]
      for (let j = i + 1; a && j < hits.length; j += 1) {
        const b = hits[j]
        if (!b || b.place - a.place > LARGEST_GAP) break
        for (const pair of this.#pairs.get(a.term * MOST_TERMS + b.term) ?? []) followed[pair] = 1
      }
    }
    return followed
  }
}

/** The score of a passage that says the whole claim. The parts are added in the order in which a score adds them. */
export const HIGHEST_SCORE = SCORE.words + SCORE.order + SCORE.specifics

/** Returns a score that no passage with this share of the claim's words and this number of its specifics exceeds. */
const mostScore = ({ specifics: { length } }: Claim, coverage: number, specifics: number): number =>
  SCORE.words * coverage +
  SCORE.order +
  SCORE.specifics * (length > 0 ? Math.min(1, specifics / length) : coverage) +
  ROUNDING

/** What a unit has of one claim. */
type OwnUnit = {
  /** The hits of the claim, and those of what its terms may be turned into. */
  readonly hits: readonly Hit[]
  readonly denies: boolean
  readonly scopes: ReadUnit['scopes']
  /** By number of a specific of the claim: its range in the unit. */
  readonly specifics: ReadonlyMap<number, readonly [number, number]>
  /** The weight of all its terms of the claim together. */
  readonly weight: number
  /** By place of a term in the claim: 1 when the unit has it. */
  readonly terms: Uint8Array
  /** By place of a pair of terms in the claim: 1 when they follow each other in the unit, too. Null until asked for. */
  followed: Uint8Array | null
}

/** Returns whether one of the units has a 1 at a place: the term, or the pair of terms, with this number. */
function isMarked(units: readonly Uint8Array[], place: number): boolean {
  for (const unit of units) if (unit[place] === 1) return true
  return false
}

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

/** How many tokens may stand between two terms that are neighbours in the claim. */
const LARGEST_GAP = 4

const MOST_TERMS = 1 << 20
