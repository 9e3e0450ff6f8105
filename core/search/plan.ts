import { type Candidates, candidatesOf } from './candidates.ts'
import { type Formula, wordMatch } from './index-expression.ts'
import { ExpressionMatcher, type Matcher } from './matcher.ts'
import { type Expression, positiveTerms, type Term } from './query.ts'
import { NO_ROWS } from './row-set.ts'
import type { TermLookup, TermRows } from './term-rows.ts'

/** How to answer a query: by an index alone, by an index and then the texts, or by the texts alone. */
export type Plan = {
  readonly matcher: Matcher
  candidates(terms: TermLookup): Candidates
  /** What relevance is made of: the rows of each term of the matcher. */
  scored(terms: TermLookup, candidates: Candidates): readonly TermRows[]
  /** A row may be a hit without holding all of the terms. */
  readonly hasOptional: boolean
  /** Stands in every hit, in one of its texts, character by character; null when nothing such is known. */
  readonly holds: string | null
  /** A candidate that matches all these patterns of LIKE is a hit, others may be; null when none are known. */
  readonly suffices: readonly string[] | null
}

export const expressionPlan = (expression: Expression): Plan => ({
  matcher: new ExpressionMatcher(expression),
  candidates: (terms) => candidatesOf(expression, terms),
  scored: (terms) => positiveTerms(expression).map((term) => terms.of(term)),
  hasOptional: hasOptional(expression),
  holds: heldBy(expression),
  suffices: sufficientFor(expression),
})

/**
 * For what is found by its letters.
 * @param formula what stands in every hit, but for the case of its letters
 * @param holds see `Plan`
 */
export function textPlan(matcher: Matcher, formula: Formula, holds: string | null): Plan {
  return {
    matcher,
    candidates: ({ trigrams }) => ({ perhaps: trigrams.satisfying(formula), sure: NO_ROWS }),
    scored: (_, { perhaps }) => [{ rows: perhaps, counts: null, isSure: false }],
    hasOptional: false,
    // Texts of several parts are joined by line ends, which are in none of them.
    holds: holds === null || holds === '' || holds.includes('\n') ? null : holds,
    suffices: null,
  }
}

function hasOptional(expression: Expression): boolean {
  switch (expression.kind) {
    case 'term':
      return false
    case 'all':
      return expression.of.some(hasOptional)
    case 'any':
      return expression.of.length > 1
    case 'without':
      return hasOptional(expression.from)
  }
}

function heldBy(expression: Expression): string | null {
  switch (expression.kind) {
    case 'term':
      return isCaseless(expression.term) ? expression.term.text : null
    case 'all': {
      const held = expression.of.map(heldBy).filter((text) => text !== null)
      return held.toSorted((a, b) => b.length - a.length)[0] ?? null
    }
    case 'any':
      return null
    case 'without':
      return heldBy(expression.from)
  }
}

const isCaseless = (term: Term): term is Term & { kind: 'literal' } =>
  term.kind === 'literal' && term.text.toUpperCase() === term.text.toLowerCase() && !term.text.includes('\n')

/**
 * SQLite's LIKE makes no difference between small and large letters of ASCII, as the matcher of a literal does not. That
 * words stand in a candidate is known from the index.
 */
function sufficientFor(expression: Expression): string[] | null {
  if (wordMatch(expression) !== null) return []
  if (expression.kind === 'all') {
    const parts = expression.of.map(sufficientFor)
    return parts.includes(null) ? null : parts.flatMap((patterns) => patterns ?? [])
  }
  if (expression.kind !== 'term' || expression.term.kind !== 'literal') return null
  const { text } = expression.term
  return /^[ -~]{1,1000}$/.test(text) ? [`%${text.replace(/[\\%_]/g, '\\$&')}%`] : null
}
