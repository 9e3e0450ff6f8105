import { describe, expect, it } from 'vitest'
import { toBuckets } from '#renderer/features/strata/buckets.ts'
import { drawPlan, hatch, plannedBox } from '#renderer/features/strata/draw-plan.ts'
import { hitStrata } from '#renderer/features/strata/hit.ts'
import { placePlan, withPlannedDepths } from '#renderer/features/strata/planned-bars.ts'
import { layoutRows } from '#renderer/features/strata/row-layout.ts'
import { indexSummaries } from '#renderer/features/strata/summary-index.ts'
import { idAt, messageColumns, sceneOf, strataOf } from './strata-builder.ts'

const messages = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => `msg_${first + i}`)
const leaf = (first: number, last: number) => ({ depth: 0, sources: messages(first, last) })

/** Forty messages; the leaf `sum_0000` covers the first ten. */
const strata = strataOf([{ x0: 0, x1: 10, inWindow: true }], { extent: 40 })
const steps = [leaf(11, 20), leaf(21, 30), { depth: 1, sources: [idAt(0), 'step_0', 'step_1'] }]

function planned() {
  const index = withPlannedDepths(indexSummaries(strata), steps)
  const buckets = toBuckets(messageColumns(0, 40), { x0: 0, x1: 40 })
  const bars = placePlan(steps, strata, index, buckets)
  const rows = layoutRows({
    width: 1076,
    height: 236,
    depths: index.rows.map(({ depth }) => depth),
    hasMarks: false,
    hasRuns: false,
  })
  return { bars, scene: sceneOf(strata, { index, rows, plan: { bars, focused: null } }) }
}

describe('the overlay of a compaction plan over the strata', () => {
  it('puts a planned leaf over its messages, and a planned condensed node over its existing and planned summaries', () => {
    const { bars } = planned()
    expect(bars.x0.map((x0, entry) => [bars.depth[entry], x0, bars.x1[entry]])).toEqual([
      [0, 10, 20],
      [0, 20, 30],
      [1, 0, 30],
    ])
  })

  it('adds a row for every depth that only the plan has', () => {
    expect(withPlannedDepths(indexSummaries(strata), steps).rows.map(({ depth }) => depth)).toEqual([1, 0])
    const index = indexSummaries(strata)
    expect(withPlannedDepths(index, [leaf(11, 20)])).toBe(index)
  })

  it('drops a step whose node exists already, and keeps the steps above it', () => {
    const done = strataOf(
      [
        { x0: 0, x1: 10 },
        { x0: 10, x1: 20 },
      ],
      { extent: 40 },
    )
    const bars = placePlan(steps, done, indexSummaries(done), toBuckets(messageColumns(0, 40), { x0: 0, x1: 40 }))
    expect(bars.step).toEqual([1, 2])
  })

  it('leaves out steps whose sources cannot be placed', () => {
    const lost = [{ depth: 1, sources: ['sum_gone', 'step_9'] }, { depth: 0, sources: [] }, leaf(1, 5)]
    expect(placePlan(lost, strataOf([], { extent: 40 }), indexSummaries(strataOf([])), null).step).toEqual([])
  })

  it('draws planned boxes over the strata without hiding them, and finds them under the pointer', () => {
    const { scene } = planned()
    expect(drawPlan(scene).some((shape) => shape.kind === 'line')).toBe(true)
    const box = plannedBox(scene, 1)
    if (box === null) throw new Error('the step has no box')
    expect(hitStrata(scene, box.x + box.w / 2, box.y + box.h / 2)).toEqual({ kind: 'planned', step: 1 })
    expect(hitStrata(scene, scene.rows.plot.left + 50, box.y + box.h / 2)).toMatchObject({ kind: 'summary', entry: 0 })
  })

  it('draws no hatch line outside its bar', () => {
    const box = { x: 10, y: 20, w: 31, h: 14 }
    for (const { x0, x1, y0, y1 } of hatch(box, '#fff')) {
      for (const x of [x0, x1]) expect(x >= 10 && x <= 41).toBe(true)
      for (const y of [y0, y1]) expect(y >= 20 && y <= 34).toBe(true)
      expect(x1 - x0).toBeCloseTo(y0 - y1)
    }
  })
})
