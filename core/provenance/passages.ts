/** One text of a source. */
export type SourceText = {
  readonly id: string
  readonly kind: 'message' | 'summary'
  readonly field: 'content' | 'tool_input' | 'tool_output' | 'reasoning'
  /** The ordinal of the part of the message from which the text is, or null for its content and for summaries. */
  readonly part: number | null
  readonly text: string
  /** The text as stored, when parts of `text` were replaced by spaces so that they are not compared. Of the same length. */
  readonly stored?: string
}

/** Returns the stored characters of a range of a text. */
export const excerptIn = ({ text, stored = text }: SourceText, start: number, end: number): string =>
  stored.slice(start, end).toWellFormed()

/** Where a specific occurs: the index of the text, and the range in it in UTF-16 units. */
export type Occurrence = { readonly text: number; readonly unit: number; readonly start: number; readonly end: number }

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
  /** The terms of the hits, each once. */
  readonly terms: readonly number[]
  readonly denies: boolean
  /** For each of its negations the terms that it denies, the nearest first. −1 is a word that no claim says. */
  readonly scopes: readonly (readonly number[])[]
  /** The range of each specific of the claims in the unit, by its number. */
  readonly specifics: ReadonlyMap<number, readonly [number, number]>
  /** The pairs of terms that follow each other, as `pairKey` numbers them. */
  readonly pairs: ReadonlySet<number>
}

/** How many tokens may stand between two terms that are neighbours in a claim. */
const LARGEST_GAP = 4

/** Returns the pairs of terms that follow each other. */
export function pairsOf(hits: readonly Hit[]): ReadonlySet<number> {
  const pairs = new Set<number>()
  for (let i = 0; i < hits.length; i += 1) {
    const a = hits[i] as Hit
    for (let j = i + 1; j < hits.length; j += 1) {
      const b = hits[j] as Hit
      if (b.place - a.place > LARGEST_GAP) break
      pairs.add(pairKey(a.term, b.term))
    }
  }
  return pairs
}

const MOST_TERMS = 1 << 20

/** Returns the number of a pair of terms. */
export const pairKey = (first: number, second: number): number => first * MOST_TERMS + second

/** How many occurrences are kept of each specific and of each term. */
export const MOST_OCCURRENCES = 500
export const MOST_POSTINGS = 200_000

/** A longer sentence or line is divided. */
export const LONGEST_UNIT = 400

/** Returns the end of the line or sentence that starts here, with the white space after it. */
export function unitEnd(text: string, start: number): number {
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
export class NumberList {
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
