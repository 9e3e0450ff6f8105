import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { GrepHit } from '../../../core/contract/retrieval.ts'
import type { FactStates } from '../../../core/contract/trace.ts'
import { tracedStates } from '../../ui/traced-states.ts'
import { batchesOf, type HitState, type HitStates } from './hit-states.ts'

/** Traces the hits of the loaded pages in the background, one batch after the other. */
export function useHitStates(pages: readonly (readonly GrepHit[])[]): { states: HitStates; isPending: boolean } {
  const batches = useMemo(() => batchesOf(pages), [pages])
  const { traced, isPending } = useQueries({
    queries: batches.map(tracedStates),
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
