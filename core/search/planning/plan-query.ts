import type { GrepInput } from '#core/contract/retrieval.ts'
import { sha256 } from '#core/hashing.ts'
import { once } from '#core/keeping.ts'
import { type Expression, loosened, parseQuery, positiveTerms } from '../query/query.ts'
import { expressionPlan, literalPlan, type Plan } from './plan.ts'
import { type AskedWord, askedWords, typedWords } from './question-words.ts'

/** A query with the plan by which it is answered. */
export type Query = {
  readonly strict: Plan
  /** The words of a full-text query. Null for characters and patterns. */
  readonly expression: Expression | null
  /** The expression with any of the words that stand side by side. Null when there are none or all are required. */
  readonly loose: Expression | null
  /** The words as of a question, made when they are asked for. Empty when the query has no words. */
  readonly words: readonly AskedWord[]
  /** True when the query consists of words without operators. It may be understood as a question without asking. */
  readonly isPlain: boolean
  readonly notes: readonly string[]
}

/**
 * Parses the query in its mode. Returns null when there is nothing to search for.
 * @throws LcmError invalid_argument for what is no regular expression
 */
export async function planQuery(input: GrepInput, signal?: AbortSignal): Promise<Query | null> {
  const query = input.query.toWellFormed()
  if (query.trim() === '') return null
  switch (input.mode) {
    case 'regex': {
      // RE2 is a sixth of all code that would be loaded before the first answer.
      const { regexPlan } = await import('../patterns/regex.ts')
      return {
        strict: regexPlan(query, input.caseSensitive ?? false, signal),
        expression: null,
        loose: null,
        words: [],
        isPlain: false,
        notes: [],
      }
    }
    case 'literal': {
      const strict = literalPlan(query, input.caseSensitive ?? false)
      return { strict, expression: null, loose: null, words: [], isPlain: false, notes: [] }
    }
    case 'full_text': {
      const { expression, notes } = parseQuery(query)
      if (!expression) return null
      const loose = loosened(expression)
      const isSame = loose === expression || JSON.stringify(loose) === JSON.stringify(expression)
      const words = once(() => (input.match === 'all' ? [] : askedWords(positiveTerms(expression))))
      return {
        strict: expressionPlan(expression),
        expression,
        loose: isSame || input.match === 'all' ? null : loose,
        get words() {
          return words()
        },
        isPlain: (expression.kind === 'all' && expression.isImplied) || expression.kind === 'term',
        notes,
      }
    }
  }
}

/** True when a query may be answered as a question though nobody says that it is one. */
export const mayBeQuestion = ({ match }: GrepInput, { isPlain }: Query): boolean => match === 'auto' && isPlain

/** True for what is a question because somebody says so, or because it has three words or ends like one. */
export function isQuestion(input: GrepInput, query: Query): boolean {
  const { match, sort } = input
  if (match === 'question') return query.words.length > 0
  const hasTime = sort === 'newest' || sort === 'oldest'
  return !hasTime && mayBeQuestion(input, query) && (typedWords(query.words) >= 3 || /[?？]\s*$/.test(input.query))
}

/** Returns the same hash for the same query, whatever the size of the pages. */
export function queryHash({ cursor: _, limit: __, exactTotal: ___, explain: ____, ...query }: GrepInput): string {
  const canonical = JSON.stringify(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1)))
  return sha256(canonical).slice(0, 16)
}
