import { type Expression, positiveTerms, type Term } from './query.ts'
import { locatedWordsOf, smallLetters, wordsOf } from './text-folding.ts'

/** At most this many trigrams are asked for. Reading the remaining candidates takes less time than more trigrams. */
const MAX_TRIGRAMS = 4

/** The letters of English prose, the commonest first. */
const LETTERS = ' etaoinsrhldcumfpgwybvkxjqz'

/**
 * Returns an FTS5 query for the index of words that finds exactly the hits of the expression, or null when the
 * expression contains more than words.
 */
export function wordMatch(expression: Expression): string | null {
  switch (expression.kind) {
    case 'term':
      return expression.term.kind === 'words' ? wordTermMatch(expression.term) : null
    case 'all':
      return joined(expression.of, ' AND ')
    case 'any':
      return joined(expression.of, ' OR ')
    case 'without':
      return joined([expression.from, expression.what], ' NOT ')
  }
}

function joined(parts: readonly Expression[], operator: string): string | null {
  const matches = parts.map(wordMatch)
  return matches.includes(null) ? null : `(${matches.join(operator)})`
}

/** Returns an FTS5 query for the index of words by which rows with the terms of an expression are ranked. */
export function rankingMatch(expression: Expression): string | null {
  const exact = wordMatch(expression)
  if (exact !== null) return exact
  const matches = rankedTerms(expression).flatMap((term) => (term.kind === 'words' ? wordTermMatch(term) : []))
  return matches.length === 0 ? null : matches.join(' OR ')
}

/**
 * Returns the terms by which rows are ranked. What is searched for by its letters counts as the phrase of its words, and
 * not at all when it has none.
 */
export const rankedTerms = (expression: Expression): Term[] =>
  positiveTerms(expression).flatMap((term): Term[] => {
    if (term.kind !== 'literal') return [term]
    const tokens = wordsOf(term.text).split(' ').filter(Boolean)
    return tokens.length === 0 ? [] : [{ kind: 'words', tokens, isPrefix: false }]
  })

/** Tokens contain only letters and digits, so nothing in them can end the quotes. */
const wordTermMatch = (term: Term & { kind: 'words' }): string =>
  `"${term.tokens.join(' ')}"${term.isPrefix ? ' *' : ''}`

/**
 * Returns an FTS5 query for the index of trigrams whose rows include all that contain a text. They may include others,
 * since an index without positions cannot exclude them. Returns null when the text is shorter than a trigram.
 */
function trigramMatch(text: string): string | null {
  const trigrams = [...new Set(trigramsOf(text))].sort((a, b) => commonness(a) - commonness(b))
  if (trigrams.length === 0) return null
  return trigrams
    .slice(0, MAX_TRIGRAMS)
    .map((trigram) => `"${trigram.replaceAll('"', '""')}"`)
    .join(' AND ')
}

/** At most this many words are asked for side by side. More of them exclude hardly another row. */
const MAX_ENCLOSED = 4
/** No word of the index goes on across such a character. */
const BORDER = /[^a-z0-9\u0080-\uffff]/i
/** The small letter of the sign U+0345, which ends a word where this letter does not. No other letter has such a one. */
const IOTA = 'ι'

/**
 * Returns an FTS5 query for the index of words whose rows include all that contain a text: words side by side that begin
 * and end in it. What contains the text may go on with its first and its last word. Returns null when these are fewer
 * than two, because the rows of one word are many.
 */
export function enclosedMatch(text: string): string | null {
  if (smallLetters(text).includes(IOTA)) return null
  const { text: words, origins } = locatedWordsOf(text)
  const tokens = words.split(' ').filter(Boolean)
  const isBegun = BORDER.test(text.slice(0, origins[1]))
  const isEnded = BORDER.test(text.slice(origins[words.length - 1]))
  const enclosed = tokens.slice(isBegun ? 0 : 1, isEnded ? undefined : -1)
  if (enclosed.length < 2) return null
  const longest = enclosed.reduce(
    (best, token, place) => (token.length > (enclosed[best] ?? '').length ? place : best),
    0,
  )
  const first = Math.max(0, Math.min(longest - 1, enclosed.length - MAX_ENCLOSED))
  return `"${enclosed.slice(first, first + MAX_ENCLOSED).join(' ')}"`
}

/** Returns a number that is larger for a trigram that more rows contain, roughly. */
function commonness(trigram: string): number {
  let sum = 0
  for (const character of trigram) {
    const rank = LETTERS.indexOf(character)
    sum += rank >= 0 ? LETTERS.length - rank : /[0-9]/.test(character) ? 8 : character < '\u0080' ? 5 : 0
  }
  return sum
}

/** Returns the trigrams of a text as the index keeps them, in order. */
function trigramsOf(text: string): string[] {
  // The index skips NUL.
  const characters = [...smallLetters(text)].filter((character) => character !== '\u0000')
  return characters.slice(2).map((_, place) => characters.slice(place, place + 3).join(''))
}

/** What every text that a pattern matches must contain, without regard to case. */
export type Formula =
  | { readonly kind: 'anything' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Formula[] }

export const ANYTHING: Formula = { kind: 'anything' }

/**
 * Returns an FTS5 query for the index of trigrams whose rows include all that satisfy the formula, or null when the
 * formula says too little.
 */
export function formulaMatch(formula: Formula): string | null {
  switch (formula.kind) {
    case 'anything':
      return null
    case 'text':
      return trigramMatch(formula.text)
    case 'all': {
      const matches = new Set(formula.of.map(formulaMatch).filter((match) => match !== null))
      return matches.size === 0 ? null : [...matches].map((match) => `(${match})`).join(' AND ')
    }
    case 'any': {
      const matches = new Set(formula.of.map(formulaMatch))
      return matches.size === 0 || matches.has(null) ? null : [...matches].map((match) => `(${match})`).join(' OR ')
    }
  }
}
