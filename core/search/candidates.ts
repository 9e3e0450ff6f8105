import { wordMatch } from './index-expression.ts'
import type { Expression } from './query.ts'
import { difference, intersection, NO_ROWS, type RowSet, union } from './row-set.ts'
import type { TermLookup } from './term-rows.ts'

/** What an index says about a query before any text is read. */
export type Candidates = {
  /** Rows that include all hits, or null when no index can narrow them down. */
  readonly perhaps: RowSet
  /** Those of the rows that are hits for certain and need not be verified. */
  readonly sure: Float64Array
}

const exactly = (rows: Float64Array): Candidates => ({ perhaps: rows, sure: rows })

/**
 * Returns the candidates of a full-text expression. They are exactly its hits when the expression consists of words.
 */
export function candidatesOf(expression: Expression, terms: TermLookup): Candidates {
  switch (expression.kind) {
    case 'term': {
      const { rows, isSure } = terms.of(expression.term)
      return { perhaps: rows, sure: isSure && rows ? rows : NO_ROWS }
    }
    case 'all':
      return allOf(expression.of, terms)
    case 'any':
      return expression.of
        .map((part) => candidatesOf(part, terms))
        .reduce((a, b) => ({ perhaps: union(a.perhaps, b.perhaps), sure: union(a.sure, b.sure) ?? NO_ROWS }))
    case 'without': {
      const from = candidatesOf(expression.from, terms)
      if (from.perhaps?.length === 0) return exactly(NO_ROWS)
      const what = candidatesOf(expression.what, terms)
      const sure = what.perhaps === null ? NO_ROWS : (difference(from.sure, what.perhaps) ?? NO_ROWS)
      return { perhaps: difference(from.perhaps, what.sure), sure }
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
  let all: Candidates = { perhaps: null, sure: NO_ROWS }
  let isFirst = true
  const and = (some: Candidates): void => {
    const sure = isFirst ? some.sure : (intersection(all.sure, some.sure) ?? NO_ROWS)
    all = { perhaps: intersection(all.perhaps, some.perhaps), sure }
    isFirst = false
  }
  if (match !== null) and(exactly(terms.index.words(match)))
  for (const part of parts) {
    if (all.perhaps?.length === 0) return exactly(NO_ROWS)
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
