import { type QueryClient, skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { AssembledContext, AssembleInput } from '#core/contract/context.ts'
import type { ContextAt, Moment } from '#core/contract/time-travel.ts'
import { api, client } from '#renderer/api.ts'
import { itemsAt, stepEvent, stepMessage, type TimePoint } from './moments.ts'
import { idTile, momentOf, type Time } from './use-time.ts'

/** Windows of the past are large and many, so those out of sight are kept only for a short time. */
const PAST_KEPT_MS = 20_000
/** A larger window is requested only when the user asks for it. */
const MAX_PREFETCHED_ITEMS = 8_000
/** A user who stays on a moment for this long is likely to go on to the next one. */
const PREFETCH_AFTER_MS = 120

/** The present window or one of the past. Only for the past it has a time. */
export type SeenWindow = AssembledContext & Partial<Pick<ContextAt, 'atMs' | 'events'>>

/**
 * Requests the window at a moment. Null requests nothing yet. The last window stays in sight until the answer arrives.
 */
export function useWindow(input: AssembleInput, moment: Moment | null) {
  const { queryKey, queryFn, gcTime } = moment === null ? PENDING : windowQuery(input, moment)
  return useQuery<SeenWindow>({
    queryKey,
    queryFn,
    gcTime,
    // A window must never be shown under the name of another conversation.
    placeholderData: (previous) => (previous?.conversationId === input.conversationId ? previous : undefined),
  })
}

/** Requests nothing, and has no answer that could be mistaken for one. */
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

/**
 * Fetches the windows that the next key press would show: the next event, and the next message when the moment is a
 * message.
 */
export function usePrefetch(input: AssembleInput, point: TimePoint, time: Time | null): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (time === null) return
    const timer = setTimeout(() => {
      for (const direction of [-1, 1] as const) {
        void prefetch(queries, input, stepEvent(point, direction, time.course), time)
        if (point.kind === 'message') void prefetch(queries, input, stepMessage(point, direction, time.course), time)
      }
    }, PREFETCH_AFTER_MS)
    return () => clearTimeout(timer)
  }, [queries, input, point, time])
}

async function prefetch(queries: QueryClient, input: AssembleInput, point: TimePoint, time: Time): Promise<void> {
  if (itemsAt(point, time.course) > MAX_PREFETCHED_ITEMS) return
  const { conversationId } = input
  const tile = point.kind === 'message' ? idTile(point.position, time.course.messages) : null
  const ids = tile && queries.getQueryData(api.strata.messages.queryKey({ input: tileInput(conversationId, tile) }))
  const moment = momentOf(point, time, ids ?? undefined)
  if (moment !== null) await queries.prefetchQuery(windowQuery(input, moment))
}

const tileInput = (conversationId: number, tile: ReturnType<typeof idTile>) =>
  ({ conversationId, axis: 'messages', ...tile }) as const

/** A slider passes most moments within this time. */
const SETTLE_MS = 25
/** With this many items an answer takes a while, so it is requested only when the slider rests. */
const LARGE_ITEMS = 20_000
const LARGE_SETTLE_MS = 300

/**
 * Returns the moment to request while the thumb moves: one request at a time, always for the latest position of the
 * thumb. `isBusy` tells that the last request is not answered yet.
 */
export function useAskedPoint(point: TimePoint, time: Time | null): readonly [TimePoint, (isBusy: boolean) => void] {
  const [asked, setAsked] = useState<TimePoint | null>(null)
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    // Without the moments, none of them can be named.
    if (time === null || isBusy || asked === point) return
    const isLarge = time !== null && itemsAt(point, time.course) > LARGE_ITEMS
    const timer = setTimeout(() => setAsked(point), isLarge ? LARGE_SETTLE_MS : SETTLE_MS)
    return () => clearTimeout(timer)
  }, [isBusy, asked, point, time])
  return [asked ?? point, setBusy]
}
