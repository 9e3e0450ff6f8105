import { withoutYielding } from '../yielding.ts'
import type { ClaimRange } from './claims.ts'
import { type Specific, specificsOf } from './specifics.ts'
import { numberOfWord, type Token, type TokenKind, tokensOf } from './tokens.ts'
import { isUnitOfNumber } from './units.ts'
import { alikeTo, oppositesOf, REPORTING, STOP_WORDS, switchedBy } from './word-lists.ts'

/** One term of a claim, in the claim's order. */
type ClaimTerm = {
  readonly term: number
  readonly start: number
  readonly end: number
  /** True when the term is part of a name, number or path. Other terms say something about those. */
  readonly isSpecific: boolean
  /** True when the term is two characters of a script without word breaks. */
  readonly isPair: boolean
  /** 1, or less for the pieces of one path or identifier, which together count as one term. */
  readonly share: number
}

/** A claim with its terms and specifics. Offsets are those of the summary's text. */
export type Claim = ClaimRange & {
  readonly text: string
  /** The informative words, numbers and pairs of characters, with repetitions. */
  readonly terms: readonly ClaimTerm[]
  /** All tokens of its text, with offsets from its beginning. */
  readonly tokens: readonly Token[]
  /** Indexes of `Vocabulary.specifics`. */
  readonly specifics: readonly number[]
}

/**
 * Where a claim stands in a text. `found` holds its specifics when the caller has looked for them already, with offsets
 * from the beginning of the claim.
 */
export type ClaimSource = ClaimRange & { readonly found?: readonly Specific[] }

/** What the sources are scanned for: every informative term and every specific of the claims. */
export class Vocabulary {
  readonly claims: readonly Claim[]
  /** The form by which each term is compared, by the number of the term. */
  readonly keys: readonly string[]
  /**
   * True for each term that speaks about a conversation and not about its subject ("asked", "discussed"), by the number of
   * the term.
   */
  readonly isReporting: readonly boolean[]
  /** The specifics of all claims. Offsets are those of the summary's text. */
  readonly specifics: readonly Specific[]
  /** The first specific that is the same as each one. Only the first ones are looked for. */
  readonly firstOf: readonly number[]
  readonly #terms: ReadonlyMap<string, number>
  /** The specifics that differ from all earlier ones, by the part of each that a scan looks for first. */
  readonly anchors: ReadonlyMap<string, readonly number[]>
  /** A set of the first three letters of all terms. Most words of the sources are excluded by it. */
  #prefixes: Uint8Array | null = null

  private constructor({ claims, terms, isReporting, specifics, firstOf, anchors }: VocabularyParts) {
    this.claims = claims
    this.keys = [...terms.keys()]
    this.isReporting = isReporting
    this.specifics = specifics
    this.firstOf = firstOf
    this.#terms = terms
    this.anchors = anchors
  }

  /** Returns the vocabulary of some ranges of a text. */
  static of(text: string, ranges: readonly ClaimSource[]): Vocabulary {
    return withoutYielding(Vocabulary.reading(text, ranges))
  }

  /** Does the same in pieces of some milliseconds. */
  static *reading(text: string, ranges: readonly ClaimSource[]): Generator<void, Vocabulary> {
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
    const claims: Claim[] = []
    const anchors = new Map<string, number[]>()
    const firstOf: number[] = []
    const known = new Map<string, number>()
    for (const range of ranges) {
      const claim = claimOf(text, range, specifics, idOf)
      claims.push(claim)
      for (const place of claim.specifics) {
        const specific = specifics[place] as Specific
        const { same, anchor } = specific
        const first = known.get(same) ?? place
        firstOf[place] = first
        if (first !== place) continue
        known.set(same, place)
        const list = anchors.get(anchor)
        if (list) list.push(place)
        else anchors.set(anchor, [place])
      }
      if (claims.length % CLAIMS_A_PIECE === 0) yield
    }
    // Opposites are looked for, too, because a source that has one is reversed by the claim. So are words of the same
    // meaning.
    for (const [index, key] of [...terms.keys()].entries()) {
      for (const other of oppositesOf(key)) idOf(other)
      for (const other of alikeTo(key)) idOf(other)
      if (index % TERMS_A_PIECE === TERMS_A_PIECE - 1) yield
    }
    return new Vocabulary({ claims, terms, isReporting, specifics, firstOf, anchors })
  }

  termOf(key: string): number | undefined {
    return this.#terms.get(key)
  }

  /** Returns false for most words that no claim says, by their first letters. */
  mayHave(kind: TokenKind, text: string, start: number, end: number): boolean {
    this.#prefixes ??= prefixesOf([...this.keys, ...this.anchors.keys(), ...NUMBER_WORD_PREFIXES])
    const length = end - start
    return kind !== 'word' || !isPlain(text, start, length) || this.#prefixes[prefixAt(text, start, length)] === 1
  }
}

type VocabularyParts = Pick<Vocabulary, 'claims' | 'isReporting' | 'specifics' | 'firstOf' | 'anchors'> & {
  readonly terms: ReadonlyMap<string, number>
}

/** How many claims are read between two yields. */
const CLAIMS_A_PIECE = 20
const TERMS_A_PIECE = 2000

/** Reads one claim. What it says exactly is added to `specifics`. */
function claimOf(
  text: string,
  { found, ...range }: ClaimSource,
  specifics: Specific[],
  idOf: (key: string) => number,
): Claim {
  const claim = text.slice(range.start, range.end)
  const own = (found ?? specificsOf(claim)).map((specific) => ({
    ...specific,
    start: specific.start + range.start,
    end: specific.end + range.start,
  }))
  const places = own.map((specific) => specifics.push(specific) - 1)
  const tokens = tokensOf(claim)
  const telling = tokens.filter((token) => isTelling(token, claim))
  return {
    ...range,
    text: claim,
    tokens,
    specifics: places,
    terms: telling.map((token) => {
      const [start, end] = [token.start + range.start, token.end + range.start]
      const whole = own.find((specific) => specific.kind !== 'quote' && specific.start <= start && specific.end >= end)
      const pieces = whole ? telling.filter((other) => isWithin(other, whole, range.start)).length : 1
      const term = idOf(termKey(token, claim))
      return { term, start, end, isSpecific: whole !== undefined, isPair: token.kind === 'pair', share: 1 / pieces }
    }),
  }
}

/** A longer word is data, such as an encoded picture or minified code. */
export const LONGEST_WORD = 200
const NUMBER_WORD_PREFIXES = 'two thr fou fiv six sev eig nin ten ele twe thi fif'.split(' ')

/**
 * Returns a number for the first three letters in either case. Letters with accents are looked up by their folded form
 * instead.
 */
function prefixAt(text: string, start: number, length: number): number {
  const unit = (at: number): number => (at < length ? text.charCodeAt(start + at) & 31 : 0)
  return (unit(0) << 10) | (unit(1) << 5) | unit(2)
}

function prefixesOf(keys: readonly string[]): Uint8Array {
  const prefixes = new Uint8Array(0x8000)
  for (const key of keys) prefixes[prefixAt(key, 0, key.length)] = 1
  return prefixes
}

/** Returns whether the first letters have no accents. */
const isPlain = (text: string, start: number, length: number): boolean =>
  text.charCodeAt(start) < 128 &&
  (length < 2 || text.charCodeAt(start + 1) < 128) &&
  (length < 3 || text.charCodeAt(start + 2) < 128)

const isWithin = ({ start, end }: Token, whole: Specific, offset: number): boolean =>
  start + offset >= whole.start && end + offset <= whole.end

/** Returns the form by which a token is compared. A number that is written as a word is that number. */
export function termKey(token: Token, text: string): string {
  if (token.kind !== 'word') return token.key
  const word = text.slice(token.start, token.end)
  return numberOfWord(word) ?? switchedBy(word, text.slice(0, token.start)) ?? token.key
}

/** Returns the informative tokens of a text. */
export const tellingIn = (text: string): Token[] => tokensOf(text).filter((token) => isTelling(token, text))

/** Returns whether a token is informative: no stop word, no single letter, no unit of a number, and not cut off. */
export function isTelling({ kind, start, end }: Token, text: string): boolean {
  if (text.startsWith('…', end)) return false
  if (kind !== 'word') return true
  const word = text.slice(start, end).toLowerCase()
  if (isUnitOfNumber(text, start, end)) return false
  return end - start > 1 && (!STOP_WORDS.has(word) || switchedBy(word, text.slice(0, start)) !== undefined)
}
