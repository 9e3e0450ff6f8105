import { agreesInDenial, contradictionOf } from './contradiction.ts'
import type { Hit, Passages, ReadUnit } from './passages.ts'
import type { Claim } from './vocabulary.ts'
import type { WeighedClaim } from './weighed-claim.ts'

/** How many neighbouring units may be the source of one claim. */
const WIDEST_WINDOW = 3

const WEIGHT = { words: 0.65, order: 0.15, specifics: 0.2 } as const
/** The factor of a score when the source denies what the claim says, or says the opposite. */
const FLIPPED = 0.45
/** A wider passage has to score this much more for every further unit. */
const WIDTH_COST = 0.015
/** The highest score of a passage in which only one term is found. */
const LONELY = 0.3

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
  readonly #index: Passages
  readonly #contrary: ReadonlySet<number>
  readonly #own = new Map<number, OwnUnit>()

  constructor(weighed: WeighedClaim, index: Passages) {
    this.#weighed = weighed
    this.#index = index
    this.#contrary = new Set(weighed.turnable.flatMap(({ alike, contrary }) => [...alike, ...contrary]))
  }

  /**
   * Returns the best window around a unit, or null when the unit contains nothing of the claim.
   * @param atLeast windows that are certain to score less are not looked at
   */
  best(unit: number, atLeast = 0): Candidate | null {
    const text = this.#index.textOf(unit)
    let best: Candidate | null = null
    for (let from = unit - WIDEST_WINDOW + 1; from <= unit; from += 1) {
      for (let to = unit; to < from + WIDEST_WINDOW; to += 1) {
        if (from < 0 || this.#index.textOf(from) !== text || this.#index.textOf(to) !== text) continue
        // Of two windows that support the claim equally, the narrower one is chosen.
        const cost = WIDTH_COST * (to - from)
        const candidate = this.#compare(from, to, Math.max(best?.score ?? 0, atLeast) + cost)
        if (candidate && (!best || candidate.score - cost > best.score + 1e-9)) {
          best = { ...candidate, score: Math.max(0, candidate.score - cost) }
        }
      }
    }
    return best && best.matches.length + best.specifics.size > 0 ? best : null
  }

  /** @param toBeat null is returned as soon as the score is certain to be no higher than this */
  #compare(from: number, to: number, toBeat: number): Candidate | null {
    const { claim, weights, total, pairs } = this.#weighed
    const window: OwnUnit[] = []
    let weight = 0
    for (let unit = from; unit <= to; unit += 1) {
      const read = this.#read(unit)
      window.push(read)
      weight += read.weight
    }
    if (mostScore(claim, total > 0 ? Math.min(1, weight / total) : 0) <= toBeat) return null
    const seen = new Map<number, Hit>()
    for (const { hits } of window) for (const hit of hits) if (!seen.has(hit.term)) seen.set(hit.term, hit)
    let found = 0
    let distinct = 0
    for (const [term, weight] of weights) {
      if (!seen.has(term)) continue
      found += weight
      distinct += 1
    }
    const coverage = total > 0 ? found / total : 0
    if (mostScore(claim, coverage) <= toBeat) return null
    const [text, start, end] = [this.#index.textOf(from), this.#index.startOf(from), this.#index.endOf(to)]
    const specifics = specificsIn(claim, this.#index.vocabulary.firstOf, window)
    const share = claim.specifics.length > 0 ? specifics.size / claim.specifics.length : coverage
    const order = pairs.length > 0 ? orderShare(pairs, window) : coverage
    let score = WEIGHT.words * coverage + WEIGHT.order * Math.max(order, coverage * 0.6) + WEIGHT.specifics * share
    if (distinct + specifics.size < 2 && weights.size > 2) score = Math.min(score, LONELY)
    if (score <= toBeat) return null
    const parting = contradictionOf(this.#weighed, window)
    if (parting) score *= FLIPPED
    const matches = claim.terms.flatMap(({ term, start: claimStart, end: claimEnd }): TermMatch[] => {
      const hit = seen.get(term)
      return hit ? [{ term, claimStart, claimEnd, start: hit.start, end: hit.end }] : []
    })
    const flip = parting && this.#named(parting)
    return {
      text,
      start,
      end,
      score,
      coverage,
      matches,
      specifics,
      flip,
      agreesInDenial: agreesInDenial(this.#weighed, window),
    }
  }

  #named([term, other]: readonly [number, number]): string {
    const [a, b] = [this.#index.vocabulary.keys[term] ?? '', this.#index.vocabulary.keys[other] ?? '']
    return term === other ? a : `${a} / ${b}`
  }

  /** Returns a unit with the hits of this claim only. */
  #read(unit: number): OwnUnit {
    const known = this.#own.get(unit)
    if (known) return known
    const { hits, ...unread } = this.#index.read(unit)
    const own = hits.filter(({ term }) => this.#weighed.weights.has(term) || this.#contrary.has(term))
    const seen = new Set<number>()
    let weight = 0
    for (const { term } of own) {
      if (seen.has(term)) continue
      seen.add(term)
      weight += this.#weighed.weights.get(term) ?? 0
    }
    const read = { hits: own, ...unread, weight }
    this.#own.set(unit, read)
    return read
  }
}

/** A unit with the hits of one claim. `weight` is that of all its terms of the claim together. */
type OwnUnit = ReadUnit & { readonly weight: number }

/** Returns what a passage with this share of the claim's words scores at most. */
const mostScore = ({ specifics }: Claim, coverage: number): number =>
  WEIGHT.words * coverage + WEIGHT.order + WEIGHT.specifics * (specifics.length > 0 ? 1 : coverage) + ROUNDING

/** Sums of the same weights in another order differ by less than this. */
const ROUNDING = 1e-12

function specificsIn(
  claim: Claim,
  firstOf: readonly number[],
  window: readonly ReadUnit[],
): Map<number, readonly [number, number]> {
  const found = new Map<number, readonly [number, number]>()
  for (const specific of claim.specifics) {
    const first = firstOf[specific] ?? specific
    const place = window.find((unit) => unit.specifics.has(first))?.specifics.get(first)
    if (place) found.set(specific, place)
  }
  return found
}

/** How many tokens may stand between two terms that are neighbours in the claim. */
const LARGEST_GAP = 4

const MOST_TERMS = 1 << 20

/** Returns which share of the claim's neighbouring terms are neighbours in the source, too. */
function orderShare(pairs: readonly (readonly [number, number])[], units: readonly ReadUnit[]): number {
  const followers = new Set<number>()
  for (const { hits } of units) {
    for (let i = 0; i < hits.length; i += 1) {
      const a = hits[i]
      for (let j = i + 1; a && j < hits.length; j += 1) {
        const b = hits[j]
        if (!b || b.place - a.place > LARGEST_GAP) break
        followers.add(a.term * MOST_TERMS + b.term)
      }
    }
  }
  return pairs.filter(([a, b]) => followers.has(a * MOST_TERMS + b)).length / pairs.length
}
