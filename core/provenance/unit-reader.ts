import type { Hit, Passages, ReadUnit } from './passages.ts'
import { polarityOf } from './polarity.ts'
import { standsAt } from './specifics.ts'
import { type Token, tokensOf } from './tokens.ts'
import { isTelling, termKey, type Vocabulary } from './vocabulary.ts'

/** Reads units in detail, each once. */
export class UnitReader {
  readonly #vocabulary: Vocabulary
  readonly #index: Pick<Passages, 'texts' | 'textOf' | 'startOf' | 'endOf'>
  readonly #read = new Map<number, ReadUnit>()

  constructor(vocabulary: Vocabulary, index: Pick<Passages, 'texts' | 'textOf' | 'startOf' | 'endOf'>) {
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
    const { denied, scopes, soft } = polarityOf(piece, tokens, (place) => isTellingAt(tokens, place, piece))
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
    const termAt = (place: number): number => this.#vocabulary.termOf(termKey(tokens[place] as Token, piece)) ?? -1
    const unitRead = { hits, denies: denied.size > 0, scopes: scopes.map((scope) => scope.map(termAt)), specifics }
    this.#read.set(unit, unitRead)
    return unitRead
  }
}

function isTellingAt(tokens: readonly Token[], place: number, piece: string): boolean {
  const token = tokens[place]
  return token !== undefined && isTelling(token, piece)
}
