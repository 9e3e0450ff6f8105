import type { Expression, Term } from './query.ts'
import { smallLetters } from './text-folding.ts'

/** At most this many trigrams are asked for. More take time without narrowing the candidates. */
const MAX_TRIGRAMS = 16

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

/** Tokens contain only letters and digits, so nothing in them can end the quotes. */
const wordTermMatch = (term: Term & { kind: 'words' }): string =>
  `"${term.tokens.join(' ')}"${term.isPrefix ? ' *' : ''}`

/**
 * Returns an FTS5 query for the index of trigrams whose rows include all that contain a text. They may include others,
 * since an index without positions cannot exclude them. Returns null when the text is shorter than a trigram.
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

/** Returns the trigrams of a text as the index keeps them, in order. */
export function trigramsOf(text: string): string[] {
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
