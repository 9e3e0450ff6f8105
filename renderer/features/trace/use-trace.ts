import { skipToken, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { MessageEnds } from '#core/contract/retrieval.ts'
import type { FactTrace } from '#core/contract/trace.ts'
import { client } from '#renderer/api.ts'
import { useRoutePart } from '#renderer/routes.ts'
import { useMarkedMessages } from '#renderer/ui/data/message-range.ts'
import { useIsEverywhere } from '#renderer/ui/parts/conversation-scope.tsx'

export type TraceAsked = {
  readonly conversationId: number | null
  /** The words that are traced, or null for everything in a message. */
  readonly query: string | null
  /** The message or summary from which the ladder leads, or null for the one that a search finds. */
  readonly tracedId: string | null
  /** The marked messages, in which the words are looked for. */
  readonly between?: MessageEnds | null
  /** The marked messages are not known yet. */
  readonly isWaiting?: boolean
  /** The marked messages are not in the conversation: nothing is looked for. */
  readonly areMissing?: boolean
}

const MOST_CHARS = 4000
const PLACES = 20
const STALE_MS = 30_000

/** The places that say some words. */
export function usePlaces({ conversationId, query, between, isWaiting }: TraceAsked): UseQueryResult<FactTrace> {
  const text = query?.trim().slice(0, MOST_CHARS) ?? ''
  const narrow = { ...(conversationId !== null && { conversationId }), ...between }
  return useQuery({
    queryKey: ['trace', 'places', narrow, text],
    queryFn:
      text === '' || isWaiting
        ? skipToken
        : ({ signal }) => client.trace.fact({ text, limit: PLACES, ladderOnly: true, ...narrow }, { signal }),
    staleTime: STALE_MS,
    retry: false,
  })
}

/** The ladder of one place: of the chosen one, or of the best that was found. */
export function useLadder(asked: TraceAsked): UseQueryResult<FactTrace> {
  const { tracedId, query } = asked
  const places = usePlaces(asked)
  const chosen = useTrace(tracedId, query, true)
  return tracedId === null ? places : chosen
}

/** A ladder with the ways back, of which a search in a large memory takes longer than the ladder. */
export const useRecoveries = (tracedId: string | null, query: string | null): UseQueryResult<FactTrace> =>
  useTrace(tracedId, query, false)

function useTrace(id: string | null, query: string | null, ladderOnly: boolean): UseQueryResult<FactTrace> {
  const text = query?.trim().slice(0, MOST_CHARS) ?? ''
  return useQuery({
    queryKey: ['trace', ladderOnly ? 'ladder' : 'way back', id, text],
    queryFn:
      id === null
        ? skipToken
        : ({ signal }) => client.trace.fact({ id, ladderOnly, ...(text === '' ? {} : { text }) }, { signal }),
    staleTime: STALE_MS,
    retry: false,
  })
}

/** What the address asks to trace. */
export function useTraceAsked(): TraceAsked {
  const conversationId = useRoutePart('conversationId')
  const query = useRoutePart('query')
  const tracedId = useRoutePart('tracedId')
  const [isEverywhere] = useIsEverywhere()
  const marked = useMarkedMessages(conversationId)
  return isEverywhere ? { conversationId: null, query, tracedId } : { conversationId, query, tracedId, ...marked }
}
