import type { GrepInput } from '../contract/retrieval.ts'
import { sha256 } from '../hashing.ts'
import { LiteralMatcher } from './matcher.ts'
import { expressionPlan, type Plan, textPlan } from './plan.ts'
import { type Expression, loosened, parseQuery } from './query.ts'

/** A question with the plan by which it is answered. */
export type Question = {
  readonly strict: Plan
  /** The expression with any of the words that stand side by side. Null when there are none or all are required. */
  readonly loose: Expression | null
  /** True when the query consists of words without operators. Such a question may be loosened without asking. */
  readonly isPlain: boolean
  readonly notes: readonly string[]
}

/**
 * Parses the query in its mode. Returns null when there is nothing to search for.
 * @throws LcmError invalid_argument for what is no regular expression
 */
export async function planQuestion(input: GrepInput, signal?: AbortSignal): Promise<Question | null> {
  const query = input.query.toWellFormed()
  if (query.trim() === '') return null
  switch (input.mode) {
    case 'regex': {
      // RE2 is a sixth of all code that would be loaded before the first answer.
      const { regexPlan } = await import('./regex.ts')
      return { strict: regexPlan(query, signal), loose: null, isPlain: false, notes: [] }
    }
    case 'literal': {
      const strict = textPlan(new LiteralMatcher(query), { kind: 'text', text: query }, query)
      return { strict, loose: null, isPlain: false, notes: [] }
    }
    case 'full_text': {
      const { expression, notes } = parseQuery(query)
      if (!expression) return null
      const loose = loosened(expression)
      const isSame = JSON.stringify(loose) === JSON.stringify(expression)
      return {
        strict: expressionPlan(expression),
        loose: isSame || input.match === 'all' ? null : loose,
        isPlain: expression.kind === 'all' && expression.isImplied,
        notes,
      }
    }
  }
}

/** Returns the same hash for the same question, whatever the size of the pages. */
export function questionHash({ cursor: _, limit: __, exactTotal: ___, ...question }: GrepInput): string {
  const canonical = JSON.stringify(Object.entries(question).sort(([a], [b]) => (a < b ? -1 : 1)))
  return sha256(canonical).slice(0, 16)
}
