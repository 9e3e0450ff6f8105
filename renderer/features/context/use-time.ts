import { skipToken, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo } from 'react'
import type { StrataMessages } from '#core/contract/strata.ts'
import type { Moment, Timeline } from '#core/contract/time-travel.ts'
import { api } from '#renderer/api.ts'
import { keptOf } from '#renderer/ui/data/kept-of.ts'
import { timelineOf } from '#renderer/ui/data/timeline-query.ts'
import { type RunStep, runSteps } from './moment-text.ts'
import { type Course, courseOf, type TimePoint } from './moments.ts'

/** The moments of a conversation and their order. */
export type Time = {
  readonly timeline: Timeline
  readonly course: Course
  readonly runSteps: readonly RunStep[]
}

const timeOf = keptOf(
  (timeline: Timeline): Time => ({ timeline, course: courseOf(timeline), runSteps: runSteps(timeline.events) }),
)

/** The moments of a conversation; `time` is null while they are being fetched, and when that failed. */
export function useTime(conversationId: number): { readonly time: Time | null; readonly error: unknown } {
  const asked = useQuery(timelineOf(conversationId))
  // What arrives is rendered in short tasks: there may be many thousand events.
  const data = useDeferredValue(asked.data)
  return data === undefined ? { time: null, error: asked.error } : { time: timeOf(data), error: null }
}

/** How many message ids are fetched at once, one for each column. */
const TILE = 4096

/** The range of the history whose columns are single messages, with a position in it. */
export function idTile(position: number, messages: number): { x0: number; x1: number; buckets: number } {
  const x0 = Math.floor(position / TILE) * TILE
  return { x0, x1: Math.min(messages, x0 + TILE), buckets: TILE }
}

/** Returns the moment in the terms of the core, or null while the id of a message is being fetched. */
export function useMoment(conversationId: number, point: TimePoint, time: Time | null): Moment | null {
  const tile = point.kind === 'message' && time !== null ? idTile(point.position, time.course.messages) : null
  const { data } = useQuery(
    api.strata.messages.queryOptions({
      input: tile === null ? skipToken : { conversationId, axis: 'messages', ...tile },
    }),
  )
  return useMemo(() => momentOf(point, time, data), [point, time, data])
}

/**
 * Returns the moment in the terms of the core, given the ids of the tile with its message, or null while something is
 * missing.
 */
export function momentOf(
  point: TimePoint,
  time: Time | null,
  ids: Pick<StrataMessages, 'firstMessage'> | undefined,
): Moment | null {
  if (point.kind === 'now') return NOW_MOMENT
  if (time === null) return null
  if (point.kind === 'event') {
    const event = time.timeline.events[point.index]
    return event === undefined ? NOW_MOMENT : { eventId: event.eventId }
  }
  const id = ids?.firstMessage[point.position - idTile(point.position, time.course.messages).x0]
  return id === undefined ? null : { messageId: `msg_${id}` }
}

const NOW_MOMENT: Moment = { now: true }
