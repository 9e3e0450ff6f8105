import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstNotBelow, mergeNarrow } from '#renderer/features/strata/merge-narrow.ts'
import { indexSummaries } from '#renderer/features/strata/summary-index.ts'
import { type Bar, strataOf } from './strata-builder.ts'

const scale = { x0: 0, x1: 1000, left: 0, width: 1000 }

/** Neighbouring ranges of the given widths, from 0 on. */
function neighbours(widths: readonly number[]) {
  let end = 0
  const x1 = widths.map((width) => {
    end += width
    return end
  })
  return { x0: widths.map((width, i) => (x1[i] ?? 0) - width), x1, entries: widths.map((_, i) => i) }
}

describe('merging bars that are too narrow', () => {
  it('puts every bar in sight into exactly one group', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 12, noNaN: true }), { minLength: 1, maxLength: 200 }),
        fc.double({ min: 0, max: 300, noNaN: true }),
        fc.double({ min: 1, max: 800, noNaN: true }),
        (widths, from, span) => {
          const ranges = neighbours(widths)
          const view = { ...scale, x0: from, x1: from + span }
          const runs = mergeNarrow(ranges, view, 1.5)
          const inRuns = runs.flatMap(({ first, last }) => ranges.entries.slice(first, last + 1))
          const inSight = ranges.entries.filter(
            (entry) => (ranges.x1[entry] ?? 0) >= view.x0 && (ranges.x0[entry] ?? 0) <= view.x1,
          )
          expect(inRuns).toEqual(inSight)
        },
      ),
    )
  })

  it('keeps bars that are wide enough apart', () => {
    expect(mergeNarrow(neighbours([5, 5, 5]), scale, 1.5)).toHaveLength(3)
  })

  it('makes at most one group for each column of pixels', () => {
    const many = neighbours(Array.from({ length: 50_000 }, () => 0.02))
    expect(mergeNarrow(many, scale, 1.5).length).toBeLessThanOrEqual(1000 / 1.5 + 1)
  })

  it('makes the same groups wherever the view is panned to', () => {
    const many = neighbours(Array.from({ length: 2000 }, () => 0.5))
    const groups = (from: number) =>
      mergeNarrow(many, { ...scale, x0: from, x1: from + 1000 }, 1.5).map(({ first, last }) => `${first}-${last}`)
    const still = new Set(groups(0))
    // The first group may be cut by the edge of the view.
    for (const group of groups(3.3)
      .slice(1, -1)
      .filter((_, i) => i < 500))
      expect(still).toContain(group)
  })

  it('finds the first visible bar by binary search as a linear search does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 })), fc.integer({ min: -1, max: 51 }), (values, x) => {
        const column = [...values].sort((a, b) => a - b)
        const walked = column.findIndex((value) => value >= x)
        expect(
          firstNotBelow(
            column,
            column.map((_, i) => i),
            x,
          ),
        ).toBe(walked < 0 ? column.length : walked)
      }),
    )
  })
})

describe('the index of summaries', () => {
  const bar = fc
    .tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 30 }))
    .map(([depth, x0, width]): Bar => ({ depth, x0, x1: x0 + width }))

  it('contains every summary once, and none hides another in its lane', () => {
    fc.assert(
      fc.property(fc.array(bar, { maxLength: 60 }), (bars) => {
        const { summaries, extent } = strataOf(bars)
        const index = indexSummaries({ summaries, extent })
        const entries = index.rows.flatMap(({ lanes }) => lanes.flat())
        expect([...entries].sort((a, b) => a - b)).toEqual(summaries.id.map((_, entry) => entry))
        for (const lane of index.rows.flatMap(({ lanes }) => lanes))
          for (const [order, entry] of lane.entries()) {
            const next = lane[order + 1]
            if (next !== undefined) expect(summaries.x0[next]).toBeGreaterThanOrEqual(summaries.x1[entry] ?? 0)
          }
      }),
    )
  })

  it('gives overlapping bars a part of the row each, and other bars the whole row', () => {
    const strata = strataOf([
      { x0: 0, x1: 10 },
      { x0: 5, x1: 15 },
      { x0: 20, x1: 30 },
    ])
    const { lane, laneCount } = indexSummaries(strata)
    expect([...laneCount]).toEqual([2, 2, 1])
    expect(lane[0]).not.toBe(lane[1])
  })

  it('finds summaries by their ids, which it looks through only when one is asked for', () => {
    const { summaries, extent } = strataOf([0, 1, 2].map((x0) => ({ x0, x1: x0 + 1 })))
    let read = 0
    const id = new Proxy(summaries.id, {
      get: (list, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) read += 1
        return Reflect.get(list, key)
      },
    })
    const { entryOf } = indexSummaries({ summaries: { ...summaries, id }, extent })
    expect(read).toBe(0)
    expect(summaries.id.map(entryOf)).toEqual([0, 1, 2])
    expect(entryOf('sum_none')).toBeUndefined()
    expect(read).toBe(3)
  })

  it('puts the deepest row on top', () => {
    const bars = [0, 3, 1].map((depth) => ({ depth, x0: 0, x1: 10 }))
    expect(indexSummaries(strataOf(bars)).rows.map(({ depth }) => depth)).toEqual([3, 1, 0])
  })
})
