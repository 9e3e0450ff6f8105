import type { TimeSlice } from '../yielding.ts'
import {
  Growing,
  MOST_OCCURRENCES,
  MOST_POSTINGS,
  type Occurrence,
  type Passages,
  type ReadUnit,
  type SourceText,
  unitEnd,
} from './passages.ts'
import { standsAt } from './specifics.ts'
import { scanTokens } from './tokens.ts'
import { UnitReader } from './unit-reader.ts'
import type { Vocabulary } from './vocabulary.ts'

/** How much text is scanned between two looks at the clock. */
const PIECE_CHARS = 100_000
const NO_UNITS = new Int32Array(0)

/**
 * The passages of many sources for the claims of one vocabulary. The texts are scanned once. What no claim says takes no
 * room.
 */
export class PassageIndex implements Passages {
  readonly texts: SourceText[] = []
  readonly vocabulary: Vocabulary
  readonly #postings: Growing[]
  readonly #occurrences: Occurrence[][]
  readonly #textOf = new Growing()
  readonly #starts = new Growing()
  readonly #ends = new Growing()
  readonly #reader: UnitReader
  #roughScores = new Float32Array(0)
  chars = 0

  constructor(vocabulary: Vocabulary) {
    this.vocabulary = vocabulary
    this.#postings = vocabulary.keys.map(() => new Growing())
    const occurrences: Occurrence[][] = []
    for (const first of vocabulary.firstOf) occurrences.push(occurrences[first] ?? [])
    this.#occurrences = occurrences
    this.#reader = new UnitReader(vocabulary, this)
  }

  get units(): number {
    return this.#starts.length
  }
  textOf(unit: number): number {
    return this.#textOf.at(unit)
  }
  startOf(unit: number): number {
    return this.#starts.at(unit)
  }
  endOf(unit: number): number {
    return this.#ends.at(unit)
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
  get roughScores(): Float32Array {
    if (this.#roughScores.length < this.units) this.#roughScores = new Float32Array(this.units)
    return this.#roughScores
  }

  async add(source: SourceText, slice: TimeSlice): Promise<void> {
    const place = this.texts.push(source) - 1
    const { text } = source
    this.chars += text.length
    let start = 0
    let sinceLook = 0
    while (start < text.length) {
      const end = unitEnd(text, start)
      this.#addUnit(place, text, start, end)
      sinceLook += end - start
      start = end
      if (sinceLook < PIECE_CHARS) continue
      sinceLook = 0
      if (slice.isOver) await slice.yieldIfOver()
    }
  }

  #addUnit(place: number, text: string, start: number, end: number): void {
    const unit = this.#starts.length
    this.#textOf.push(place)
    this.#starts.push(start)
    this.#ends.push(end)
    scanTokens(text, start, end, (kind, from, to) => {
      const sought = this.vocabulary.lookUp(kind, text, from, to)
      if (!sought) return
      const postings = this.#postings[sought.term]
      if (postings && postings.last !== unit && postings.length < MOST_POSTINGS) postings.push(unit)
      for (const specific of sought.specifics) this.#note(specific, place, unit, text, from, to)
    })
  }

  #note(specific: number, place: number, unit: number, text: string, from: number, to: number): void {
    const sought = this.vocabulary.specifics[specific]
    const known = this.#occurrences[specific]
    if (!sought || !known || known.length >= MOST_OCCURRENCES) return
    const found = standsAt(sought, text, from, to)
    const last = known.at(-1)
    if (!found || (last?.text === place && last.start === found[0])) return
    known.push({ text: place, unit, start: found[0], end: found[1] })
  }
}
