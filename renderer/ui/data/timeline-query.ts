import { queryOptions, skipToken } from '@tanstack/react-query'
import type { CompactionEvent, Timeline } from '#core/contract/time-travel.ts'
import { api, client } from '#renderer/api.ts'

/** An answer with more events would take long to arrive in one piece: 260 bytes each. */
const EVENTS_AT_ONCE = 10_000

/** The question for the timeline of a conversation. Null asks nothing. */
export function timelineOf(conversationId: number | null) {
  const { queryKey } = api.context.timeline.queryOptions({
    input: conversationId === null ? skipToken : { conversationId },
  })
  return queryOptions({
    queryKey,
    queryFn: conversationId === null ? skipToken : ({ signal }) => wholeTimeline(conversationId, signal),
  })
}

async function wholeTimeline(conversationId: number, signal: AbortSignal): Promise<Timeline> {
  const events: CompactionEvent[] = []
  for (let fromEvent = 0; ; ) {
    const input = { conversationId, fromEvent, limit: EVENTS_AT_ONCE }
    const { nextEvent, ...part } = await client.context.timeline(input, { signal })
    events.push(...part.events)
    if (nextEvent === undefined) return { ...part, events }
    fromEvent = nextEvent
  }
}
