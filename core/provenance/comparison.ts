import type { SpecificKind } from '../contract/provenance.ts'
import { keepRecent } from '../keeping.ts'
import type { IndexView } from './index-view.ts'
import type { Occurrence } from './passages.ts'
import { type Relation, relationsOf, swappedOrder } from './relations.ts'
import { Scorer } from './scoring.ts'
import { type Specific, specificsOf } from './specifics.ts'
import type { Token } from './tokens.ts'
import { type Claim, tellingIn, termKey } from './vocabulary.ts'
import type { Candidate } from './window-comparison.ts'

/** Claims of one vocabulary beside the texts of one index: what verdicts and fates are both read from. */
export class Comparison {
  readonly index: IndexView
  readonly scorer: Scorer
  /** By passage. Many claims have the same nearest passage, which is read once. */
  readonly #passages = new Map<string, Passage>()
  /** The words beside the last specific. Its places in the texts are looked at one after the other. */
  #beside: WordsBeside | null = null

  constructor(index: IndexView) {
    this.index = index
    this.scorer = new Scorer(index.vocabulary, index)
  }

  specific(number: number): Specific {
    return this.index.vocabulary.specifics[number] as Specific
  }

  textOf({ text, start, end }: Candidate): string {
    return this.index.texts[text]?.text.slice(start, end) ?? ''
  }

  /** Returns the two things of which a claim and a passage state the opposite order, or null. */
  swappedIn(claim: Claim, passage: Candidate): readonly [string, string] | null {
    const own = this.scorer.relationsOf(claim)
    return own.length === 0 ? null : swappedOrder(own, this.passage(passage).relations)
  }

  /** Returns what a passage says by itself. */
  passage(candidate: Candidate): Passage {
    return this.#read(this.textOf(candidate))
  }

  /** Returns which share of a claim's other words, by weight, stands in the lines around an occurrence of a specific. */
  shareAround(claim: Claim, specific: Specific, { unit, text }: Occurrence): number {
    const { terms, weights, total } = this.#besideOf(claim, specific)
    if (total === 0) return 1
    const before = this.index.textOf(unit - 1) === text
    const after = this.index.textOf(unit + 1) === text
    let held = 0
    for (let place = 0; place < terms.length; place += 1) {
      const term = terms[place] as number
      const isNear =
        this.index.holds(unit, term) ||
        (before && this.index.holds(unit - 1, term)) ||
        (after && this.index.holds(unit + 1, term))
      if (isNear) held += weights[place] as number
    }
    return held / total
  }

  #besideOf(claim: Claim, specific: Specific): WordsBeside {
    if (this.#beside?.specific === specific) return this.#beside
    const terms = [...termsBeside(claim, specific)]
    const weights = terms.map((term) => this.scorer.weightOf(term))
    let total = 0
    for (const weight of weights) total += weight
    this.#beside = { specific, terms, weights, total }
    return this.#beside
  }

  /** Returns what a passage says that may stand in place of a specific: others that the claim does not say. */
  othersIn(claim: Claim, sought: Specific, passage: Candidate, isAlike: typeof isAlikeKind = isAlikeKind): Specific[] {
    const said = new Set(claim.specifics.map((specific) => this.specific(specific).key))
    return this.passage(passage).specifics.filter(({ kind, key }) => isAlike(kind, sought.kind) && !said.has(key))
  }

  #read(text: string): Passage {
    const known = this.#passages.get(text)
    return known ?? keepRecent(this.#passages, text, new Passage(text), MOST_PASSAGES)
  }
}

/** The words of a claim beside a specific of it, with their weights. */
type WordsBeside = {
  readonly specific: Specific
  readonly terms: readonly number[]
  readonly weights: readonly number[]
  readonly total: number
}

/** What a text says by itself. Each part is read when it is first asked for. */
export class Passage {
  readonly text: string
  #specifics: readonly Specific[] | null = null
  #relations: readonly Relation[] | null = null
  #telling: readonly Token[] | null = null
  #words: ReadonlySet<string> | null = null

  constructor(text: string) {
    this.text = text
  }

  get specifics(): readonly Specific[] {
    this.#specifics ??= specificsOf(this.text)
    return this.#specifics
  }

  /** The orders of two things that it states. */
  get relations(): readonly Relation[] {
    this.#relations ??= relationsOf(this.text)
    return this.#relations
  }

  /** Its informative tokens. */
  get telling(): readonly Token[] {
    this.#telling ??= tellingIn(this.text)
    return this.#telling
  }

  /** Its informative words, as they are compared. */
  get words(): ReadonlySet<string> {
    this.#words ??= new Set(this.telling.map((token) => termKey(token, this.text)))
    return this.#words
  }
}

/** At most this many passages are kept. */
const MOST_PASSAGES = 2000

/** The terms of a claim outside a specific of it, each once. */
export function termsBeside(claim: Claim, { start, end }: Specific): ReadonlySet<number> {
  const beside = new Set<number>()
  for (const term of claim.terms) if (term.start >= end || term.end <= start) beside.add(term.term)
  return beside
}

/** Returns what stands in place of a specific. Where only their units differ, it has its unit. */
export const namedInstead = ({ text, unit }: Specific, sought: Specific): string =>
  text === sought.text && unit ? `${text} ${unit}` : text

/** A number of at most four digits occurs in many texts by coincidence, so it is no evidence by itself. */
export const isShortNumber = ({ kind, key }: Specific): boolean =>
  NUMBERS.has(kind) && kind !== 'date' && key.replace(/\D/g, '').length < 5

export const isAlikeKind = (a: SpecificKind, b: SpecificKind): boolean =>
  a === b || (NAMES.has(a) && NAMES.has(b)) || (NUMBERS.has(a) && NUMBERS.has(b))
const NAMES: ReadonlySet<SpecificKind> = new Set(['path', 'identifier', 'code', 'hash', 'url'])
export const NUMBERS: ReadonlySet<SpecificKind> = new Set(['number', 'version', 'time', 'date'])
