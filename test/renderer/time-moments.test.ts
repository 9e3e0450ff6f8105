import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { momentText, runSteps } from '#renderer/features/context/moment-text.ts'
import {
  beforeEvent,
  type Course,
  courseOf,
  itemsAt,
  lastRun,
  NOW,
  normalised,
  playNext,
  progressAt,
  startOf,
  stepEvent,
  stepMessage,
  type TimePoint,
} from '#renderer/features/context/moments.ts'
import { eventPosition, pointAt, positionOf } from '#renderer/features/context/time-axis.ts'
import { depthMarks } from '#renderer/ui/charts/depth-marks.ts'
import { compactionEvent } from './compaction-event.ts'

const event = (index: number): TimePoint => ({ kind: 'event', index })
const message = (position: number): TimePoint => ({ kind: 'message', position })

/** Ten messages; two replacements after the fourth, one after the last. */
const course: Course = { messages: 10, eventMessages: [4, 4, 10], eventRemoved: [2, 3, 5] }

const courses = fc
  .record({
    messages: fc.integer({ min: 1, max: 400 }),
    at: fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 60 }),
  })
  .map(({ messages, at }) => courseOf({ messages, events: at.map((count) => compactionEvent({ messages: count })) }))

describe('a moment in time', () => {
  it('lies before the compactions that came after its message', () => {
    expect(progressAt(message(3), course)).toEqual({ messages: 4, events: 0 })
    expect(progressAt(message(4), course)).toEqual({ messages: 5, events: 2 })
    expect(progressAt(event(1), course)).toEqual({ messages: 4, events: 2 })
  })

  it('is "now" when nothing follows it, or when it does not exist any more', () => {
    expect(normalised(event(2), course)).toEqual(NOW)
    expect(normalised(message(9), course)).toEqual(message(9))
    expect(normalised(message(9), { ...course, eventMessages: [4, 4] })).toEqual(NOW)
    expect(normalised(event(7), course)).toEqual(NOW)
    expect(normalised(message(99), course)).toEqual(NOW)
  })

  it('steps from compaction to compaction, with the first message and now at the ends', () => {
    expect(stepEvent(NOW, -1, course)).toEqual(event(1))
    expect(stepEvent(event(0), -1, course)).toEqual(message(0))
    expect(stepEvent(message(0), -1, course)).toEqual(message(0))
    expect(stepEvent(message(6), -1, course)).toEqual(event(1))
    expect(stepEvent(message(6), 1, course)).toEqual(NOW)
    expect(stepEvent(message(0), 1, course)).toEqual(event(0))
    expect(stepEvent(NOW, 1, course)).toEqual(NOW)
  })

  it('steps from message to message, over the compactions between them', () => {
    expect(stepMessage(message(3), 1, course)).toEqual(message(4))
    expect(stepMessage(event(1), 1, course)).toEqual(message(4))
    expect(stepMessage(event(1), -1, course)).toEqual(message(3))
    expect(stepMessage(NOW, -1, course)).toEqual(message(9))
    expect(stepMessage(message(9), 1, course)).toEqual(NOW)
    expect(stepMessage(NOW, -1, { messages: 10, eventMessages: [], eventRemoved: [] })).toEqual(message(8))
    expect(stepMessage(message(0), -1, course)).toEqual(message(0))
  })

  it('reaches both ends from anywhere, one step after the other', () => {
    fc.assert(
      fc.property(courses, fc.boolean(), (any, forwards) => {
        let point: TimePoint = forwards ? startOf(any) : NOW
        const end = forwards ? NOW : startOf(any)
        for (let steps = 0; steps <= any.eventMessages.length + 1; steps += 1) {
          if (JSON.stringify(point) === JSON.stringify(end)) return
          const next = stepEvent(point, forwards ? 1 : -1, any)
          const [a, b] = [progressAt(point, any), progressAt(next, any)]
          expect((b.messages + b.events - a.messages - a.events) * (forwards ? 1 : -1)).toBeGreaterThan(0)
          point = next
        }
        expect(point).toEqual(end)
      }),
    )
  })

  it('is played from the beginning to now, and playing ends', () => {
    fc.assert(
      fc.property(courses, (any) => {
        let point: TimePoint = startOf(any)
        for (let steps = 0; steps < 400 && point.kind !== 'now'; steps += 1) point = playNext(point, any)
        expect(point).toEqual(NOW)
      }),
    )
  })

  it('is played so that messages fill the window before compactions empty it', () => {
    const played: TimePoint[] = [message(0)]
    for (let point = message(0); point.kind !== 'now'; ) {
      point = playNext(point, course)
      played.push(point)
    }
    expect(played).toEqual([message(0), message(3), event(0), event(1), message(9), NOW])
  })

  it('is compared before and after the last run, or over the whole history when there is no run', () => {
    const events = [
      compactionEvent({ runId: 'a', messages: 4 }),
      compactionEvent({ runId: 'b', messages: 10 }),
      compactionEvent({ runId: 'b', messages: 10 }),
    ]
    const own = courseOf({ messages: 12, events })
    expect(lastRun(events, own)).toEqual({ from: message(9), to: event(2) })
    expect(lastRun([], { messages: 12, eventMessages: [], eventRemoved: [] })).toEqual({ from: message(0), to: NOW })
    expect(beforeEvent(2, own)).toEqual(event(1))
  })

  it('has an estimated window size, from which the duration of an answer is known', () => {
    const events = [compactionEvent({ messages: 4, removed: 3 }), compactionEvent({ messages: 10, removed: 1 })]
    const own = courseOf({ messages: 10, events })
    expect([message(3), event(0), message(9), NOW].map((point) => itemsAt(point, own))).toEqual([4, 2, 8, 8])
  })

  it('is put in order when a damaged log counts wrongly', () => {
    const events = [7, 3, 900].map((messages) => compactionEvent({ messages }))
    expect(courseOf({ messages: 10, events }).eventMessages).toEqual([7, 7, 10])
  })
})

describe('the axis of time', () => {
  it('separates compactions of the same moment', () => {
    const positions = [0, 1, 2].map((index) => eventPosition(index, course))
    expect(new Set(positions).size).toBe(3)
    expect(positions.at(-1)).toBe(1)
  })

  it('leads from every moment to its point and back', () => {
    fc.assert(
      fc.property(courses, fc.nat(), (any, pick) => {
        const runSteps = [
          ...any.eventMessages.map((_, index) => event(index)),
          ...Array.from({ length: any.messages }, (_, position) => message(position)),
        ]
        const point = normalised(runSteps[pick % runSteps.length] ?? NOW, any)
        const found = pointAt(positionOf(point, any), any, 1e-9)
        expect(progressAt(found, any)).toEqual(progressAt(point, any))
      }),
    )
  })

  it('runs from left to right', () => {
    fc.assert(
      fc.property(
        courses,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (any, a, b) => {
          const [left, right] = [Math.min(a, b), Math.max(a, b)].map((x) => progressAt(pointAt(x, any, 0.001), any))
          expect(left?.messages ?? 0).toBeLessThanOrEqual(right?.messages ?? 0)
        },
      ),
    )
  })

  it('draws thousands of events as a path for each depth, with at most one mark on a pixel', () => {
    const marks = Array.from({ length: 5000 }, (_, index) => ({ x: index / 5000, depth: index % 6 }))
    const paths = depthMarks(marks, 500, 9)
    expect([...paths.keys()].sort()).toEqual([3])
    expect([...depthMarks(marks.slice(0, 3), 500, 9)]).toEqual([[2, 'M0.5 0V9']])
    expect([...paths.values()].join('').split('M').length - 1).toBe(500)
  })
})

describe('the text of a moment', () => {
  const events = ['a', 'a', 'b'].map((runId) => compactionEvent({ runId, messages: 4 }))
  const timeline = { firstAtMs: 0, lastAtMs: 0, messages: 10, isExact: true, events }
  const own = courseOf(timeline)
  const text = (point: TimePoint, isExact = true) => momentText(point, { ...timeline, isExact }, own, runSteps(events))

  it('names the run, and the step while a run was not finished', () => {
    expect(text(event(0))).toBe('in compaction 1 of 2, step 1 of 2')
    expect(text(event(1))).toBe('after compaction 1 of 2')
    expect(text(message(6))).toBe('after message 7 of 10')
    expect(text(NOW)).toBe('now')
  })

  it('does not mention runs when the file has none', () => {
    expect(text(event(1), false)).toBe('after summary 2 of 3')
  })
})
