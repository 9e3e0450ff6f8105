import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { AssembledContext, AssembleInput } from '../../../core/contract/context.ts'
import type { ContextAt, Moment } from '../../../core/contract/time-travel.ts'
import { api, client } from '../../api.ts'
import { type Place, stepEvent } from './moments.ts'
import type { Time } from './use-time.ts'

/** Windows of the past are large and many; those that are not looked at any more are soon forgotten. */
const PAST_KEPT_MS = 20_000
/** Whoever stands still this long is likely to go on to a neighbour. */
const PREFETCH_AFTER_MS = 120

/** One answer to what the window is or was. Only of the past it is said when that was. */
export type SeenWindow = AssembledContext & Partial<Pick<ContextAt, 'atMs' | 'events'>>

/** The window at a moment; null asks for nothing yet. What was last shown stays until the answer is there. */
export function useWindow(input: AssembleInput, moment: Moment | null) {
  return useQuery<SeenWindow>({
    ...windowQuery(input, moment ?? { now: true }),
    enabled: moment !== null,
    // Another conversation's window must never stand under this one's name.
    placeholderData: (previous) => (previous?.conversationId === input.conversationId ? previous : undefined),
  })
}

function windowQuery(input: AssembleInput, moment: Moment) {
  if ('now' in moment)
    return { queryKey: api.context.assemble.queryKey({ input }), queryFn: () => client.context.assemble(input) }
  const past = { ...input, moment }
  return {
    queryKey: api.context.at.queryKey({ input: past }),
    queryFn: () => client.context.at(past),
    gcTime: PAST_KEPT_MS,
  }
}

/** Fetches the windows to which the next key press would go. */
export function usePrefetch(input: AssembleInput, place: Place, time: Time | null): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (time === null || time.timeline.events.length === 0) return
    const timer = setTimeout(() => {
      for (const direction of [-1, 1] as const)
        void prefetch(queries, input, stepEvent(place, direction, time.course), time)
    }, PREFETCH_AFTER_MS)
    return () => clearTimeout(timer)
  }, [queries, input, place, time])
}

function prefetch(queries: QueryClient, input: AssembleInput, place: Place, time: Time): Promise<void> {
  const event = place.kind === 'event' ? time.timeline.events[place.index] : undefined
  if (event !== undefined) return queries.prefetchQuery(windowQuery(input, { eventId: event.eventId }))
  return place.kind === 'now' ? queries.prefetchQuery(windowQuery(input, { now: true })) : Promise.resolve()
}
