import type { PassageIndex } from './passage-index.ts'
import { polarityOf } from './polarity.ts'
import { standsAt } from './specifics.ts'
import { type Token, tokensOf } from './tokens.ts'
import { isTelling, termKey, type Vocabulary } from './vocabulary.ts'

/** A term of the claims that occurs in a source. `place` is the index among the tokens of its unit. */
export type Hit = {
  readonly term: number
  readonly place: number
  readonly start: number
  readonly end: number
  readonly isDenied: boolean
  /** True when a word near it denies something without a negation. */
  readonly isSoft: boolean
}

/** What a unit (a line or sentence) of a source has in common with the claims. */
export type ReadUnit = {
  readonly hits: readonly Hit[]
  readonly denies: boolean
  /** By number of a specific of the claims: its range in the unit. */
  readonly specifics: ReadonlyMap<number, readonly [number, number]>
}

/** Reads units in detail, each once. */
export class UnitReader {
  readonly #vocabulary: Vocabulary
  readonly #index: PassageIndex
  readonly #read = new Map<number, ReadUnit>()

  constructor(vocabulary: Vocabulary, index: PassageIndex) {
    this.#vocabulary = vocabulary
    this.#index = index
  }

  read(unit: number): ReadUnit {
    const known = this.#read.get(unit)
    if (known) return known
    const { text } = this.#index.texts[this.#index.textOf(unit)] ?? { text: '' }
    const [from, to] = [this.#index.startOf(unit), this.#index.endOf(unit)]
    const piece = text.slice(from, to)
    const tokens = tokensOf(piece)
    const { denied, soft } = polarityOf(piece, tokens, (place) => isTellingAt(tokens, place, piece))
    const hits = tokens.flatMap((token, place): Hit[] => {
      const { start, end } = token
      const term = this.#vocabulary.termOf(termKey(token, piece))
      if (term === undefined) return []
      const [isDenied, isSoft] = [denied.has(place), soft.has(place)]
      return [{ term, place, start: start + from, end: end + from, isDenied, isSoft }]
    })
    const specifics = new Map<number, readonly [number, number]>()
    for (const { kind, start, end } of tokens) {
      for (const specific of this.#vocabulary.lookUp(kind, piece, start, end)?.specifics ?? []) {
        const sought = this.#vocabulary.specifics[specific]
        const place = sought && !specifics.has(specific) && standsAt(sought, text, start + from, end + from)
        if (place) specifics.set(specific, place)
      }
    }
    const unitRead = { hits, denies: denied.size > 0, specifics }
    this.#read.set(unit, unitRead)
    return unitRead
  }
}

function isTellingAt(tokens: readonly Token[], place: number, piece: string): boolean {
  const token = tokens[place]
  return token !== undefined && isTelling(token, piece)
}
