import { agreesInDenial, contradictionOf } from './contradiction.ts'
import type { PassageIndex } from './passage-index.ts'
import { type Hit, type ReadUnit, UnitReader } from './unit-reader.ts'
import type { Claim, Vocabulary } from './vocabulary.ts'
import { type WeighedClaim, weigh } from './weighed-claim.ts'

/** Neighbouring units that may have been the source of one claim. */
const WIDEST_WINDOW = 3
/** Windows looked at closely for each claim. */
const CANDIDATES = 16
/** A term in more units than this tells little; its units are not walked when rarer terms have found some. */
const COMMON_UNITS = 20_000

const WEIGHT = { words: 0.65, order: 0.15, specifics: 0.2 } as const
/** What stays of a score when the source denies what the claim says, or says the contrary. */
const FLIPPED = 0.45
/** A wider passage has to carry so much more for every unit. */
const WIDTH_COST = 0.015
/** What one term can be found by at most when nothing else is. */
const LONELY = 0.3

/** A stretch of a source, and how well it carries a claim. */
export type Candidate = {
  /** Place in the index's texts. */
  readonly text: number
  readonly start: number
  readonly end: number
  /** 0 to 1. */
  readonly score: number
  /** Share of the claim's words, by how telling they are. */
  readonly coverage: number
  /** Terms of the claim found: where in the claim, where in the source. */
  readonly matches: readonly TermMatch[]
  /** Specifics (places in the vocabulary) that stand in it. */
  readonly specifics: ReadonlyMap<number, readonly [number, number]>
  /** What the source denies and the claim asserts, or the other way round; null when they agree. */
  readonly flip: string | null
  /** The claim denies something, and so does this passage about the same. */
  readonly agreesInDenial: boolean
}

export type TermMatch = {
  readonly term: number
  readonly claimStart: number
  readonly claimEnd: number
  readonly start: number
  readonly end: number
}

type Asked = WeighedClaim & { readonly isQuestion: boolean }

/** Compares claims with the units of an index. */
export class Scorer {
  readonly #vocabulary: Vocabulary
  readonly #index: PassageIndex
  readonly #coarse: Float32Array
  readonly #reader: UnitReader

  constructor(vocabulary: Vocabulary, index: PassageIndex) {
    this.#vocabulary = vocabulary
    this.#index = index
    this.#coarse = new Float32Array(index.units)
    this.#reader = new UnitReader(vocabulary, index)
  }

  /** How telling a term is among the sources: rare ones say most, what stands nowhere is as telling as a rare one. */
  weightOf(term: number): number {
    const units = this.#index.units
    const holding = this.#index.postings[term]?.length ?? 0
    const rarity = Math.log(1 + units / (Math.max(holding, 1) + 1)) + 0.1
    return this.#vocabulary.isReporting[term] ? rarity * (holding === 0 ? 0.1 : 0.4) : rarity
  }

  /** A unit says this term. */
  holds(unit: number, term: number): boolean {
    return this.#reader.read(unit).hits.some((hit) => hit.term === term)
  }

  /**
   * The best passages for a claim, best first, none overlapping another.
   * @param limit how many of each kind of source
   * @param purpose a question asserts nothing that a passage could contradict
   */
  candidates(claim: Claim, limit: number, purpose: 'claim' | 'question' = 'claim'): Candidate[] {
    const weighed = { ...this.#weigh(claim), isQuestion: purpose === 'question' }
    const units = this.#readerOf(weighed)
    const found: Candidate[] = []
    for (const unit of this.#promising(weighed)) {
      const best = this.#bestWindow(weighed, unit, units)
      if (best) found.push(best)
    }
    return apart(found, limit, (candidate) => this.#index.texts[candidate.text]?.kind ?? 'message')
  }

  /** Units that share most with the claim, by a rough count. */
  #promising({ claim, weights }: WeighedClaim): number[] {
    const coarse = this.#coarse
    const touched: number[] = []
    const rareFirst = [...weights].sort((a, b) => this.#frequency(a[0]) - this.#frequency(b[0]))
    const add = (unit: number, weight: number): void => {
      if (coarse[unit] === 0) touched.push(unit)
      coarse[unit] = (coarse[unit] as number) + weight
    }
    for (const [term, weight] of rareFirst) {
      if (touched.length > CANDIDATES && this.#frequency(term) > COMMON_UNITS) break
      for (const unit of this.#index.postings[term]?.all ?? []) add(unit, weight)
    }
    for (const specific of claim.specifics) {
      const standings = this.#index.standings[specific] ?? []
      for (const { unit } of standings) add(unit, 2 / (1 + standings.length / 20))
    }
    const around = (unit: number): number =>
      (coarse[unit] as number) + 0.6 * Math.max(this.#near(unit, unit - 1), this.#near(unit, unit + 1))
    const isSummary = (unit: number): boolean => this.#index.texts[this.#index.textOf(unit)]?.kind === 'summary'
    const best = [
      ...largest(
        touched.filter((unit) => !isSummary(unit)),
        around,
        CANDIDATES,
      ),
      ...largest(touched.filter(isSummary), around, CANDIDATES),
    ]
    for (const unit of touched) coarse[unit] = 0
    return best
  }

  #near(unit: number, other: number): number {
    return this.#index.textOf(other) === this.#index.textOf(unit) ? (this.#coarse[other] ?? 0) : 0
  }

  #frequency(term: number): number {
    return this.#index.postings[term]?.length ?? 0
  }

  #bestWindow(weighed: Asked, unit: number, units: (unit: number) => ReadUnit): Candidate | null {
    const text = this.#index.textOf(unit)
    let best: Candidate | null = null
    for (let from = unit - WIDEST_WINDOW + 1; from <= unit; from += 1) {
      for (let to = unit; to < from + WIDEST_WINDOW; to += 1) {
        if (from < 0 || this.#index.textOf(from) !== text || this.#index.textOf(to) !== text) continue
        // Of two that carry as much the shorter one says where.
        const cost = WIDTH_COST * (to - from)
        const candidate = this.#compare(weighed, from, to, units, (best?.score ?? 0) + cost)
        if (candidate && (!best || candidate.score - cost > best.score + 1e-9)) {
          best = { ...candidate, score: Math.max(0, candidate.score - cost) }
        }
      }
    }
    return best && best.matches.length + best.specifics.size > 0 ? best : null
  }

  /** @param toBeat null is answered as soon as it is certain that the score is no higher */
  #compare(
    weighed: Asked,
    from: number,
    to: number,
    units: (unit: number) => ReadUnit,
    toBeat: number,
  ): Candidate | null {
    const { claim, weights, total, pairs } = weighed
    const window = Array.from({ length: to - from + 1 }, (_, place) => units(from + place))
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
    const hasSpecifics = claim.specifics.length > 0
    const most = WEIGHT.words * coverage + WEIGHT.order + WEIGHT.specifics * (hasSpecifics ? 1 : coverage)
    if (most <= toBeat) return null
    const [text, start, end] = [this.#index.textOf(from), this.#index.startOf(from), this.#index.endOf(to)]
    const specifics = specificsIn(claim, window)
    const share = hasSpecifics ? specifics.size / claim.specifics.length : coverage
    const order = pairs.length > 0 ? orderShare(pairs, window) : coverage
    let score = WEIGHT.words * coverage + WEIGHT.order * Math.max(order, coverage * 0.6) + WEIGHT.specifics * share
    if (distinct + specifics.size < 2 && weights.size > 2) score = Math.min(score, LONELY)
    if (score <= toBeat) return null
    const parting = weighed.isQuestion ? null : contradictionOf(weighed, window)
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
      agreesInDenial: agreesInDenial(weighed, window),
    }
  }

  #named([term, other]: readonly [number, number]): string {
    const [a, b] = [this.#vocabulary.keys[term] ?? '', this.#vocabulary.keys[other] ?? '']
    return term === other ? a : `${a} / ${b}`
  }

  /** The claim denies something by a negation. */
  denies(claim: Claim): boolean {
    return this.#weigh(claim).denied.size > 0
  }

  #weigh(claim: Claim): WeighedClaim {
    return weigh(claim, this.#vocabulary, (term) => this.weightOf(term))
  }

  /** Reads units with the hits of one claim only. */
  #readerOf({ weights, opposites }: WeighedClaim): (unit: number) => ReadUnit {
    const contrary = new Set(opposites.map(([, other]) => other))
    const read = new Map<number, ReadUnit>()
    return (unit) => {
      const known = read.get(unit)
      if (known) return known
      const { hits, ...unread } = this.#reader.read(unit)
      const own = { hits: hits.filter(({ term }) => weights.has(term) || contrary.has(term)), ...unread }
      read.set(unit, own)
      return own
    }
  }
}

function specificsIn(claim: Claim, window: readonly ReadUnit[]): Map<number, readonly [number, number]> {
  const found = new Map<number, readonly [number, number]>()
  for (const specific of claim.specifics) {
    const place = window.find((unit) => unit.specifics.has(specific))?.specifics.get(specific)
    if (place) found.set(specific, place)
  }
  return found
}

/** Tokens that may stand between two that follow each other in the claim. */
const LARGEST_GAP = 4

const MOST_TERMS = 1 << 20

/** Which share of the claim's neighbouring terms follow each other in the source as well. */
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

/** The `count` largest by a measure, largest first; the earlier of two equal ones. */
export function largest<T>(items: readonly T[], measure: (item: T) => number, count: number): T[] {
  const best: { item: T; value: number }[] = []
  for (const item of items) {
    const value = measure(item)
    const last = best.at(-1)
    if (best.length === count && last && value <= last.value) continue
    let at = best.length
    while (at > 0 && (best[at - 1]?.value ?? 0) < value) at -= 1
    best.splice(at, 0, { item, value })
    if (best.length > count) best.pop()
  }
  return best.map(({ item }) => item)
}

/** Best first, `limit` of each kind, none that shares text with a better one. */
function apart(found: readonly Candidate[], limit: number, kindOf: (candidate: Candidate) => string): Candidate[] {
  const kept: Candidate[] = []
  const counts = new Map<string, number>()
  const order = found.toSorted((a, b) => b.score - a.score || a.text - b.text || a.start - b.start)
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
