import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  chartTop,
  depthsOn,
  endsAt,
  eventNear,
  indexAt,
  peakOf,
  pressureCurve,
  thinned,
} from '#renderer/features/start/pressure-curve.ts'
import { compactionEvent } from './compaction-event.ts'

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

/** Columns without gaps on an axis of messages. */
function columnsOf(count: readonly number[], tokens: readonly number[]) {
  const ends = count.map((_, index) => sumOf(count.slice(0, index + 1)))
  const starts = ends.map((end, index) => end - (count[index] ?? 0))
  const firstMessage = starts.map((start) => start + 1)
  return { count: [...count], tokens: [...tokens], x0: starts, x1: ends, firstMessage }
}

/** Tokens of the first so many messages, where each of a column counts the same. */
function tokensBy(
  { count, tokens }: { count: readonly number[]; tokens: readonly number[] },
  messages: number,
): number {
  let left = messages
  return sumOf(
    count.map((many, index) => {
      const taken = Math.min(many, left)
      left -= taken
      return (taken / many) * (tokens[index] ?? 0)
    }),
  )
}

describe('the curve of pressure over time', () => {
  it('adds up messages, and falls after a compaction to what the window held then', () => {
    const columns = columnsOf([1, 1, 1, 1], [10, 20, 30, 40])
    const events = [compactionEvent({ messages: 3, sourceTokens: 999, tokens: 5, activeTokens: 35 })]
    const points = pressureCurve(columns, events)
    expect(points.map(({ messages, tokens, event }) => [messages, tokens, event])).toEqual([
      [0, 0, null],
      [1, 10, null],
      [2, 30, null],
      [3, 60, null],
      [3, 35, 0],
      [4, 75, null],
    ])
    expect(peakOf(points)?.tokens).toBe(75)
    expect(endsAt(points, 75)).toBe(true)
    expect(endsAt(points, 90)).toBe(false)
  })

  it('falls by pruned outputs before it falls by the compaction at the same message', () => {
    const columns = columnsOf([1, 1, 1], [10, 20, 30])
    const events = [compactionEvent({ messages: 2, activeTokens: 5 })]
    const points = pressureCurve(columns, events, [{ messages: 2, tokens: 15, atMs: 0 }])
    expect(points.map(({ messages, tokens, event }) => [messages, tokens, event])).toEqual([
      [0, 0, null],
      [1, 10, null],
      [2, 30, null],
      [2, 15, null],
      [2, 5, 0],
      [3, 35, null],
    ])
  })

  it('shows the full window just before a compaction that falls within a column', () => {
    const points = pressureCurve(columnsOf([10], [100]), [compactionEvent({ messages: 5, activeTokens: 20 })])
    expect(points.map(({ messages, tokens }) => [messages, tokens])).toEqual([
      [0, 0],
      [5, 50],
      [5, 20],
      [10, 70],
    ])
  })

  it('keeps every event and every token since the last one, and never runs backwards', () => {
    const column = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.nat(100))
    fc.assert(
      fc.property(fc.array(column, { minLength: 1 }), fc.array(fc.nat(200)), (pairs, at) => {
        const columns = columnsOf(
          pairs.map(([count]) => count),
          pairs.map(([, tokens]) => tokens),
        )
        const events = at.toSorted((a, b) => a - b).map((messages) => compactionEvent({ messages, activeTokens: 7 }))
        const points = pressureCurve(columns, events)
        const last = Math.min(at.length === 0 ? 0 : Math.max(...at), sumOf(columns.count))
        const all = at.length === 0 ? sumOf(columns.tokens) : 7 + sumOf(columns.tokens) - tokensBy(columns, last)
        expect(points.at(-1)?.tokens).toBeCloseTo(all, 6)
        expect(points.filter(({ event }) => event !== null).length).toBe(events.length)
        expect(points.every(({ messages }, index) => messages >= (points[index - 1]?.messages ?? 0))).toBe(true)
      }),
    )
  })

  it('keeps the peaks and the valleys when it is drawn narrow', () => {
    const points = Array.from({ length: 40_000 }, (_, messages) => ({
      messages,
      tokens: messages === 12_345 ? 1_000 : messages === 23_456 ? 0 : 500,
      x: messages,
      event: null,
      message: null,
    }))
    const kept = thinned(points, 600, 40_000)
    expect(kept.length).toBeLessThanOrEqual(1_803)
    expect(Math.max(...kept.map(({ tokens }) => tokens))).toBe(1_000)
    expect(Math.min(...kept.map(({ tokens }) => tokens))).toBe(0)
    expect(kept.at(-1)).toEqual(points.at(-1))
  })

  it('reaches up to the hard limit only when the window came near it', () => {
    expect(chartTop(50_000, 100_000)).toBeGreaterThan(100_000)
    expect(chartTop(300_000, 100_000)).toBeGreaterThan(300_000)
    expect(chartTop(1_000, 100_000)).toBeLessThan(2_000)
    expect(chartTop(0, 100_000)).toBeGreaterThan(0)
  })

  it('answers what the window held at any place', () => {
    const points = pressureCurve(columnsOf([1, 1], [5, 6]), [])
    expect(points[indexAt(points, 1.5)]?.tokens).toBe(5)
    expect(points[indexAt(points, -1)]?.messages).toBe(0)
    expect(points[indexAt([], 1)]?.messages).toBe(0)
  })

  describe('a curve over real time', () => {
    const minute = 60_000
    /** Two messages, an hour of silence, and two more. */
    const columns = {
      count: [1, 1, 1, 1],
      tokens: [10, 20, 30, 40],
      x0: [0, minute, 61 * minute, 62 * minute],
      x1: [minute, 2 * minute, 62 * minute, 63 * minute],
      firstMessage: [11, 12, 13, 14],
      originMs: 1_000_000,
    }

    it('stays level while nothing is said, and falls when the compaction was made', () => {
      const atMs = columns.originMs + 30 * minute
      const points = pressureCurve(columns, [compactionEvent({ messages: 2, activeTokens: 5, atMs })])
      expect(points.map(({ x, tokens, message }) => [x / minute, tokens, message])).toEqual([
        [0, 0, null],
        [1, 10, 11],
        [2, 30, 12],
        [30, 5, 12],
        [61, 5, 12],
        [62, 35, 13],
        [63, 75, 14],
      ])
    })

    it('keeps a compaction between its messages whatever its own time is', () => {
      const events = [
        compactionEvent({ messages: 1, activeTokens: 5, atMs: 0 }),
        compactionEvent({ messages: 2, activeTokens: 6, atMs: columns.originMs + 500 * minute }),
        compactionEvent({ messages: 4, activeTokens: 7, atMs: columns.originMs + 900 * minute }),
      ]
      const points = pressureCurve(columns, events)
      expect(points.filter(({ event }) => event !== null).map(({ x }) => x / minute)).toEqual([1, 61, 63])
      expect(points.every(({ x }, index) => x >= (points[index - 1]?.x ?? 0))).toBe(true)
    })

    it('finds the compaction whose mark is nearest to the pointer', () => {
      const events = [
        compactionEvent({ messages: 1, activeTokens: 5 }),
        compactionEvent({ messages: 3, activeTokens: 5 }),
      ]
      const points = pressureCurve(columns, events)
      expect(points[eventNear(points, 60 * minute, 5 * minute) ?? -1]?.event).toBe(1)
      expect(eventNear(points, 30 * minute, 5 * minute)).toBeNull()
    })
  })
})

it('names in its key the depths of the summaries that are marked', () => {
  const point = (event: number | null) => ({ messages: 0, tokens: 0, x: 0, event, message: null })
  const events = [{ depth: 1 }, { depth: 0 }, { depth: 1 }, { depth: 2 }]
  expect(depthsOn([point(null), point(0), point(1), point(2)], events)).toEqual([0, 1])
})
