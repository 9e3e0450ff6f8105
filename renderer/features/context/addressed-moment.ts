import type { Timeline } from '../../../core/contract/time-travel.ts'
import type { Course, TimePoint } from './moments.ts'
import { NOW } from './moments.ts'

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
