import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { GrepHit } from '../../../core/contract/retrieval.ts'
import type { FactStates } from '../../../core/contract/trace.ts'
import { client } from '../../api.ts'
import { batchesOf, type HitState, type HitStates } from './hit-states.ts'

const BUDGET_MS = 300
const STALE_MS = 30_000

/** Traces the hits of the loaded pages in the background, one batch after the other. */
export function useHitStates(pages: readonly (readonly GrepHit[])[]): { states: HitStates; isPending: boolean } {
  const batches = useMemo(() => batchesOf(pages), [pages])
  const { traced, isPending } = useQueries({
    queries: batches.map((ids) => ({
      queryKey: ['trace', 'states', ids],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => inTurn(() => statesOf(ids, signal), signal),
      staleTime: STALE_MS,
      retry: false,
    })),
    combine: combined,
  })
  const states = useMemo(() => {
    const known = new Map<string, HitState>(traced.map((one) => [one.id, one]))
    for (const { id, inContext } of pages.flat())
      if (inContext) known.set(id, { state: 'kept', details: 0, kept: 0, inWindow: true })
    return known
  }, [traced, pages])
  return { states, isPending }
}

type Traced = FactStates['states']

const combined = (results: readonly { readonly data: Traced | undefined; readonly isPending: boolean }[]) => ({
  traced: results.flatMap(({ data }) => data ?? []),
  isPending: results.some(({ isPending }) => isPending),
})

/** Asks until every hit of a batch is answered: each answer has at least one more. */
async function statesOf(ids: readonly string[], signal: AbortSignal): Promise<Traced> {
  const found: Traced = []
  while (found.length < ids.length) {
    const { states } = await client.trace.states({ ids: ids.slice(found.length), budgetMs: BUDGET_MS }, { signal })
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
