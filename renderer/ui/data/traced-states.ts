import type { FactStates } from '#core/contract/trace.ts'
import { client } from '#renderer/api.ts'

const BUDGET_MS = 300
const STALE_MS = 30_000

type Traced = FactStates['states']

/**
 * Query options for what became of messages and summaries in the window, or only of some words of theirs. Such queries are
 * answered one after the other.
 */
export const tracedStates = (ids: readonly string[], words: string | null = null) => ({
  queryKey: ['trace', 'states', ids, words],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => inTurn(() => statesOf(ids, words, signal), signal),
  staleTime: STALE_MS,
  retry: false,
})

/** Asks until every id is answered: each answer has at least one more. */
async function statesOf(ids: readonly string[], words: string | null, signal: AbortSignal): Promise<Traced> {
  const found: Traced = []
  while (found.length < ids.length) {
    const { states } = await client.trace.states(
      { ids: ids.slice(found.length), budgetMs: BUDGET_MS, ...(words !== null && { text: words }) },
      { signal },
    )
    if (states.length === 0) break
    found.push(...states)
  }
  return found
}

let last: Promise<unknown> = Promise.resolve()

/** Batches wait for each other, so that other calls have their turn between them. */
function inTurn<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const turn = last
    .catch(() => undefined)
    .then(() => {
      signal.throwIfAborted()
      return ask()
    })
  last = turn
  return turn
}
