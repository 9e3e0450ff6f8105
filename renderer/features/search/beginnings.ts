import type { GrepRequest, GrepStep } from '../../../core/contract/retrieval.ts'

/** A step, and the request that it answers when that differs from the typed one. */
export type TypedStep = GrepStep & { readonly asked?: GrepRequest }

const OPERATORS = new Set(['OR', 'AND', 'NOT', 'NEAR'])

/** Returns the words with the last one as a prefix, or null when it is not a word or must be complete. */
export function withBeginning(query: string): string | null {
  const last = /(?:^|[\s(])([\p{L}\p{N}_]{2,})$/u.exec(query)?.[1]
  if (last === undefined || OPERATORS.has(last)) return null
  const isQuoted = (query.split('"').length - 1) % 2 === 1
  return isQuoted ? null : `${query}*`
}

/**
 * Answers words while they are being typed: where no text has all of them, the last one is taken for the beginning of a
 * word. What was typed to its end is thereby found as it stands, and what was not is found too.
 */
export async function* streamTyped(
  request: GrepRequest,
  stream: (request: GrepRequest) => Promise<AsyncIterable<GrepStep>>,
): AsyncGenerator<TypedStep, void> {
  // What was asked as a question is one, whichever words the answers have.
  const mayBegin = request.mode === 'full_text' && request.match !== 'question'
  const begun = mayBegin ? withBeginning(request.query) : null
  let held: GrepStep[] | null = begun === null ? null : []
  for await (const step of await stream(request)) {
    const isAnswer = step.hits.some((hit) => !hit.isPartial)
    if (held === null || isAnswer) {
      yield* held ?? []
      held = null
      yield step
    } else held.push(step)
  }
  if (held === null || begun === null) return
  const asked = { ...request, query: begun, match: 'all' as const }
  let isBetter = false
  for await (const step of await stream(asked)) {
    isBetter ||= step.found > 0
    if (isBetter) yield { ...step, asked, result: step.result && { ...step.result, notes: noted(step.result.notes) } }
  }
  if (!isBetter) yield* held
}

const noted = (notes: readonly string[]): string[] => ['The last word is taken for the beginning of one.', ...notes]
