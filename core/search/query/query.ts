import { once } from '#core/keeping.ts'
import { isAscii } from '#core/text.ts'
import { locatedWordsOf, smallLetters, wordsOf } from './text-folding.ts'

/** What one part of a query looks for in a text. */
export type Term =
  /** Neighbouring tokens, folded as the index of words folds them. The last one may be a prefix. */
  | { readonly kind: 'words'; readonly tokens: readonly string[]; readonly isPrefix: boolean }
  /** These characters, in lower case, anywhere in the text. */
  | { readonly kind: 'literal'; readonly text: string }
  /** A token with this stem. All of them have the same beginning. */
  | { readonly kind: 'stem'; readonly stem: string; readonly beginning: string }

export type Expression =
  | { readonly kind: 'term'; readonly term: Term }
  /** `isImplied` is true when the words stand side by side, and false when AND joins them. */
  | { readonly kind: 'all'; readonly of: readonly Expression[]; readonly isImplied: boolean }
  | { readonly kind: 'any'; readonly of: readonly Expression[] }
  | { readonly kind: 'without'; readonly from: Expression; readonly what: Expression }

export type ParsedQuery = {
  /** The expression, or null when there is nothing to search for. */
  readonly expression: Expression | null
  /** Notes for the user where the query may have been meant otherwise. */
  readonly notes: readonly string[]
}

/** A query with more terms is a pasted text and is searched for literally. */
const MAX_TERMS = 100

/**
 * Parses a full-text query: words, "phrases", prefix*, OR, NOT, AND, -word. As in FTS5, words that stand side by side
 * bind closest, then NOT, then AND, then OR. A query that cannot be parsed is searched for literally, so no input is an
 * error.
 */
export function parseQuery(query: string): ParsedQuery {
  const typed = query.toWellFormed().trim()
  if (typed === '') return { expression: null, notes: [] }
  const tokens = split(typed)
  const literally = (reason: string): ParsedQuery => ({
    expression: { kind: 'term', term: literal(typed) },
    notes: [`Searched literally: ${reason}.`],
  })
  if (typeof tokens === 'string') return literally(tokens)
  if (tokens.length > MAX_TERMS) return literally(`there are more than ${MAX_TERMS} words`)
  const told = tokens.filter((token) => token.kind !== 'term' || token.term !== null)
  // A query of punctuation alone is searched for literally.
  if (told.length === 0) return { expression: { kind: 'term', term: literal(typed) }, notes: [] }
  const expression = new Reader(told).read()
  if (typeof expression === 'string') return literally(expression)
  const hasMinus = told.some((token) => token.kind === 'term' && token.isExcluded)
  const note =
    'A minus before a word leaves out what holds it; put the word in quotes together with its minus to find it.'
  return { expression, notes: hasMinus ? [note] : [] }
}

/** Returns the query with OR between the words that stand side by side. */
export function loosened(expression: Expression): Expression {
  switch (expression.kind) {
    case 'term':
      return expression
    case 'all': {
      const of = expression.of.map(loosened)
      return expression.isImplied ? { kind: 'any', of } : { ...expression, of }
    }
    case 'any':
      return { kind: 'any', of: expression.of.map(loosened) }
    case 'without':
      return { ...expression, from: loosened(expression.from) }
  }
}

/** Returns what a hit may highlight: all terms except the excluded ones. */
export function positiveTerms(expression: Expression): readonly Term[] {
  switch (expression.kind) {
    case 'term':
      return [expression.term]
    case 'all':
    case 'any':
      return expression.of.flatMap(positiveTerms)
    case 'without':
      return positiveTerms(expression.from)
  }
}

type Token =
  | { readonly kind: 'AND' | 'OR' | 'NOT' }
  /** `term` is null for punctuation that stands alone. */
  | { readonly kind: 'term'; readonly term: Term | null; readonly isExcluded: boolean }

/** Returns the words of a text that is prose and no query: nothing in it is an operator. */
export const termsOfProse = (text: string): Term[] =>
  text
    .toWellFormed()
    .split(/\s+/)
    .flatMap((word) => wordTerm(word) ?? [])

/** Returns the parts of a query, or an error sentence when a quote is not closed. */
function split(query: string): Token[] | string {
  const tokens: Token[] = []
  const pattern = /\s*(-(?=[^\s-]))?(?:"([^"]*)("\*?)?|(\S+))/gy
  for (let match = pattern.exec(query); match; match = pattern.exec(query)) {
    const [, minus, phrase, quote, word = ''] = match
    const isExcluded = minus !== undefined
    if (phrase !== undefined) {
      if (quote === undefined) return 'a quote is not closed'
      tokens.push({ kind: 'term', term: phraseTerm(phrase, quote === '"*'), isExcluded })
    } else if (!isExcluded && (word === 'AND' || word === 'OR' || word === 'NOT')) tokens.push({ kind: word })
    else tokens.push({ kind: 'term', term: wordTerm(word), isExcluded })
  }
  return tokens
}

function wordTerm(typed: string): Term | null {
  const isPrefix = typed.length > 1 && typed.endsWith('*')
  const word = withoutPunctuation(isPrefix ? typed.slice(0, -1) : typed)
  if (word === '' || isSign(word)) return null
  return isPlainWord(word) ? words(word, isPrefix) : literal(word)
}

/** Whether a word is one punctuation mark, or one character of ASCII that is no letter and no digit. */
const isSign = (word: string): boolean => !/[a-z0-9]/i.test(word) && /^[\p{P}\p{ASCII}]$/u.test(word)

function phraseTerm(typed: string, isPrefix: boolean): Term | null {
  const phrase = typed.trim()
  if (phrase === '') return null
  const isPlain = phrase.split(/\s+/).every((chunk) => isPlainWord(withoutPunctuation(chunk)))
  return isPlain ? words(phrase, isPrefix) : literal(phrase)
}

const words = (text: string, isPrefix: boolean): Term => ({
  kind: 'words',
  tokens: wordsOf(text).split(' ').filter(Boolean),
  isPrefix,
})
const literal = (text: string): Term => ({ kind: 'literal', text: smallLetters(text) })

const spaceless =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}]/u

/** What a text has in scripts that write no spaces between words, without punctuation. Made when it is first used. */
export const spacelessRuns = once(() => new RegExp(`(?:(?=[\\p{L}\\p{M}\\p{N}])${spaceless.source})+`, 'gu'))

/**
 * Whether the index of words keeps this word as one word. It cannot find word breaks in scripts without spaces and
 * splits identifiers; both are searched for as they are typed.
 */
function isPlainWord(word: string): boolean {
  // Compiling an expression with classes of Unicode takes longer than most searches.
  if (isAscii(word)) return /^[a-z0-9]+$/i.test(word)
  if (spaceless.test(word) || !/^[\p{L}\p{N}\p{M}]+$/u.test(word)) return false
  const { text, origins } = locatedWordsOf(word)
  const isOneToken = text.indexOf(' ', 1) === text.length - 1
  return isOneToken && origins[1] === 0 && origins[text.length - 1] === word.length
}

const BRACKETS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
const OPENING = /^["'“”„‘’«»‹›¿¡]+/
const CLOSING = /["'“”„‘’«»‹›.,;:!?…。、，！？：；]+$/

/** Returns a word without the punctuation of its sentence. Brackets that are closed within the word stay. */
function withoutPunctuation(typed: string): string {
  for (let word = typed; ; ) {
    const open = word[0] ?? ''
    const close = BRACKETS[open]
    let rest = word
    if (close !== undefined && (word.endsWith(close) || !word.includes(close))) {
      rest = word.slice(1, word.endsWith(close) ? -1 : undefined)
    } else {
      const end = Object.entries(BRACKETS).find(([, closing]) => word.endsWith(closing))
      if (end && !word.includes(end[0])) rest = word.slice(0, -1)
    }
    rest = rest.replace(OPENING, '').replace(CLOSING, '')
    if (rest === word) return word
    word = rest
  }
}

/** A recursive descent parser over tokens. It returns an error sentence where it cannot continue. */
class Reader {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  read(): Expression | string {
    const either = this.#list('OR', () => this.#list('AND', () => this.#exclusion()))
    if (typeof either !== 'string' && this.#at < this.#tokens.length) return 'an operator stands where a word belongs'
    return either
  }

  #list(operator: 'OR' | 'AND', next: () => Expression | string): Expression | string {
    const parts: Expression[] = []
    do {
      const part = next()
      if (typeof part === 'string') return part
      parts.push(part)
    } while (this.#take(operator))
    const [only] = parts
    if (parts.length === 1 && only) return only
    return operator === 'OR' ? { kind: 'any', of: parts } : { kind: 'all', of: parts, isImplied: false }
  }

  /** Parses `a b NOT c`, and also `a AND NOT c`, as people write it. */
  #exclusion(): Expression | string {
    let left = this.#sequence()
    while (typeof left !== 'string' && (this.#take('NOT') || this.#takeAndNot())) {
      const what = this.#sequence()
      if (typeof what === 'string') return what
      left = { kind: 'without', from: left, what }
    }
    return left
  }

  #sequence(): Expression | string {
    const wanted: Expression[] = []
    const excluded: Expression[] = []
    for (let token = this.#tokens[this.#at]; token?.kind === 'term'; token = this.#tokens[this.#at]) {
      if (token.term) (token.isExcluded ? excluded : wanted).push({ kind: 'term', term: token.term })
      this.#at += 1
    }
    const [first] = wanted
    if (!first) return excluded.length > 0 ? 'there is nothing but what to leave out' : 'an operator lacks a word'
    const all: Expression = wanted.length === 1 ? first : { kind: 'all', of: wanted, isImplied: true }
    return excluded.length === 0 ? all : { kind: 'without', from: all, what: { kind: 'any', of: excluded } }
  }

  #take(kind: Token['kind']): boolean {
    if (this.#tokens[this.#at]?.kind !== kind) return false
    this.#at += 1
    return true
  }

  #takeAndNot(): boolean {
    if (this.#tokens[this.#at]?.kind !== 'AND' || this.#tokens[this.#at + 1]?.kind !== 'NOT') return false
    this.#at += 2
    return true
  }
}
