import { keepRecent } from '../keeping.ts'
import { type Hit, type Occurrence, pairsOf, type ReadUnit, type SourceText } from './passages.ts'
import { standsAt } from './specifics.ts'
import { NO_OCCURRENCES, type TextIndex } from './text-index.ts'
import type { Vocabulary } from './vocabulary.ts'

/** The occurrences of at most this many specifics are kept. */
const MOST_SPECIFICS = 20_000

/** What an index has of the claims of one vocabulary. It costs nothing for what the claims do not say. */
export class IndexView {
  readonly vocabulary: Vocabulary
  readonly #index: TextIndex
  /** The number in the index of each term of the vocabulary, −1 for none; and the other way round. */
  readonly #terms: Int32Array
  readonly #own = new Map<number, number>()
  /** The specifics of the vocabulary with each anchor of the index; and the anchor of each of those specifics. */
  readonly #specifics = new Map<number, readonly number[]>()
  readonly #anchors = new Map<number, number>()
  /** The occurrences of each specific of the vocabulary, as far as somebody asked. */
  readonly #occurrences = new Map<number, readonly Occurrence[]>()
  readonly #read = new Map<number, ReadUnit>()

  constructor(vocabulary: Vocabulary, index: TextIndex) {
    this.vocabulary = vocabulary
    this.#index = index
    const { keys } = vocabulary
    this.#terms = new Int32Array(keys.length)
    for (let term = 0; term < keys.length; term += 1) {
      const known = index.termOf(keys[term] as string)
      this.#terms[term] = known ?? -1
      if (known !== undefined) this.#own.set(known, term)
    }
    for (const [key, specifics] of vocabulary.anchors) {
      const anchor = index.anchorOf(key)
      if (anchor === undefined) continue
      this.#specifics.set(anchor, specifics)
      for (const specific of specifics) this.#anchors.set(specific, anchor)
    }
  }

  get texts(): readonly SourceText[] {
    return this.#index.texts
  }
  get units(): number {
    return this.#index.units
  }
  textOf(unit: number): number {
    return this.#index.textOf(unit)
  }
  startOf(unit: number): number {
    return this.#index.startOf(unit)
  }
  endOf(unit: number): number {
    return this.#index.endOf(unit)
  }
  /** The units with a term, in their order. */
  unitsWith(term: number): Int32Array {
    return this.#index.unitsWith(this.#terms[term] ?? -1)
  }
  /** How many units have a term. */
  frequencyOf(term: number): number {
    return this.#index.frequencyOf(this.#terms[term] ?? -1)
  }
  get roughScores(): Float32Array {
    return this.#index.roughScores
  }
  roughMarks(words: number): Int32Array {
    return this.#index.roughMarks(words)
  }

  occurrencesOf(specific: number): readonly Occurrence[] {
    const first = this.vocabulary.firstOf[specific] ?? specific
    const known = this.#occurrences.get(first)
    if (known) return known
    const anchor = this.#anchors.get(first)
    const sought = this.vocabulary.specifics[first]
    const found = anchor === undefined || !sought ? NO_OCCURRENCES : this.#index.occurrencesOf(sought, anchor)
    return keepRecent(this.#occurrences, first, found, MOST_SPECIFICS)
  }

  mayDeny(unit: number): boolean {
    return this.#index.mayDeny(unit)
  }

  /** Whether a unit has a term. */
  holds(unit: number, term: number): boolean {
    const known = this.#terms[term] ?? -1
    const { terms } = this.#index.read(unit)
    return terms.has(known < 0 ? (this.vocabulary.keys[term] ?? -1) : known)
  }

  read(unit: number): ReadUnit {
    const known = this.#read.get(unit)
    if (known) return known
    const { tokens, scopes } = this.#index.read(unit)
    const text = this.texts[this.textOf(unit)]?.text ?? ''
    const hits: Hit[] = []
    const specifics = new Map<number, readonly [number, number]>()
    for (const [place, token] of tokens.entries()) {
      const { anchor, start, end, isDenied, isSoft } = token
      const own = this.#termOf(token)
      if (own >= 0) hits.push({ term: own, place, start, end, isDenied, isSoft })
      for (const specific of this.#specifics.get(anchor) ?? []) {
        const sought = this.vocabulary.specifics[specific]
        const found = sought && !specifics.has(specific) && standsAt(sought, text, start, end)
        if (found) specifics.set(specific, found)
      }
    }
    const read = {
      hits,
      terms: [...new Set(hits.map(({ term }) => term))],
      denies: scopes.length > 0,
      scopes: scopes.map((scope) => scope.map((place) => this.#termOf(tokens[place]))),
      specifics,
      pairs: pairsOf(hits),
    }
    this.#read.set(unit, read)
    return read
  }

  #termOf(token: { readonly term: number; readonly key: string | null } | undefined): number {
    if (token === undefined) return -1
    return (token.key === null ? this.#own.get(token.term) : this.vocabulary.termOf(token.key)) ?? -1
  }
}
