import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ComparedSide, Comparison } from '#core/contract/comparison.ts'
import { isNoComparison, NO_COMPARISON, withSide } from '#renderer/compare-address.ts'
import {
  barsOf,
  detailColumns,
  moved,
  placed,
  revealing,
  type Sight,
  windowOf,
  zoomed,
} from '#renderer/features/compare/mirror-layout.ts'
import { givenText } from '#renderer/ui/texts/room-text.ts'

const PLACES = 500
const WIDTH = 300
const sight: fc.Arbitrary<Sight> = fc
  .tuple(fc.nat(PLACES - 8), fc.integer({ min: 8, max: PLACES }))
  .map(([from, length]) => ({ from: Math.min(from, PLACES - length), to: Math.min(from, PLACES - length) + length }))
const ranges = fc.array(
  fc.tuple(fc.nat(PLACES - 1), fc.nat(40)).map(([first, more]) => [first, Math.min(PLACES - 1, first + more)] as const),
  { maxLength: 200 },
)

function sideWith(spans: readonly (readonly [number, number])[]): ComparedSide {
  const sorted = spans.toSorted((x, y) => x[0] - y[0])
  const all = <T>(value: T): T[] => sorted.map(() => value)
  return {
    ...{ path: '', name: '', systemLabel: '', conversationId: 1, title: null, messages: PLACES, maxDepth: 0 },
    ...{
      summaries: sorted.length,
      windowItems: 0,
      windowTokens: 0,
      leftOutItems: 0,
      leftOutTokens: 0,
      reconstructed: false,
    },
    layers: {
      ...{ id: all('s'), depth: all(0), tokens: all(1), inWindow: all(false), title: all(''), partner: all(-1) },
      ...{ first: sorted.map(([first]) => first), last: sorted.map(([, last]) => last), state: all('only' as const) },
    },
    window: sorted.map(([first, last], index) => ({ first, last, id: index % 2 === 0 ? null : 's' })),
  }
}

it('says what of a window the model is given, and what it is not, as the Window view does', () => {
  const text = givenText({ windowTokens: 1539, leftOutTokens: 840 })
  expect(text).toBe('699\u00a0tokens in the window, 840 left out')
  expect(givenText({ windowTokens: 699, leftOutTokens: 0 })).toBe('699\u00a0tokens in the window')
})

describe('the picture of a comparison', () => {
  it('draws every summary in sight inside the field, and counts those that are drawn as one', () => {
    fc.assert(
      fc.property(ranges, sight, (spans, seen) => {
        const bars = barsOf(sideWith(spans), 0, seen, WIDTH)
        const inSight = spans.filter(([first, last]) => last >= seen.from && first < seen.to).length
        expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(inSight)
        for (const { left, width } of bars) {
          expect(left).toBeGreaterThanOrEqual(0)
          expect(left + width).toBeLessThanOrEqual(WIDTH + 1)
          expect(width).toBeGreaterThanOrEqual(1)
        }
        for (const { left, width } of windowOf(sideWith(spans), seen, WIDTH))
          expect(left + width).toBeLessThanOrEqual(WIDTH + 1)
      }),
    )
  })

  it('draws as many columns of details as there is room for, none higher than the field', () => {
    const columns = fc.array(fc.tuple(fc.nat(90), fc.nat(90)), { minLength: 1, maxLength: 500 })
    fc.assert(
      fc.property(columns, sight, (counts, seen) => {
        const details = {
          width: 1,
          details: counts.map(() => 90),
          a: counts.map(([a]) => a),
          b: counts.map(([, b]) => b),
        }
        const drawn = detailColumns({ details } as Comparison, seen, WIDTH)
        expect(drawn.length).toBeLessThanOrEqual(WIDTH / 2 + 1)
        for (const { a, b } of drawn) {
          expect(a).toBeLessThanOrEqual(1)
          expect(b).toBeLessThanOrEqual(1)
        }
      }),
    )
    expect(detailColumns({ details: null } as Comparison, { from: 0, to: 9 }, WIDTH)).toEqual([])
  })

  it('never leaves the axis by zooming and moving', () => {
    fc.assert(
      fc.property(
        sight,
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        fc.integer({ min: -900, max: 900 }),
        (seen, factor, by) => {
          for (const next of [zoomed(seen, factor, (seen.from + seen.to) / 2, PLACES), moved(seen, by, PLACES)]) {
            expect(next.from).toBeGreaterThanOrEqual(0)
            expect(next.to).toBeLessThanOrEqual(PLACES + 1e-9)
            expect(next.to - next.from).toBeGreaterThanOrEqual(8 - 1e-9)
          }
        },
      ),
    )
  })

  it('shows a selected difference wide enough to be seen, and does not move for one that is in sight', () => {
    fc.assert(
      fc.property(sight, fc.nat(PLACES - 1), fc.nat(60), (seen, first, more) => {
        const last = Math.min(PLACES - 1, first + more)
        const next = revealing(seen, first, last, PLACES, WIDTH)
        const { left, width } = placed(first, last, next, WIDTH)
        expect(width).toBeGreaterThan(2.9)
        expect(left + width).toBeGreaterThan(0)
        expect(left).toBeLessThan(WIDTH)
        if (next !== seen) expect(revealing(next, first, last, PLACES, WIDTH)).toEqual(next)
      }),
    )
  })
})

describe('the sides of a comparison', () => {
  const here = NO_COMPARISON.a
  const past = { ...NO_COMPARISON, a: { ...here, window: 'message-114' } }

  it('are both as they are now when one becomes another conversation or memory', () => {
    const other = withSide(past, 'b', { ...here, file: '/tmp/other.db' })
    expect(other.a.window).toBeNull()
    expect(withSide(past, 'b', { ...here, conversation: 2 }).a.window).toBeNull()
    const after = { ...NO_COMPARISON, a: { ...here, window: 'after' } }
    expect(withSide(after, 'b', { ...here, conversation: 2 }).a.window).toBe('after')
  })

  it('keep the moment of one when the other becomes another moment of the same history', () => {
    expect(withSide(past, 'b', { ...here, window: 'after' }).a.window).toBe('message-114')
  })

  it('are none where nothing is chosen', () => {
    expect([NO_COMPARISON, past].map(isNoComparison)).toEqual([true, false])
  })
})
