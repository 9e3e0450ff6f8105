import type { RowRange, TextIndex } from '../indexes/corpus.ts'
import { difference, intersection, NO_ROWS, type RowSet, union } from '../indexes/row-set.ts'
import { enclosedMatch, type Formula, formulaMatch, wordMatch } from '../query/index-expression.ts'
import type { Expression } from '../query/query.ts'

/** What an index says about a query before any text is read. */
export type Candidates = {
  /** Rows that include all hits, or null when no index can narrow them down: then all rows that were asked for. */
  readonly rows: RowSet
  /** Those of the rows that are hits for certain and need not be verified. */
  readonly certain: Float64Array
}

const exactly = (rows: Float64Array): Candidates => ({ rows, certain: rows })
const perhaps = (rows: RowSet): Candidates => ({ rows, certain: NO_ROWS })
const EVERY_ROW: Candidates = perhaps(null)

/** So few candidates are read sooner than their words are looked up. */
const FEW = 16

/** Returns the candidates of a text or pattern of which so much is known. */
export function candidatesHolding(formula: Formula, index: TextIndex, range: RowRange | null): Candidates {
  const match = formulaMatch(formula)
  if (match === null) return EVERY_ROW
  const rows = index.trigrams(match, range)
  return perhaps(textsOf(formula).reduce<Float64Array>((some, text) => havingWordsOf(some, text, index, range), rows))
}

/** The texts that all must be there. */
const textsOf = (formula: Formula): string[] =>
  formula.kind === 'text' ? [formula.text] : formula.kind === 'all' ? formula.of.flatMap(textsOf) : []

/** Returns those of some rows that have the words of a text side by side. What has its trigrams may have them anywhere. */
function havingWordsOf(rows: Float64Array, text: string, index: TextIndex, range: RowRange | null): Float64Array {
  const match = rows.length <= FEW ? null : enclosedMatch(text)
  return match === null ? rows : (intersection(rows, index.rows(match, range)) ?? rows)
}

/**
 * Returns the candidates of a full-text expression. They are exactly its hits when the expression consists of words.
 */
export function candidatesOf(expression: Expression, index: TextIndex, range: RowRange | null): Candidates {
  const match = wordMatch(expression)
  if (match !== null) return exactly(index.rows(match, range))
  switch (expression.kind) {
    case 'term': {
      const { term } = expression
      return term.kind === 'literal' ? candidatesHolding({ kind: 'text', text: term.text }, index, range) : EVERY_ROW
    }
    case 'all':
      return joined(expression.of, 'all', index, range).reduce((a, b) => ({
        rows: intersection(a.rows, b.rows),
        certain: intersection(a.certain, b.certain) ?? NO_ROWS,
      }))
    case 'any':
      return joined(expression.of, 'any', index, range).reduce((a, b) => ({
        rows: union(a.rows, b.rows),
        certain: union(a.certain, b.certain) ?? NO_ROWS,
      }))
    case 'without': {
      const from = candidatesOf(expression.from, index, range)
      if (from.rows?.length === 0) return exactly(NO_ROWS)
      const what = candidatesOf(expression.what, index, range)
      const certain = what.rows === null ? NO_ROWS : (difference(from.certain, what.rows) ?? NO_ROWS)
      return { rows: difference(from.rows, what.certain), certain }
    }
  }
}

/** Parts that consist of words are looked up together, in one query. */
function joined(
  parts: readonly Expression[],
  kind: 'all' | 'any',
  index: TextIndex,
  range: RowRange | null,
): Candidates[] {
  const words = parts.filter((part) => wordMatch(part) !== null)
  const rest = parts.filter((part) => wordMatch(part) === null)
  const together: Expression = kind === 'all' ? { kind, of: words, isImplied: true } : { kind, of: words }
  return [...(words.length > 0 ? [together] : []), ...rest].map((part) => candidatesOf(part, index, range))
}
