import type { TimeSlice } from '../yielding.ts'
import { standsAt } from './specifics.ts'
import { scanTokens } from './tokens.ts'
import type { Vocabulary } from './vocabulary.ts'

/** One text of a source. */
export type SourceText = {
  readonly id: string
  readonly kind: 'message' | 'summary'
  readonly field: 'content' | 'tool_input' | 'tool_output' | 'reasoning'
  /** The ordinal of the part of the message from which the text is, or null for its content and for summaries. */
  readonly part: number | null
  readonly text: string
}

/** Where a specific occurs: the index of the text, and the range in it in UTF-16 units. */
export type Occurrence = { readonly text: number; readonly unit: number; readonly start: number; readonly end: number }

/** How much text is scanned between two looks at the clock. */
const PIECE_CHARS = 100_000
/** A longer sentence or line is divided. */
const LONGEST_UNIT = 400
/** How many occurrences are kept of each specific and of each term. */
const MOST_OCCURRENCES = 500
const MOST_POSTINGS = 200_000

/**
 * The sources divided into units (lines and sentences) and, for everything that the claims say, the units that say it.
 * The texts are scanned once. What no claim says takes no room.
 */
export class PassageIndex {
  readonly texts: SourceText[] = []
  readonly postings: Growing[]
  /** By number of the specific: where it occurs. */
  readonly occurrences: Occurrence[][]
  readonly vocabulary: Vocabulary
  readonly #textOf = new Growing()
  readonly #starts = new Growing()
  readonly #ends = new Growing()
  chars = 0

  constructor(vocabulary: Vocabulary) {
    this.vocabulary = vocabulary
    this.postings = vocabulary.keys.map(() => new Growing())
    const occurrences: Occurrence[][] = []
    for (const first of vocabulary.firstOf) occurrences.push(occurrences[first] ?? [])
    this.occurrences = occurrences
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
      const postings = this.postings[sought.term]
      if (postings && postings.last !== unit && postings.length < MOST_POSTINGS) postings.push(unit)
      for (const specific of sought.specifics) this.#note(specific, place, unit, text, from, to)
    })
  }

  #note(specific: number, place: number, unit: number, text: string, from: number, to: number): void {
    const sought = this.vocabulary.specifics[specific]
    const known = this.occurrences[specific]
    if (!sought || !known || known.length >= MOST_OCCURRENCES) return
    const found = standsAt(sought, text, from, to)
    const last = known.at(-1)
    if (!found || (last?.text === place && last.start === found[0])) return
    known.push({ text: place, unit, start: found[0], end: found[1] })
  }
}

/** Returns the end of the line or sentence that starts here, with the white space after it. */
function unitEnd(text: string, start: number): number {
  const limit = Math.min(text.length, start + LONGEST_UNIT)
  for (let at = start; at < limit; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === 10) return at + 1
    // A line end that JSON escaped also ends a unit.
    if (unit === 92 && text.charCodeAt(at + 1) === 110 && at > start + 20) return at + 2
    if (unit === 0x3002 || unit === 0xff01 || unit === 0xff1f) return at + 1
    if ((unit === 46 || unit === 33 || unit === 63) && at > start + 20 && text.charCodeAt(at + 1) === 32) return at + 2
  }
  if (limit === text.length) return limit
  const blank = text.lastIndexOf(' ', limit)
  if (blank > start + LONGEST_UNIT / 2) return blank + 1
  return (text.charCodeAt(limit) & 0xfc00) === 0xdc00 ? limit - 1 : limit
}

/** Returns a range without the white space around it, including white space that JSON escaped. */
export function withoutBlanks(text: string, from: number, to: number): { start: number; end: number } {
  const piece = text.slice(from, to)
  const lead = /^(?:\s|\\[nrt])*/.exec(piece)?.[0].length ?? 0
  const trail = /(?:\s|(?<!\\)\\[nrt])*$/.exec(piece.slice(lead))?.[0].length ?? 0
  return { start: from + lead, end: to - trail }
}

const NO_VALUES = new Int32Array(0)

/** A growing list of whole numbers. Many stay empty and take no room. */
class Growing {
  #values = NO_VALUES
  length = 0

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Int32Array(Math.max(16, this.length * 2))
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.length] = value
    this.length += 1
  }
  at(index: number): number {
    return this.#values[index] ?? -1
  }
  get last(): number {
    return this.length === 0 ? -1 : this.at(this.length - 1)
  }
  get all(): Int32Array {
    return this.#values.subarray(0, this.length)
  }
}

export type { Growing }
