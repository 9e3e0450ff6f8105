import type { PassageIndex } from './passage-index.ts'
import { polarityOf } from './polarity.ts'
import { type Token, tokensOf } from './tokens.ts'
import { type Claim, isTelling, sourceKey, type Vocabulary } from './vocabulary.ts'
import { OPPOSITES } from './word-lists.ts'

/** Neighbouring units that may have been the source of one claim. */
const WIDEST_WINDOW = 3
/** Windows looked at closely for each claim. */
const CANDIDATES = 24
/** A term in more units than this tells little; its units are not walked when rarer terms have found some. */
const COMMON_UNITS = 20_000

const WEIGHT = { words: 0.65, order: 0.15, specifics: 0.2 } as const
/** What stays of a score when the source denies what the claim says, or says the contrary. */
const FLIPPED = 0.45
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
}

export type TermMatch = {
  readonly term: number
  readonly claimStart: number
  readonly claimEnd: number
  readonly start: number
  readonly end: number
}

/** A claim's terms with what each weighs. */
type Weighed = {
  readonly claim: Claim
  /** By distinct term. */
  readonly weights: ReadonlyMap<number, number>
  readonly total: number
  /** Terms that the claim denies, and those that it asserts somewhere. */
  readonly denied: ReadonlySet<number>
  readonly asserted: ReadonlySet<number>
  readonly isSoft: boolean
  readonly pairs: readonly (readonly [number, number])[]
}

/** Compares claims with the units of an index. */
export class Scorer {
  readonly #vocabulary: Vocabulary
  readonly #index: PassageIndex
  readonly #coarse: Float32Array
  readonly #analysed = new Map<number, Analysed>()

  constructor(vocabulary: Vocabulary, index: PassageIndex) {
    this.#vocabulary = vocabulary
    this.#index = index
    this.#coarse = new Float32Array(index.units)
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
    return this.#analyse(unit).hits.some((hit) => hit.term === term)
  }

  /**
   * The best passages for a claim, best first, none overlapping another.
   * @param limit how many of each kind of source
   */
  candidates(claim: Claim, limit: number): Candidate[] {
    const weighed = this.#weigh(claim)
    const found: Candidate[] = []
    for (const unit of this.#promising(weighed)) {
      const best = this.#bestWindow(weighed, unit)
      if (best) found.push(best)
    }
    return apart(found, limit, (candidate) => this.#index.texts[candidate.text]?.kind ?? 'message')
  }

  #weigh(claim: Claim): Weighed {
    const weights = new Map<number, number>()
    for (const { term } of claim.terms) weights.set(term, this.weightOf(term))
    const tokens = tokensOf(claim.text)
    const termAt = new Map(claim.terms.map(({ term, start }) => [start - claim.start, term]))
    const termOf = (place: number): number | undefined => termAt.get(tokens[place]?.start ?? -1)
    const { denied, isSoft } = polarityOf(claim.text, tokens, (place) => termOf(place) !== undefined)
    const deniedTerms = new Set([...denied].flatMap((place) => termOf(place) ?? []))
    const asserted = new Set(tokens.flatMap((_, place) => (denied.has(place) ? [] : (termOf(place) ?? []))))
    const pairs = claim.terms.slice(1).map(({ term }, place) => [claim.terms[place]?.term ?? -1, term] as const)
    let total = 0
    for (const weight of weights.values()) total += weight
    return { claim, weights, total, denied: deniedTerms, asserted, isSoft, pairs }
  }

  /** Units that share most with the claim, by a rough count. */
  #promising({ claim, weights }: Weighed): number[] {
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

  #bestWindow(weighed: Weighed, unit: number): Candidate | null {
    const text = this.#index.textOf(unit)
    let best: Candidate | null = null
    for (let from = unit - WIDEST_WINDOW + 1; from <= unit; from += 1) {
      for (let to = unit; to < from + WIDEST_WINDOW; to += 1) {
        if (from < 0 || this.#index.textOf(from) !== text || this.#index.textOf(to) !== text) continue
        const candidate = this.#compare(weighed, text, from, to)
        // Of two that carry as much the shorter one says where.
        const gain = candidate.score - 0.015 * (to - from)
        if (!best || gain > best.score + 1e-9) best = { ...candidate, score: Math.max(0, gain) }
      }
    }
    return best && best.matches.length + best.specifics.size > 0 ? best : null
  }

  #compare(weighed: Weighed, text: number, from: number, to: number): Candidate {
    const { claim, weights, total, pairs } = weighed
    const units = Array.from({ length: to - from + 1 }, (_, place) => this.#analyse(from + place))
    const matches: TermMatch[] = []
    let found = 0
    const seen = new Map<number, Hit>()
    for (const { hits } of units) for (const hit of hits) if (!seen.has(hit.term)) seen.set(hit.term, hit)
    for (const { term, start, end } of claim.terms) {
      const hit = seen.get(term)
      if (hit) matches.push({ term, claimStart: start, claimEnd: end, start: hit.start, end: hit.end })
    }
    for (const [term, weight] of weights) if (seen.has(term)) found += weight
    const coverage = total > 0 ? found / total : 0
    const [start, end] = [this.#index.startOf(from), this.#index.endOf(to)]
    const specifics = this.#specificsWithin(claim, text, start, end)
    const share = claim.specifics.length > 0 ? specifics.size / claim.specifics.length : coverage
    const order = pairs.length > 0 ? orderShare(pairs, units) : coverage
    let score = WEIGHT.words * coverage + WEIGHT.order * Math.max(order, coverage * 0.6) + WEIGHT.specifics * share
    const distinct = [...weights.keys()].filter((term) => seen.has(term)).length
    if (distinct + specifics.size < 2 && weights.size > 2) score = Math.min(score, LONELY)
    const flip = this.#flip(weighed, units)
    if (flip !== null) score *= FLIPPED
    return { text, start, end, score, coverage, matches, specifics, flip }
  }

  #specificsWithin(claim: Claim, text: number, start: number, end: number): Map<number, readonly [number, number]> {
    const found = new Map<number, readonly [number, number]>()
    for (const specific of claim.specifics) {
      const standing = this.#index.standings[specific]?.find(
        (place) => place.text === text && place.start >= start - 1 && place.end <= end + 1,
      )
      if (standing) found.set(specific, [standing.start, standing.end])
    }
    return found
  }

  /** A word that one side denies and the other asserts; null when the two agree, or nothing speaks for a difference. */
  #flip({ denied, asserted, isSoft, weights }: Weighed, units: readonly Analysed[]): string | null {
    const softly = isSoft || units.some((unit) => unit.isSoft)
    const sourceDenied = new Set(
      units.flatMap((unit) => unit.hits.filter((hit) => hit.isDenied).map((hit) => hit.term)),
    )
    const sourceAsserted = new Set(
      units.flatMap((unit) => unit.hits.filter((hit) => !hit.isDenied).map((hit) => hit.term)),
    )
    if (!softly) {
      const key = (term: number): string => this.#vocabulary.keys[term] ?? ''
      // The whole reach of a negation differs: one word alone may just stand elsewhere in the sentence.
      const shared = [...denied].filter((term) => sourceDenied.has(term) || sourceAsserted.has(term))
      const [lost] = shared
      if (lost !== undefined && shared.every((term) => !sourceDenied.has(term)) && !units.some((unit) => unit.denies)) {
        return key(lost)
      }
      const claimDenies = denied.size > 0
      const overlooked = [...sourceDenied].filter((term) => asserted.has(term) && !sourceAsserted.has(term))
      const [first] = overlooked
      if (!claimDenies && first !== undefined) return key(first)
    }
    for (const term of weights.keys()) {
      if (sourceDenied.has(term) || sourceAsserted.has(term) || denied.has(term)) continue
      for (const opposite of OPPOSITES.get(this.#vocabulary.keys[term] ?? '') ?? []) {
        const other = this.#vocabulary.termOf(opposite)
        if (other === undefined || weights.has(other) || !sourceAsserted.has(other)) continue
        return `${this.#vocabulary.keys[term] ?? ''} / ${opposite}`
      }
    }
    return null
  }

  #analyse(unit: number): Analysed {
    const known = this.#analysed.get(unit)
    if (known) return known
    const { text } = this.#index.texts[this.#index.textOf(unit)] ?? { text: '' }
    const [from, to] = [this.#index.startOf(unit), this.#index.endOf(unit)]
    const piece = text.slice(from, to)
    const tokens = tokensOf(piece)
    const terms = tokens.map((token) => this.#termOf(token, piece))
    const polarity = polarityOf(piece, tokens, (place) => isTellingAt(tokens, place, piece))
    const hits = tokens.flatMap((token, place): Hit[] => {
      const term = terms[place]
      if (term === undefined) return []
      return [{ term, place, start: token.start + from, end: token.end + from, isDenied: polarity.denied.has(place) }]
    })
    const analysed = { hits, isSoft: polarity.isSoft, denies: polarity.denied.size > 0 }
    this.#analysed.set(unit, analysed)
    return analysed
  }

  #termOf({ kind, start, end }: Token, piece: string): number | undefined {
    return this.#vocabulary.termOf(sourceKey(kind, piece.slice(start, end)))
  }
}

type Hit = {
  readonly term: number
  readonly place: number
  readonly start: number
  readonly end: number
  readonly isDenied: boolean
}
type Analysed = { readonly hits: readonly Hit[]; readonly isSoft: boolean; readonly denies: boolean }

const isTellingAt = (tokens: readonly Token[], place: number, piece: string): boolean => {
  const token = tokens[place]
  return token !== undefined && isTelling(token, piece)
}

/** Tokens that may stand between two that follow each other in the claim. */
const LARGEST_GAP = 4

/** Which share of the claim's neighbouring terms follow each other in the source as well. */
function orderShare(pairs: readonly (readonly [number, number])[], units: readonly Analysed[]): number {
  const followers = new Set<string>()
  for (const { hits } of units) {
    for (let i = 0; i < hits.length; i += 1) {
      const a = hits[i]
      for (let j = i + 1; a && j < hits.length; j += 1) {
        const b = hits[j]
        if (!b || b.place - a.place > LARGEST_GAP) break
        followers.add(`${a.term} ${b.term}`)
      }
    }
  }
  return pairs.filter(([a, b]) => followers.has(`${a} ${b}`)).length / pairs.length
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
