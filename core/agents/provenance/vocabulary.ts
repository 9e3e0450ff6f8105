import type { ClaimRange } from './claims.ts'
import { anchorKey, anchorOf, type Specific, specificsOf } from './specifics.ts'
import { keyOf, numberOfWord, type Token, type TokenKind, tokensOf } from './tokens.ts'
import { isUnitOfNumber } from './units.ts'
import { ALIKE, OPPOSITES, REPORTING, STOP_WORDS, switchedBy } from './word-lists.ts'

/** One term of a claim, in the claim's order. */
type ClaimTerm = {
  readonly term: number
  readonly start: number
  readonly end: number
  /** Part of a name, number or path; the others are what is said of those. */
  readonly isSpecific: boolean
  /** Two characters of a script without word breaks. */
  readonly isPair: boolean
  /** 1, or less for the pieces of one path or identifier, which together are one thing. */
  readonly share: number
}

/** A claim, taken apart. Offsets are those of the summary's text. */
export type Claim = ClaimRange & {
  readonly text: string
  /** Telling words, numbers and pairs of characters, with repetitions. */
  readonly terms: readonly ClaimTerm[]
  /** Places in `Vocabulary.specifics`. */
  readonly specifics: readonly number[]
}

/** What the sources are looked through for: everything telling that the claims say. */
export class Vocabulary {
  readonly claims: readonly Claim[]
  /** By term. */
  readonly keys: readonly string[]
  /** By term: speaks about a conversation rather than of its matter. */
  readonly isReporting: readonly boolean[]
  /** Offsets are those of the summary's text. */
  readonly specifics: readonly Specific[]
  readonly #terms: ReadonlyMap<string, number>
  readonly #anchors: ReadonlyMap<string, readonly number[]>
  /** By the first three letters of what is looked for: most words of the sources end here. */
  readonly #prefixes = new Uint8Array(0x8000)
  readonly #known = new Map<string, Sought | null>()

  constructor(text: string, ranges: readonly ClaimRange[]) {
    const terms = new Map<string, number>()
    const isReporting: boolean[] = []
    const idOf = (key: string): number => {
      const known = terms.get(key)
      if (known !== undefined) return known
      terms.set(key, terms.size)
      isReporting.push(REPORTING.has(key))
      return terms.size - 1
    }
    const specifics: Specific[] = []
    this.claims = ranges.map((range): Claim => {
      const claim = text.slice(range.start, range.end)
      const own = specificsOf(claim).map((specific) => ({
        ...specific,
        start: specific.start + range.start,
        end: specific.end + range.start,
      }))
      const places = own.map((specific) => specifics.push(specific) - 1)
      const telling = tokensOf(claim).filter((token) => isTelling(token, claim))
      return {
        ...range,
        text: claim,
        specifics: places,
        terms: telling.map((token) => {
          const [start, end] = [token.start + range.start, token.end + range.start]
          const whole = own.find(
            (specific) => specific.kind !== 'quote' && specific.start <= start && specific.end >= end,
          )
          const pieces = whole ? telling.filter((other) => isWithin(other, whole, range.start)).length : 1
          const term = idOf(termKey(token, claim))
          return { term, start, end, isSpecific: whole !== undefined, isPair: token.kind === 'pair', share: 1 / pieces }
        }),
      }
    })
    // Contraries are looked for too: where the source has one, the claim turns it round. And words that say the same.
    for (const key of [...terms.keys()])
      for (const other of [...(OPPOSITES.get(key) ?? []), ...(ALIKE.get(key) ?? [])]) idOf(other)
    const anchors = new Map<string, number[]>()
    specifics.forEach((specific, place) => {
      const anchor = anchorOf(specific)
      const list = anchors.get(anchor) ?? []
      list.push(place)
      anchors.set(anchor, list)
    })
    this.keys = [...terms.keys()]
    this.isReporting = isReporting
    this.specifics = specifics
    this.#terms = terms
    this.#anchors = anchors
    for (const key of [...terms.keys(), ...anchors.keys()]) this.#prefixes[prefixAt(key, 0, key.length)] = 1
    for (const word of NUMBER_WORD_PREFIXES) this.#prefixes[prefixAt(word, 0, word.length)] = 1
  }

  termOf(key: string): number | undefined {
    return this.#terms.get(key)
  }

  /** What a token of a source is for the claims; null when it is nothing. */
  lookUp(kind: TokenKind, text: string, start: number, end: number): Sought | null {
    const length = end - start
    if (length > LONGEST_WORD) return null
    if (kind === 'word' && isPlain(text, start, length) && this.#prefixes[prefixAt(text, start, length)] !== 1)
      return null
    const raw = text.slice(start, end)
    const known = this.#known.get(raw)
    if (known !== undefined) return known
    const found = this.#find(kind, raw)
    if (this.#known.size < MOST_KNOWN) this.#known.set(raw, found)
    return found
  }

  #find(kind: TokenKind, raw: string): Sought | null {
    const number = kind === 'word' ? numberOfWord(raw) : undefined
    const term = this.#terms.get(number ?? keyOf(kind, raw)) ?? -1
    const specifics = this.#anchors.get(anchorKey(kind, raw)) ?? []
    return term < 0 && specifics.length === 0 ? null : { term, specifics }
  }
}

/** −1 for a token that is only the anchor of specifics. */
export type Sought = { readonly term: number; readonly specifics: readonly number[] }

/** Longer words are data: encoded pictures, minified code. */
const LONGEST_WORD = 200
const MOST_KNOWN = 100_000
const NUMBER_WORD_PREFIXES = 'two thr fou fiv six sev eig nin ten ele twe thi fif'.split(' ')

/** Of the first three letters, small or large. Accented letters come through another door. */
function prefixAt(text: string, start: number, length: number): number {
  const unit = (at: number): number => (at < length ? text.charCodeAt(start + at) & 31 : 0)
  return (unit(0) << 10) | (unit(1) << 5) | unit(2)
}

/** Its first letters have no accents that could be taken off. */
const isPlain = (text: string, start: number, length: number): boolean =>
  text.charCodeAt(start) < 128 &&
  (length < 2 || text.charCodeAt(start + 1) < 128) &&
  (length < 3 || text.charCodeAt(start + 2) < 128)

const isWithin = ({ start, end }: Token, whole: Specific, offset: number): boolean =>
  start + offset >= whole.start && end + offset <= whole.end

/** What a token counts as: a number that is written as a word is that number. */
export function termKey(token: Token, text: string): string {
  if (token.kind !== 'word') return token.key
  const word = text.slice(token.start, token.end)
  return numberOfWord(word) ?? switchedBy(word, text.slice(0, token.start)) ?? token.key
}

/** A word that stands for something: no stop word, no single letter, no unit of a number, not cut off. */
export function isTelling({ kind, start, end }: Token, text: string): boolean {
  if (text.startsWith('…', end)) return false
  if (kind !== 'word') return true
  const word = text.slice(start, end).toLowerCase()
  if (isUnitOfNumber(text, start, end)) return false
  return end - start > 1 && (!STOP_WORDS.has(word) || switchedBy(word, text.slice(0, start)) !== undefined)
}
