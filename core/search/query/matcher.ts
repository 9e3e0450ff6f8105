import { stemsOf } from '#core/sqlite/stems.ts'
import { rankedTerms } from './index-expression.ts'
import { type Expression, positiveTerms, type Term } from './query.ts'
import { locatedWordsOf, smallLetters, tokenCountOf, wordsOf } from './text-folding.ts'

/** The range of a hit in a text (UTF-16 units, end exclusive) and the term that was found. */
export type Match = { readonly start: number; readonly end: number; readonly term: number }

/** The texts of one row: its content first, then its other fields. */
export type Fields = readonly string[]

/** Whether a field is there. What a message does not have, such as reasoning, stands as an empty text. */
export const isThere = (text: string, field: number): boolean => text !== '' || field === 0

/** Decides by the text itself. An index has to find what a matcher would find if it read every row. */
export interface Matcher {
  readonly termCount: number
  matches(fields: Fields): boolean
  /** Returns false only when no part of the text can match. It is much quicker than matching each of its lines. */
  mayMatchIn(text: string): boolean
  /** Returns for each term whether one of the texts contains it. */
  holding(texts: readonly FoldedText[]): boolean[]
  /** Returns the matches in one text in order, at most `limit` for each term. */
  find(text: string, limit: number): Match[]
  /**
   * Present when matching a text may take for ever. Then `matches` is not called, and `find` uses what was looked at
   * before.
   */
  readonly elsewhere?: Elsewhere
}

/** Matches texts in another thread, which is ended when it takes too long. */
export interface Elsewhere {
  /**
   * Returns what `Matcher.matches` would say of each row.
   * @throws LcmError pattern_too_slow, cancelled
   */
  judge(rows: readonly Fields[]): Promise<readonly boolean[]>
  /** Finds the matches in these texts, which `Matcher.find` then returns. */
  look(texts: readonly string[]): Promise<void>
  close(): void
}

/** A text that is folded only as far as somebody asks. */
export class FoldedText {
  readonly #text: string
  #words: string | undefined
  #small: string | undefined

  constructor(text: string) {
    this.#text = text
  }

  get text(): string {
    return this.#text
  }

  get words(): string {
    this.#words ??= wordsOf(this.#text)
    return this.#words
  }

  get small(): string {
    this.#small ??= smallLetters(this.#text)
    return this.#small
  }
}

/** How often a term stands in a text, by its tokens, and the token with which the text begins. */
export type TermCounts = { readonly counts: ReadonlyMap<string, number>; readonly first: string | null }

/** Matches a full-text expression. */
export class ExpressionMatcher implements Matcher {
  readonly #expression: Expression
  readonly #terms: readonly Term[]
  readonly #ranked: readonly Term[]

  constructor(expression: Expression) {
    this.#expression = expression
    this.#terms = positiveTerms(expression)
    this.#ranked = rankedTerms(expression)
  }

  get termCount(): number {
    return this.#terms.length
  }

  matches(fields: Fields): boolean {
    const texts = fields.map((field) => new FoldedText(field))
    const holds = (expression: Expression): boolean => {
      switch (expression.kind) {
        case 'term':
          return texts.some((text) => isIn(text, expression.term))
        case 'all':
          return expression.of.every(holds)
        case 'any':
          return expression.of.some(holds)
        case 'without':
          return holds(expression.from) && !holds(expression.what)
      }
    }
    return holds(this.#expression)
  }

  mayMatchIn(text: string): boolean {
    const folded = new FoldedText(text)
    const mayHold = (expression: Expression): boolean => {
      switch (expression.kind) {
        case 'term':
          return isIn(folded, expression.term)
        case 'all':
          return expression.of.every(mayHold)
        case 'any':
          return expression.of.some(mayHold)
        case 'without':
          return mayHold(expression.from)
      }
    }
    return mayHold(this.#expression)
  }

  holding(texts: readonly FoldedText[]): boolean[] {
    return this.#terms.map((term) => texts.some((text) => isIn(text, term)))
  }

  /**
   * Returns how often each ranked term stands in a text, by the tokens that were found, which of them begins the text,
   * and how many tokens the text has.
   */
  count(text: string): { readonly tokens: number; readonly terms: readonly TermCounts[] } {
    const words = wordsOf(text)
    const terms = this.#ranked.map((term): TermCounts => {
      const counts = new Map<string, number>()
      let first: string | null = null
      for (const [start, end] of wordRanges(words, term)) {
        // The tokens with one stem count apart, as in the index.
        const token = term.kind === 'stem' ? words.slice(start, end) : ''
        counts.set(token, (counts.get(token) ?? 0) + 1)
        if (start === 1) first = token
      }
      return { counts, first }
    })
    return { tokens: tokenCountOf(words), terms }
  }

  find(text: string, limit: number): Match[] {
    const words = this.#terms.some((term) => term.kind !== 'literal') ? locatedWordsOf(text) : null
    const small = this.#terms.some((term) => term.kind === 'literal') ? smallLetters(text) : ''
    const found = this.#terms.flatMap((term, index): Match[] => {
      if (term.kind === 'literal' || words === null) {
        const needle = term.kind === 'literal' ? term.text : ''
        return places(small, needle, limit).map((start) => ({ start, end: start + needle.length, term: index }))
      }
      return Array.from(wordRanges(words.text, term).take(limit), ([start, end]) => ({
        start: words.origins[start] ?? 0,
        end: words.origins[end] ?? text.length,
        term: index,
      }))
    })
    return found.sort((a, b) => a.start - b.start || b.end - a.end)
  }
}

const isIn = (text: FoldedText, term: Term): boolean =>
  term.kind === 'literal' ? text.small.includes(term.text) : !wordRanges(text.words, term).next().done

/** Returns how a term begins in folded words, which have spaces between them, or what to look for in small letters. */
export function needleOf(term: Term): string {
  switch (term.kind) {
    case 'literal':
      return term.text
    case 'stem':
      return ` ${term.beginning}`
    case 'words':
      return ` ${term.tokens.join(' ')}${term.isPrefix ? '' : ' '}`
  }
}

/** Yields where a term stands in folded words, which have spaces between them and around them. */
function* wordRanges(words: string, term: Term): Generator<readonly [start: number, end: number]> {
  if (term.kind === 'literal') return
  const isStem = term.kind === 'stem'
  const needle = needleOf(term)
  for (let at = words.indexOf(needle); at >= 0; at = words.indexOf(needle, at + 1)) {
    const end = words.indexOf(' ', Math.max(at + 1, at + needle.length - 1))
    if (!isStem || stemsOf([words.slice(at + 1, end)])[0] === term.stem) yield [at + 1, end]
  }
}

/** Matches the characters as they were typed, with or without regard to case. */
export class LiteralMatcher implements Matcher {
  readonly termCount = 1
  readonly #text: string
  readonly #folded: (text: string) => string

  constructor(text: string, isCaseSensitive: boolean) {
    this.#folded = isCaseSensitive ? (same) => same : smallLetters
    this.#text = this.#folded(text)
  }

  matches(fields: Fields): boolean {
    return fields.some((field) => this.#folded(field).includes(this.#text))
  }

  mayMatchIn(text: string): boolean {
    return this.#folded(text).includes(this.#text)
  }

  holding(texts: readonly FoldedText[]): boolean[] {
    return [this.matches(texts.map(({ text }) => text))]
  }

  find(text: string, limit: number): Match[] {
    // Letters keep their places when they are made small.
    const found = places(this.#folded(text), this.#text, limit)
    return found.map((start) => ({ start, end: start + this.#text.length, term: 0 }))
  }
}

function places(text: string, needle: string, limit: number): number[] {
  const found: number[] = []
  const step = Math.max(1, needle.length)
  for (let at = text.indexOf(needle); at >= 0 && found.length < limit; at = text.indexOf(needle, at + step)) {
    found.push(at)
  }
  return found
}
