import type { Corpus, RowRange, TextIndex } from '../indexes/corpus.ts'
import { type Formula, rankingMatch, wordMatch } from '../query/index-expression.ts'
import { ExpressionMatcher, LiteralMatcher, type Matcher, needleOf } from '../query/matcher.ts'
import type { Expression, Term } from '../query/query.ts'
import { smallLetters } from '../query/text-folding.ts'
import { type Candidates, candidatesHolding, candidatesOf } from './candidates.ts'

/** How a query is answered: by an index alone, by an index and then the texts, or by the texts alone. */
export type Plan = {
  readonly matcher: Matcher
  /**
   * What the index says of all rows, or of those in a range.
   * @param kind what is indexed
   */
  candidates(index: TextIndex, kind: Corpus['kind'], range: RowRange | null): Candidates
  /** The FTS5 query that finds exactly the hits, or null when there is none. */
  readonly exact: string | null
  /** True when rows with all of several words are wanted: FTS5 counts them no faster than it lists them. */
  readonly isConjunction: boolean
  /** True for words that are not typed to their end. FTS5 collects their rows before it gives the first. */
  readonly hasPrefix: boolean
  /** The FTS5 query by which hits are ranked, or null when nothing ranks them. */
  readonly ranking: string | null
  /** Counts the ranked words in texts, where there is no index. Null when nothing ranks the hits. */
  readonly counter: ExpressionMatcher | null
  /** True when the neighbours of a hit are needed to rank it. */
  readonly needsNeighbours: boolean
  /**
   * What every hit contains, in the forms in which texts are compared: words as `wordsOf` writes them, other texts in
   * small letters.
   */
  readonly formula: Formula
  /** True when a row may be a hit without containing all terms. */
  readonly hasOptional: boolean
  /** A text that one field of every hit contains character by character, or null when none is known. */
  readonly holds: string | null
  /**
   * LIKE patterns. A candidate that matches all of them is a hit, and others may be hits, too. Null when none are
   * known.
   */
  readonly suffices: readonly string[] | null
}

/** @param indexed the same expression in the words of the index, when it contains stems */
export function expressionPlan(expression: Expression, indexed = expression): Plan {
  const matcher = new ExpressionMatcher(expression)
  return {
    matcher,
    candidates: (index, _, range) => candidatesOf(indexed, index, range),
    exact: wordMatch(indexed),
    isConjunction: isConjunction(indexed),
    hasPrefix: hasPrefix(indexed),
    ranking: rankingMatch(indexed),
    counter: matcher,
    needsNeighbours: false,
    formula: formulaOf(expression),
    hasOptional: hasOptional(expression),
    holds: heldBy(expression),
    suffices: sufficientFor(indexed),
  }
}

/** Returns the plan for characters. */
export function literalPlan(text: string, isCaseSensitive: boolean): Plan {
  const isCaseless = text.toUpperCase() === text.toLowerCase()
  const holds = isCaseSensitive || isCaseless ? text : null
  const plan = textPlan(new LiteralMatcher(text, isCaseSensitive), { kind: 'text', text }, holds)
  return isCaseSensitive ? plan : { ...plan, suffices: patternOf(text) }
}

/**
 * Returns the plan for a query that is answered by trigrams.
 * @param formula what every hit contains, without regard to case
 * @param holds see `Plan`
 */
export function textPlan(matcher: Matcher, formula: Formula, holds: string | null): Plan {
  return {
    matcher,
    candidates: (index, _, range) => candidatesHolding(formula, index, range),
    exact: null,
    isConjunction: false,
    hasPrefix: false,
    ranking: null,
    counter: null,
    needsNeighbours: false,
    formula: inSmallLetters(formula),
    hasOptional: false,
    // Texts of several parts are joined by line ends, which are in none of the parts.
    holds: holds === null || holds === '' || holds.includes('\n') ? null : holds,
    suffices: null,
  }
}

function formulaOf(expression: Expression): Formula {
  switch (expression.kind) {
    case 'term':
      return { kind: 'text', text: needleOf(expression.term) }
    case 'all':
    case 'any':
      return { kind: expression.kind, of: expression.of.map(formulaOf) }
    case 'without':
      return formulaOf(expression.from)
  }
}

function inSmallLetters(formula: Formula): Formula {
  switch (formula.kind) {
    case 'anything':
      return formula
    case 'text':
      return { kind: 'text', text: smallLetters(formula.text) }
    default:
      return { kind: formula.kind, of: formula.of.map(inSmallLetters) }
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

function isConjunction(expression: Expression): boolean {
  switch (expression.kind) {
    case 'term':
      return expression.term.kind === 'words' && expression.term.tokens.length > 1
    case 'any':
      return expression.of.some(isConjunction)
    case 'all':
    case 'without':
      return true
  }
}

function hasPrefix(expression: Expression): boolean {
  switch (expression.kind) {
    case 'term':
      return expression.term.kind === 'words' && expression.term.isPrefix
    case 'all':
    case 'any':
      return expression.of.some(hasPrefix)
    case 'without':
      return hasPrefix(expression.from) || hasPrefix(expression.what)
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
 * SQLite's LIKE ignores the case of ASCII letters, as the matcher of a literal does. The index already says which words
 * a candidate contains.
 */
function sufficientFor(expression: Expression): string[] | null {
  if (wordMatch(expression) !== null) return []
  if (expression.kind === 'all') {
    const parts = expression.of.map(sufficientFor)
    return parts.includes(null) ? null : parts.flatMap((patterns) => patterns ?? [])
  }
  if (expression.kind !== 'term' || expression.term.kind !== 'literal') return null
  return patternOf(expression.term.text)
}

const patternOf = (text: string): string[] | null =>
  /^[ -~]{1,1000}$/.test(text) ? [`%${text.replace(/[\\%_]/g, '\\$&')}%`] : null
