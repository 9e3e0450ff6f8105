import { Growing, MOST_OCCURRENCES, MOST_POSTINGS, type Occurrence, type Passages, type ReadUnit } from './passages.ts'
import { standsAt } from './specifics.ts'
import { TextUnits } from './text-units.ts'
import { scanTokens } from './tokens.ts'
import { UnitReader } from './unit-reader.ts'
import type { Vocabulary } from './vocabulary.ts'

const NO_UNITS = new Int32Array(0)

/**
 * The passages of many sources for the claims of one vocabulary. The texts are scanned once. What no claim says takes no
 * room.
 */
export class PassageIndex extends TextUnits implements Passages {
  readonly vocabulary: Vocabulary
  readonly #postings: Growing[]
  readonly #occurrences: Occurrence[][]
  readonly #reader: UnitReader

  constructor(vocabulary: Vocabulary) {
    super()
    this.vocabulary = vocabulary
    this.#postings = vocabulary.keys.map(() => new Growing())
    const occurrences: Occurrence[][] = []
    for (const first of vocabulary.firstOf) occurrences.push(occurrences[first] ?? [])
    this.#occurrences = occurrences
    this.#reader = new UnitReader(vocabulary, this)
  }

  unitsWith(term: number): Int32Array {
    return this.#postings[term]?.all ?? NO_UNITS
  }
  frequencyOf(term: number): number {
    return this.#postings[term]?.length ?? 0
  }
  occurrencesOf(specific: number): readonly Occurrence[] {
    return this.#occurrences[specific] ?? []
  }
  holds(unit: number, term: number): boolean {
    return this.read(unit).hits.some((hit) => hit.term === term)
  }
  read(unit: number): ReadUnit {
    return this.#reader.read(unit)
  }
  protected override addUnit(unit: number, text: string, start: number, end: number): void {
    scanTokens(text, start, end, (kind, from, to) => {
      const sought = this.vocabulary.lookUp(kind, text, from, to)
      if (!sought) return
      const postings = this.#postings[sought.term]
      if (postings && postings.last !== unit && postings.length < MOST_POSTINGS) postings.push(unit)
      for (const specific of sought.specifics) this.#note(specific, unit, text, from, to)
    })
  }

  #note(specific: number, unit: number, text: string, from: number, to: number): void {
    const sought = this.vocabulary.specifics[specific]
    const known = this.#occurrences[specific]
    if (!sought || !known || known.length >= MOST_OCCURRENCES) return
    const found = standsAt(sought, text, from, to)
    const place = this.textOf(unit)
    const last = known.at(-1)
    if (!found || (last?.text === place && last.start === found[0])) return
    known.push({ text: place, unit, start: found[0], end: found[1] })
  }
}
