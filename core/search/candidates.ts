import { wordMatch } from './index-expression.ts'
import type { Expression } from './query.ts'
import { difference, intersection, NO_ROWS, type RowSet, union } from './row-set.ts'
import type { TermLookup } from './term-rows.ts'

/** What an index says about a query before any text is read. */
export type Candidates = {
  /** Rows that include all hits, or null when no index can narrow them down. */
  readonly rows: RowSet
  /** Those of the rows that are hits for certain and need not be verified. */
  readonly certain: Float64Array
}

const exactly = (rows: Float64Array): Candidates => ({ rows: rows, certain: rows })

/**
 * Returns the candidates of a full-text expression. They are exactly its hits when the expression consists of words.
 */
export function candidatesOf(expression: Expression, terms: TermLookup): Candidates {
  switch (expression.kind) {
    case 'term': {
      const { rows, isCertain } = terms.of(expression.term)
      return { rows: rows, certain: isCertain && rows ? rows : NO_ROWS }
    }
    case 'all':
      return allOf(expression.of, terms)
    case 'any':
      return expression.of
        .map((part) => candidatesOf(part, terms))
        .reduce((a, b) => ({ rows: union(a.rows, b.rows), certain: union(a.certain, b.certain) ?? NO_ROWS }))
    case 'without': {
      const from = candidatesOf(expression.from, terms)
      if (from.rows?.length === 0) return exactly(NO_ROWS)
      const what = candidatesOf(expression.what, terms)
      const certain = what.rows === null ? NO_ROWS : (difference(from.certain, what.rows) ?? NO_ROWS)
      return { rows: difference(from.rows, what.certain), certain }
    }
  }
}

/**
 * For words joined by AND, FTS5 skips through common words from one rare word to the next. It would first collect all
 * rows of a prefix, so prefixes are looked up apart.
 */
function allOf(parts: readonly Expression[], terms: TermLookup): Candidates {
  const plain = parts.filter((part) => wordMatch(part) !== null && !hasPrefix(part))
  const match = plain.length > 1 ? wordMatch({ kind: 'all', of: plain, isImplied: true }) : null
  let all: Candidates = { rows: null, certain: NO_ROWS }
  let isFirst = true
  const and = (some: Candidates): void => {
    const certain = isFirst ? some.certain : (intersection(all.certain, some.certain) ?? NO_ROWS)
    all = { rows: intersection(all.rows, some.rows), certain }
    isFirst = false
  }
  if (match !== null) and(exactly(terms.index.words(match)))
  for (const part of parts) {
    if (all.rows?.length === 0) return exactly(NO_ROWS)
    if (match === null || !plain.includes(part)) and(candidatesOf(part, terms))
  }
  return all
}

function hasPrefix(expression: Expression): boolean {
  switch (expression.kind) {
    case 'term':
      return expression.term.kind === 'words' && expression.term.isPrefix
    case 'without':
      return hasPrefix(expression.from) || hasPrefix(expression.what)
    default:
      return expression.of.some(hasPrefix)
  }
}
