import type { IndexView } from './index-view.ts'
import type { Relation } from './relations.ts'
import { promisingUnits } from './rough-comparison.ts'
import type { Claim, Vocabulary } from './vocabulary.ts'
import { readClaim, type WeighedClaim } from './weighed-claim.ts'
import { type Candidate, type ComparedWindow, HIGHEST_SCORE, WindowComparison } from './window-comparison.ts'

const STATES_ORDER = /\b(?:instead of|rather than|before|after|than|replac|from .+ to)\b|→|->/i

/** A denial of a claim has at least this many of its words, or half of the words of a short claim. */
const LEAST_SHARED = 3
/** How many units before and after a denial say what is denied. */
const NEAR = 2

/** Compares claims with the units of an index. */
export class Scorer {
  readonly #vocabulary: Vocabulary
  readonly #index: IndexView
  /** The weight of each term, 0 until somebody asks. */
  readonly #weights: Float64Array
  /** The last claim. Claims are compared one after the other, and keeping all of them would take too much memory. */
  #weighed: WeighedClaim | null = null
  /** The place of each term in the last claim, −1 for none. */
  readonly #places: Int32Array

  constructor(vocabulary: Vocabulary, index: IndexView) {
    this.#vocabulary = vocabulary
    this.#index = index
    this.#weights = new Float64Array(vocabulary.keys.length)
    this.#places = new Int32Array(vocabulary.keys.length).fill(-1)
  }

  /**
   * Returns how informative a term is among the sources. Rare terms weigh most, and a term that occurs nowhere weighs
   * like a rare one.
   */
  weightOf(term: number): number {
    const known = this.#weights[term] as number
    if (known > 0) return known
    const weight = this.#weigh(term)
    this.#weights[term] = weight
    return weight
  }

  #weigh(term: number): number {
    const units = this.#index.units
    const holding = this.#index.frequencyOf(term)
    const rarity = Math.log(1 + units / (Math.max(holding, 1) + 1)) + 0.1
    return this.#vocabulary.isReporting[term] ? rarity * (holding === 0 ? 0.1 : 0.4) : rarity
  }

  /**
   * Returns the best passages for a claim, the best first and without overlaps.
   * @param limit how many passages of each kind of source
   */
  candidates(claim: Claim, limit: number): Candidate[] {
    const weighed = this.#weighedOf(claim)
    const windows = new WindowComparison(weighed, this.#index)
    const found = promisingUnits(weighed, this.#index).flatMap(({ unit }) => {
      const best = windows.best(unit)
      return best ? windows.candidateOf(best) : []
    })
    return apart(found, limit, (candidate) => this.#index.texts[candidate.text]?.kind ?? 'message')
  }

  /** Returns the best passage for a claim, or null when no text has anything of it. */
  nearest(claim: Claim): Candidate | null {
    const weighed = this.#weighedOf(claim)
    const windows = new WindowComparison(weighed, this.#index)
    let best: ComparedWindow | null = null
    for (const { unit, most } of promisingUnits(weighed, this.#index)) {
      if (best !== null && most <= best.score) continue
      const found = windows.best(unit, best?.score)
      // Units are numbered in the order of the texts, and equal windows are ordered as `byScore` orders them.
      if (
        found &&
        (best === null || found.score > best.score || (found.score === best.score && found.from < best.from))
      )
        best = found
      if (best !== null && best.score >= HIGHEST_SCORE) break
    }
    return best && windows.candidateOf(best)
  }

  /** Returns the orders of two things that a claim states. */
  relationsOf(claim: Claim): readonly Relation[] {
    return readClaim(claim, this.#vocabulary).relations()
  }

  /** Returns whether the claim denies something by a negation. */
  denies(claim: Claim): boolean {
    return readClaim(claim, this.#vocabulary).denied.size > 0
  }

  /** Returns whether a claim denies something, or has a word or an order that a passage may turn round. */
  mayTurn(claim: Claim): boolean {
    if (STATES_ORDER.test(claim.text)) return true
    const { denied, turnable } = readClaim(claim, this.#vocabulary)
    if (denied.size > 0) return true
    return turnable.some(({ contrary, around }) => contrary.some((term) => this.#standsBeside(term, around)))
  }

  /** Returns whether a unit has a term and one of the words around its contrary. */
  #standsBeside(term: number, around: ReadonlySet<number>): boolean {
    if (this.#index.frequencyOf(term) === 0) return false
    if (around.size === 0) return true
    return this.#index.unitsWith(term).some((unit) => around.values().some((word) => this.#index.holds(unit, word)))
  }

  /** Returns whether a unit denies something that a claim says, and has enough of its words to be about the same. */
  deniesOf(claim: Claim, unit: number): boolean {
    if (!this.#index.mayDeny(unit)) return false
    const { scopes } = this.#index.read(unit)
    if (scopes.length === 0) return false
    const { terms, turnable } = readClaim(claim, this.#vocabulary)
    const related = (term: number): boolean =>
      turnable.some(({ alike, contrary }) => alike.includes(term) || contrary.includes(term))
    if (!scopes.some((scope) => scope.some((term) => terms.includes(term) || related(term)))) return false
    const least = Math.min(LEAST_SHARED, terms.length / 2)
    let shared = 0
    for (const term of terms) {
      if (shared >= least) return true
      if (this.#isNear(term, unit)) shared += 1
    }
    return shared >= least
  }

  #isNear(term: number, unit: number): boolean {
    for (let near = unit - NEAR; near <= unit + NEAR; near += 1) if (this.#index.holds(near, term)) return true
    return false
  }

  #weighedOf(claim: Claim): WeighedClaim {
    if (this.#weighed?.claim === claim) return this.#weighed
    for (const term of this.#weighed?.terms ?? []) this.#places[term] = -1
    const read = readClaim(claim, this.#vocabulary)
    const weights = new Float64Array(read.terms.length)
    let total = 0
    for (const [place, term] of read.terms.entries()) {
      const weight = this.weightOf(term) * (read.shares[place] as number)
      weights[place] = weight
      total += weight
      this.#places[term] = place
    }
    this.#weighed = { ...read, claim, weights, total, places: this.#places }
    return this.#weighed
  }
}

const byScore = (a: Candidate, b: Candidate): number => b.score - a.score || a.text - b.text || a.start - b.start

/** Returns the best `limit` passages of each kind, the best first. A passage that overlaps a better one is left out. */
function apart(found: readonly Candidate[], limit: number, kindOf: (candidate: Candidate) => string): Candidate[] {
  const kept: Candidate[] = []
  const counts = new Map<string, number>()
  const order = found.toSorted(byScore)
  for (const candidate of order) {
    const kind = kindOf(candidate)
    if ((counts.get(kind) ?? 0) >= limit) continue
    const overlaps = kept.some(
      (other) => other.text === candidate.text && other.start < candidate.end && other.end > candidate.start,
    )
    if (overlaps) continue
    kept.push(candidate)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return kept
}
