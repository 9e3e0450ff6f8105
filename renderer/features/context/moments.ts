import type { Timeline } from '#core/contract/time-travel.ts'
import { firstIndex } from '#renderer/ui/data/first-index.ts'

/** A selectable moment: the present, after a compaction event, or after a message (by its position from 0). */
export type TimePoint =
  | { readonly kind: 'now' }
  | { readonly kind: 'event'; readonly index: number }
  | { readonly kind: 'message'; readonly position: number }

export const NOW: TimePoint = { kind: 'now' }

/** How many messages and events there were at a moment. */
export type Progress = { readonly messages: number; readonly events: number }

/** The part of a timeline that determines the order of moments. */
export type Course = {
  readonly messages: number
  /** The number of messages at each event. It never decreases. */
  readonly eventMessages: readonly number[]
  /** How many items each event and those before it have removed from the window. */
  readonly eventRemoved: readonly number[]
}

/**
 * Returns the order of moments of a timeline. Counts that a damaged or reconstructed record gives out of order are
 * corrected, and no event comes before the first message.
 */
export function courseOf({ messages, events }: Pick<Timeline, 'messages' | 'events'>): Course {
  let most = Math.min(1, messages)
  const eventMessages = events.map((event) => {
    most = Math.min(messages, Math.max(most, event.messages))
    return most
  })
  let gone = 0
  const eventRemoved = events.map(({ removed }) => {
    gone += Math.max(0, removed - 1)
    return gone
  })
  return { messages, eventMessages, eventRemoved }
}

/** Estimates how many items the window held then. The estimate only tells how long an answer takes. */
export function itemsAt(point: TimePoint, course: Course): number {
  const { messages, events } = progressAt(point, course)
  return Math.max(0, messages - (course.eventRemoved[events - 1] ?? 0))
}

/** Returns what had happened at a moment. A message comes before every event that followed it. */
export function progressAt(point: TimePoint, { messages, eventMessages }: Course): Progress {
  switch (point.kind) {
    case 'now':
      return { messages, events: eventMessages.length }
    case 'event':
      return { messages: eventMessages[point.index] ?? messages, events: point.index + 1 }
    case 'message':
      return { messages: point.position + 1, events: eventsBefore(point.position, eventMessages) }
  }
}

/** Returns how many events had happened when the message of a position arrived. */
const eventsBefore = (position: number, eventMessages: readonly number[]): number =>
  firstIndex(eventMessages.length, (event) => (eventMessages[event] ?? 0) > position)

/**
 * Returns the canonical form of a moment: a moment that nothing followed, or that does not exist any more, is the
 * present.
 */
export function normalised(point: TimePoint, course: Course): TimePoint {
  const { messages, events } = progressAt(point, course)
  const isPast = messages < course.messages || events < course.eventMessages.length
  if (!isPast || events > course.eventMessages.length || messages > course.messages) return NOW
  return point
}

/** The first moment at which there is something to show. */
export const startOf = (course: Course): TimePoint => normalised({ kind: 'message', position: 0 }, course)

/** Returns the next event in a direction, and at the ends the first message or the present. */
export function stepEvent(point: TimePoint, direction: 1 | -1, course: Course): TimePoint {
  const here = normalised(point, course)
  const { events, messages } = progressAt(here, course)
  if (direction === 1) return normalised({ kind: 'event', index: events }, course)
  // An event at the very end is the present and not a moment before it.
  const isAtEvent = here.kind === 'event' || (here.kind === 'now' && course.eventMessages.at(-1) === messages)
  const index = events - (isAtEvent ? 2 : 1)
  return index < 0 ? startOf(course) : { kind: 'event', index }
}

/**
 * Returns the moment one message earlier or later. Before an event it is the moment after the message that the event
 * followed.
 */
export function stepMessage(point: TimePoint, direction: 1 | -1, course: Course): TimePoint {
  const here = normalised(point, course)
  const { messages } = progressAt(here, course)
  if (direction === 1) return normalised({ kind: 'message', position: messages }, course)
  const isAfterEvent = here.kind === 'event' || (here.kind === 'now' && course.eventMessages.at(-1) === messages)
  return normalised({ kind: 'message', position: Math.max(0, messages - (isAfterEvent ? 1 : 2)) }, course)
}

/** Returns the moment just before an event. */
export function beforeEvent(index: number, { eventMessages }: Course): TimePoint {
  const messages = eventMessages[index] ?? 0
  const before = eventMessages[index - 1]
  return before === messages
    ? { kind: 'event', index: index - 1 }
    : { kind: 'message', position: Math.max(0, messages - 1) }
}

/** Returns the moments before and after the last run, or the beginning and the present when nothing was compacted. */
export function lastRun(
  events: Timeline['events'],
  course: Course,
): { readonly from: TimePoint; readonly to: TimePoint } {
  const last = events.at(-1)
  if (last === undefined) return { from: startOf(course), to: NOW }
  // Files without a log have no runs, so each summary counts as one.
  const first = last.runId === '' ? events.length - 1 : events.findIndex((event) => event.runId === last.runId)
  return { from: beforeEvent(first, course), to: normalised({ kind: 'event', index: events.length - 1 }, course) }
}

/** When there are more events than this, the moments between them are not played. */
const DETAILED_EVENTS = 60
/** About how many moments are played at most. */
const PLAYED = 120

/**
 * Returns the next moment in the playback of the history, in which the window fills up, is compacted, and fills up
 * again.
 */
export function playNext(point: TimePoint, course: Course): TimePoint {
  const { events, messages } = progressAt(point, course)
  const count = course.eventMessages.length
  if (events >= count) return NOW
  if (count > DETAILED_EVENTS)
    return normalised({ kind: 'event', index: Math.min(count - 1, events - 1 + Math.ceil(count / PLAYED)) }, course)
  const isFull = (course.eventMessages[events] ?? 0) <= messages
  return normalised(isFull ? { kind: 'event', index: events } : beforeEvent(events, course), course)
}

export const isSamePoint = (a: TimePoint, b: TimePoint): boolean =>
  a.kind === b.kind &&
  (a.kind !== 'event' || b.kind !== 'event' || a.index === b.index) &&
  (a.kind !== 'message' || b.kind !== 'message' || a.position === b.position)

/** The moment that an address names: `event-17`, `message-240`, and anything else for now. */
export function addressedPoint(text: string | null, timeline: Pick<Timeline, 'events'>, course: Course): TimePoint {
  const [, kind, digits = ''] = /^(event|message)-(\d{1,9})$/.exec(text ?? '') ?? []
  const number = Number(digits)
  if (kind === 'message' && number >= 1 && number <= course.messages) return { kind, position: number - 1 }
  const index = kind === 'event' ? timeline.events.findIndex(({ eventId }) => eventId === number) : -1
  return index < 0 ? NOW : { kind: 'event', index }
}

/** The inverse of {@link addressedPoint}; null for now. */
export function pointAddress(point: TimePoint, timeline: Pick<Timeline, 'events'>): string | null {
  if (point.kind === 'message') return `message-${point.position + 1}`
  const event = point.kind === 'event' ? timeline.events[point.index] : undefined
  return event === undefined ? null : `event-${event.eventId}`
}
