import type { IndexView } from './index-view.ts'
import type { Claim, Vocabulary } from './vocabulary.ts'
import { type WeighedClaim, weigh } from './weighed-claim.ts'
import { type Candidate, HIGHEST_SCORE, WindowComparison } from './window-comparison.ts'

/** How many windows are compared closely for each claim. */
const CANDIDATES = 16
/** A term in more units than this says little. Its units are not walked when rarer terms have found some. */
const COMMON_UNITS = 20_000

const STATES_ORDER = /\b(?:instead of|rather than|before|after|than|replac|from .+ to)\b|→|->/i

/** A denial of a claim has so many of its words, or half of the words of a short claim. */
const LEAST_SHARED = 3

/** Compares claims with the units of an index. */
export class Scorer {
  readonly #vocabulary: Vocabulary
  readonly #index: IndexView
  /** The last claim. Claims are compared one after the other, and keeping all of them would take too much memory. */
  #weighed: WeighedClaim | null = null

  constructor(vocabulary: Vocabulary, index: IndexView) {
    this.#vocabulary = vocabulary
    this.#index = index
  }

  /**
   * Returns how informative a term is among the sources. Rare terms weigh most, and a term that occurs nowhere weighs
   * like a rare one.
   */
  weightOf(term: number): number {
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
    const weighed = this.#weigh(claim)
    const windows = new WindowComparison(weighed, this.#index)
    const found = this.#promising(weighed).flatMap((unit) => windows.best(unit) ?? [])
    return apart(found, limit, (candidate) => this.#index.texts[candidate.text]?.kind ?? 'message')
  }

  /** Returns the best passage for a claim, or null when no text has anything of it. */
  nearest(claim: Claim): Candidate | null {
    const weighed = this.#weigh(claim)
    const windows = new WindowComparison(weighed, this.#index)
    let best: Candidate | null = null
    for (const unit of this.#promising(weighed)) {
      const candidate = windows.best(unit, best?.score)
      if (candidate && (best === null || byScore(candidate, best) < 0)) best = candidate
      if (best !== null && best.score >= HIGHEST_SCORE) break
    }
    return best
  }

  /** Returns the units that share most with the claim, by a rough count. */
  #promising({ claim, weights }: WeighedClaim): number[] {
    const coarse = this.#index.roughScores
    const touched: number[] = []
    const rareFirst = [...weights].sort((a, b) => this.#frequency(a[0]) - this.#frequency(b[0]))
    const add = (unit: number, weight: number): void => {
      if (coarse[unit] === 0) touched.push(unit)
      coarse[unit] = (coarse[unit] as number) + weight
    }
    for (const [term, weight] of rareFirst) {
      if (touched.length > CANDIDATES && this.#frequency(term) > COMMON_UNITS) break
      for (const unit of this.#index.unitsWith(term)) add(unit, weight)
    }
    for (const specific of claim.specifics) {
      const occurrences = this.#index.occurrencesOf(specific)
      for (const { unit } of occurrences) add(unit, 2 / (1 + occurrences.length / 20))
    }
    const messages = new Largest(CANDIDATES)
    const summaries = new Largest(CANDIDATES)
    for (const unit of touched) {
      const text = this.#index.textOf(unit)
      const kind = this.#index.texts[text]?.kind === 'summary' ? summaries : messages
      const before = this.#index.textOf(unit - 1) === text ? (coarse[unit - 1] ?? 0) : 0
      const after = this.#index.textOf(unit + 1) === text ? (coarse[unit + 1] ?? 0) : 0
      kind.add(unit, (coarse[unit] as number) + 0.6 * Math.max(before, after))
    }
    for (const unit of touched) coarse[unit] = 0
    return [...messages.units, ...summaries.units]
  }

  #frequency(term: number): number {
    return this.#index.frequencyOf(term)
  }

  /** Returns whether the claim denies something by a negation. */
  denies(claim: Claim): boolean {
    return this.#weigh(claim).denied.size > 0
  }

  /** Returns whether a claim denies something, or has a word or an order that a passage may turn round. */
  mayTurn(claim: Claim): boolean {
    const { denied, turnable } = this.#weigh(claim)
    if (denied.size > 0 || STATES_ORDER.test(claim.text)) return true
    return turnable.some(({ contrary, around }) => contrary.some((term) => this.#standsBeside(term, around)))
  }

  /** Returns whether a unit has a term and one of the words around its contrary. */
  #standsBeside(term: number, around: ReadonlySet<number>): boolean {
    if (this.#frequency(term) === 0) return false
    if (around.size === 0) return true
    return this.#index.unitsWith(term).some((unit) => around.values().some((word) => this.#index.holds(unit, word)))
  }

  /** Returns whether a unit denies something that a claim says, and has enough of its words to be about the same. */
  deniesOf(claim: Claim, unit: number): boolean {
    if (!this.#index.mayDeny(unit)) return false
    const { scopes } = this.#index.read(unit)
    const { weights, turnable } = this.#weigh(claim)
    const near = [-2, -1, 0, 1, 2].map((step) => unit + step)
    let shared = 0
    for (const term of weights.keys()) if (near.some((one) => this.#index.holds(one, term))) shared += 1
    if (shared < Math.min(LEAST_SHARED, weights.size / 2)) return false
    const related = (term: number): boolean =>
      turnable.some(({ alike, contrary }) => alike.includes(term) || contrary.includes(term))
    return scopes.some((scope) => scope.some((term) => weights.has(term) || related(term)))
  }

  #weigh(claim: Claim): WeighedClaim {
    if (this.#weighed?.claim !== claim) this.#weighed = weigh(claim, this.#vocabulary, (term) => this.weightOf(term))
    return this.#weighed
  }
}

/** The units with the largest values, the largest first. Of two equal ones the earlier one comes first. */
class Largest {
  readonly units: number[] = []
  readonly #values: number[] = []
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  add(unit: number, value: number): void {
    let at = this.units.length
    if (at === this.#most && value <= (this.#values[at - 1] as number)) return
    while (at > 0 && (this.#values[at - 1] as number) < value) at -= 1
    this.units.splice(at, 0, unit)
    this.#values.splice(at, 0, value)
    if (this.units.length <= this.#most) return
    this.units.pop()
    this.#values.pop()
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
