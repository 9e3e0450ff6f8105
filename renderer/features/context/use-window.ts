import { type QueryClient, skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { AssembledContext, AssembleInput } from '../../../core/contract/context.ts'
import type { ContextAt, Moment } from '../../../core/contract/time-travel.ts'
import { api, client } from '../../api.ts'
import { itemsAt, type Place, stepEvent, stepMessage } from './moments.ts'
import { idTile, momentOf, type Time } from './use-time.ts'

/** Windows of the past are large and many; those that are not looked at any more are soon forgotten. */
const PAST_KEPT_MS = 20_000
/** A larger window is asked for only when somebody wants it. */
const MAX_PREFETCHED_ITEMS = 8_000
/** Whoever stands still this long is likely to go on to a neighbour. */
const PREFETCH_AFTER_MS = 120

/** One answer to what the window is or was. Only of the past it is said when that was. */
export type SeenWindow = AssembledContext & Partial<Pick<ContextAt, 'atMs' | 'events'>>

/** The window at a moment; null asks for nothing yet. What was last shown stays until the answer is there. */
export function useWindow(input: AssembleInput, moment: Moment | null) {
  const { queryKey, queryFn, gcTime } = moment === null ? PENDING : windowQuery(input, moment)
  return useQuery<SeenWindow>({
    queryKey,
    queryFn,
    gcTime,
    // Another conversation's window must never stand under this one's name.
    placeholderData: (previous) => (previous?.conversationId === input.conversationId ? previous : undefined),
  })
}

/** Asks nothing, and has no answer of its own that could be taken for one. */
const PENDING = { queryKey: [...api.context.at.key(), 'pending'], queryFn: skipToken, gcTime: PAST_KEPT_MS } as const

function windowQuery(input: AssembleInput, moment: Moment) {
  if ('now' in moment)
    return {
      queryKey: api.context.assemble.queryKey({ input }),
      queryFn: (): Promise<SeenWindow> => client.context.assemble(input),
      gcTime: undefined,
    }
  const past = { ...input, moment }
  return {
    queryKey: api.context.at.queryKey({ input: past }),
    queryFn: (): Promise<SeenWindow> => client.context.at(past),
    gcTime: PAST_KEPT_MS,
  }
}

/** Fetches the windows to which the next key press would go: by event, and from a message by message. */
export function usePrefetch(input: AssembleInput, place: Place, time: Time | null): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (time === null) return
    const timer = setTimeout(() => {
      for (const direction of [-1, 1] as const) {
        void prefetch(queries, input, stepEvent(place, direction, time.course), time)
        if (place.kind === 'message') void prefetch(queries, input, stepMessage(place, direction, time.course), time)
      }
    }, PREFETCH_AFTER_MS)
    return () => clearTimeout(timer)
  }, [queries, input, place, time])
}

async function prefetch(queries: QueryClient, input: AssembleInput, place: Place, time: Time): Promise<void> {
  if (itemsAt(place, time.course) > MAX_PREFETCHED_ITEMS) return
  const { conversationId } = input
  const tile = place.kind === 'message' ? idTile(place.position, time.course.messages) : null
  const ids = tile && queries.getQueryData(api.strata.messages.queryKey({ input: tileInput(conversationId, tile) }))
  const moment = momentOf(place, time, ids ?? undefined)
  if (moment !== null) await queries.prefetchQuery(windowQuery(input, moment))
}

const tileInput = (conversationId: number, tile: ReturnType<typeof idTile>) =>
  ({ conversationId, axis: 'messages', ...tile }) as const
