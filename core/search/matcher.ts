import { type Expression, positiveTerms, type Term } from './query.ts'
import { locatedWordsOf, smallLetters, wordsOf } from './text-folding.ts'

/** The range of a hit in a text (UTF-16 units, end exclusive) and the term that was found. */
export type Match = { readonly start: number; readonly end: number; readonly term: number }

/** The texts of one row: its content first, then its other fields. */
export type Fields = readonly string[]

/** Decides by the text itself. An index has to find what a matcher would find if it read every row. */
export interface Matcher {
  readonly termCount: number
  matches(fields: Fields): boolean
  /** Returns false only when no part of the text can match. It is much quicker than matching each of its lines. */
  mayMatchIn(text: string): boolean
  /** Returns how often each word stands in the fields. For other terms it is 1 or 0. */
  frequencies(fields: Fields): number[]
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
class FoldedText {
  readonly #text: string
  #words: string | undefined
  #small: string | undefined

  constructor(text: string) {
    this.#text = text
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

/** Matches a full-text expression. */
export class ExpressionMatcher implements Matcher {
  readonly #expression: Expression
  readonly #terms: readonly Term[]

  constructor(expression: Expression) {
    this.#expression = expression
    this.#terms = positiveTerms(expression)
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

  frequencies(fields: Fields): number[] {
    const texts = fields.map((field) => new FoldedText(field))
    return this.#terms.map((term) => {
      if (term.kind === 'literal' || term.tokens.length > 1) return texts.some((text) => isIn(text, term)) ? 1 : 0
      return texts.reduce((sum, text) => sum + count(text.words, needleOf(term)), 0)
    })
  }

  find(text: string, limit: number): Match[] {
    const words = this.#terms.some((term) => term.kind === 'words') ? locatedWordsOf(text) : null
    const small = this.#terms.some((term) => term.kind === 'literal') ? smallLetters(text) : ''
    const found = this.#terms.flatMap((term, index): Match[] => {
      const needle = needleOf(term)
      if (term.kind === 'literal' || words === null) {
        return places(small, needle, limit).map((start) => ({ start, end: start + needle.length, term: index }))
      }
      return places(words.text, needle, limit).map((place) => {
        const lastSpace = words.text.indexOf(' ', place + needle.length - 1)
        return { start: words.origins[place + 1] ?? 0, end: words.origins[lastSpace] ?? text.length, term: index }
      })
    })
    return found.sort((a, b) => a.start - b.start || b.end - a.end)
  }
}

const isIn = (text: FoldedText, term: Term): boolean =>
  (term.kind === 'words' ? text.words : text.small).includes(needleOf(term))

/** Returns what to look for in folded words, which have spaces between them, or in the text in lower case. */
export const needleOf = (term: Term): string =>
  term.kind === 'literal' ? term.text : ` ${term.tokens.join(' ')}${term.isPrefix ? '' : ' '}`

/** Matches the characters exactly as they were typed, with regard to case. */
export class LiteralMatcher implements Matcher {
  readonly termCount = 1
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  matches(fields: Fields): boolean {
    return fields.some((field) => field.includes(this.#text))
  }

  mayMatchIn(text: string): boolean {
    return text.includes(this.#text)
  }

  frequencies(fields: Fields): number[] {
    return [this.matches(fields) ? 1 : 0]
  }

  find(text: string, limit: number): Match[] {
    return places(text, this.#text, limit).map((start) => ({ start, end: start + this.#text.length, term: 0 }))
  }
}

function places(text: string, needle: string, limit: number): number[] {
  const found: number[] = []
  // Two neighbouring words share the space between them.
  const step = Math.max(1, needle.endsWith(' ') ? needle.length - 1 : needle.length)
  for (let at = text.indexOf(needle); at >= 0 && found.length < limit; at = text.indexOf(needle, at + step)) {
    found.push(at)
  }
  return found
}

const count = (text: string, needle: string): number => places(text, needle, Number.POSITIVE_INFINITY).length
