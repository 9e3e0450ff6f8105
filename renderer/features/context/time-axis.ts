import { firstIndex } from '#renderer/ui/data/first-index.ts'
import { type Course, NOW, normalised, progressAt, type TimePoint } from './moments.ts'

/** Events take at most this share of the axis. */
const MAX_EVENT_PART = 0.6
/** With this many events they take half of that share. */
const HALF_AT_EVENTS = 20

/**
 * Returns the part of the axis that belongs to events. Each event gets a step of its own, so that compactions at the
 * same moment can be distinguished and selected. The rest of the axis is the history, message by message.
 */
function eventPart({ messages, eventMessages }: Course): number {
  const events = eventMessages.length
  return messages === 0 ? Math.min(1, events) : (MAX_EVENT_PART * events) / (events + HALF_AT_EVENTS)
}

/** Returns the position of a moment on the axis, from 0 to 1. */
export function positionOf(point: TimePoint, course: Course): number {
  const { messages, events } = progressAt(normalised(point, course), course)
  return position(messages, events, course)
}

function position(messages: number, events: number, course: Course): number {
  const part = eventPart(course)
  const byMessages = course.messages === 0 ? 0 : messages / course.messages
  const byEvents = course.eventMessages.length === 0 ? 0 : events / course.eventMessages.length
  return Math.min(1, (1 - part) * byMessages + part * byEvents)
}

/** Returns the position of an event on the axis, from 0 to 1. */
export const eventPosition = (index: number, course: Course): number =>
  position(course.eventMessages[index] ?? course.messages, index + 1, course)

/** Returns the moment at a position of the axis: an event within `reach`, otherwise the last message before it. */
export function pointAt(x: number, course: Course, reach: number): TimePoint {
  if (x >= 1 - reach / 2) return NOW
  const events = eventsUpTo(x, course)
  const near = [events - 1, events]
    .filter((index) => index >= 0 && index < course.eventMessages.length)
    .map((index) => ({ index, distance: Math.abs(eventPosition(index, course) - x) }))
    .reduce<{ index: number; distance: number } | null>((a, b) => (a && a.distance <= b.distance ? a : b), null)
  if (near !== null && near.distance <= reach) return normalised({ kind: 'event', index: near.index }, course)
  return normalised(messagePoint(x, events, course), course)
}

function messagePoint(x: number, events: number, course: Course): TimePoint {
  const part = eventPart(course)
  const byEvents = course.eventMessages.length === 0 ? 0 : events / course.eventMessages.length
  const least = course.eventMessages[events - 1] ?? 0
  const most = course.eventMessages[events] ?? course.messages
  const messages = Math.round(((x - part * byEvents) / (1 - part)) * course.messages)
  const arrived = Math.min(most, Math.max(least, 1, Number.isFinite(messages) ? messages : 1))
  return arrived === least && events > 0
    ? { kind: 'event', index: events - 1 }
    : { kind: 'message', position: arrived - 1 }
}

/** Counts the events at or left of a position of the axis. */
const eventsUpTo = (x: number, course: Course): number =>
  firstIndex(course.eventMessages.length, (event) => eventPosition(event, course) > x)
