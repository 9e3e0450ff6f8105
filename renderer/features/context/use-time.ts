import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Moment, Timeline } from '../../../core/contract/time-travel.ts'
import { api } from '../../api.ts'
import { type RunPlace, runPlaces } from './moment-text.ts'
import { type Course, courseOf, type Place } from './moments.ts'

/** Everything about the order of moments of a conversation. */
export type Time = {
  readonly timeline: Timeline
  readonly course: Course
  readonly runPlaces: readonly RunPlace[]
}

/** The moments of a conversation; null while they are being fetched. */
export function useTime(conversationId: number): Time | null {
  const { data } = useQuery(api.context.timeline.queryOptions({ input: { conversationId } }))
  return (
    useMemo(() => data && { timeline: data, course: courseOf(data), runPlaces: runPlaces(data.events) }, [data]) ?? null
  )
}

/** So many message ids are fetched at once; a column each. */
const TILE = 4096

/** The stretch of the history whose columns are single messages, with a rank in it. */
export function idTile(rank: number, messages: number): { x0: number; x1: number; buckets: number } {
  const x0 = Math.floor(rank / TILE) * TILE
  return { x0, x1: Math.min(messages, x0 + TILE), buckets: TILE }
}

/** What the core calls a place; null while the id of a message is being fetched. */
export function useMoment(conversationId: number, place: Place, time: Time | null): Moment | null {
  const rank = place.kind === 'message' && time !== null ? place.rank : null
  const messages = time?.course.messages ?? 0
  const { data } = useQuery(
    api.strata.messages.queryOptions({
      input: rank === null ? skipToken : { conversationId, axis: 'messages', ...idTile(rank, messages) },
    }),
  )
  if (place.kind === 'now') return NOW_MOMENT
  if (place.kind === 'event') {
    const event = time?.timeline.events[place.index]
    return event === undefined ? null : { eventId: event.eventId }
  }
  const id = rank === null ? undefined : data?.firstMessage[rank - idTile(rank, messages).x0]
  return id === undefined ? null : { messageId: `msg_${id}` }
}

const NOW_MOMENT: Moment = { now: true }
