import type { Expression, Term } from './query.ts'
import { smallLetters } from './text-folding.ts'

/** Trigrams asked for at most; more would not narrow the candidates, only take time. */
const MAX_TRIGRAMS = 16

/** FTS5 query for the word index that finds exactly what the expression means; null when it holds more than words. */
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

/** Tokens hold letters and digits only, so nothing in them can end the quotes. */
const wordTermMatch = (term: Term & { kind: 'words' }): string =>
  `"${term.tokens.join(' ')}"${term.isPrefix ? ' *' : ''}`

/**
 * FTS5 query for the trigram index whose rows include all that hold a text (and perhaps others, since an index without
 * positions cannot tell); null when the text is shorter than a trigram.
 */
export function trigramMatch(text: string): string | null {
  const all = trigramsOf(text)
  if (all.length === 0) return null
  const step = Math.max(1, all.length / MAX_TRIGRAMS)
  const trigrams = new Set<string>()
  for (let place = 0; place < all.length; place += step) trigrams.add(all[Math.floor(place)] as string)
  trigrams.add(all.at(-1) as string)
  return [...trigrams].map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ')
}

/** The trigrams of a text as the index keeps them, in order. */
export function trigramsOf(text: string): string[] {
  // The index passes over NUL.
  const characters = [...smallLetters(text)].filter((character) => character !== '\u0000')
  return characters.slice(2).map((_, place) => characters.slice(place, place + 3).join(''))
}

/** What stands in every text that a pattern matches, but for the case of its letters. */
export type Formula =
  | { readonly kind: 'anything' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Formula[] }

export const ANYTHING: Formula = { kind: 'anything' }

/** FTS5 query for the trigram index whose rows include all that satisfy the formula; null when it says too little. */
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
