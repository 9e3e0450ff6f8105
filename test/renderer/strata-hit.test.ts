import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toBuckets } from '#renderer/features/strata/buckets.ts'
import { summaryBox } from '#renderer/features/strata/draw-summaries.ts'
import { hitStrata } from '#renderer/features/strata/hit.ts'
import { detailTile, overviewTile } from '#renderer/features/strata/tiles.ts'
import { tooltipText } from '#renderer/features/strata/tooltip-text.ts'
import { clampViewport, toPx } from '#renderer/features/strata/viewport.ts'
import { idAt, messageColumns, sceneOf, strataOf } from './strata-builder.ts'

describe('the pointer', () => {
  const strata = strataOf(
    Array.from({ length: 40 }, (_, i) => ({ x0: i * 25, x1: i * 25 + 25 })),
    { extent: 1000 },
  )

  it('hits the summary whose bar is under it, for every bar', () => {
    const scene = sceneOf(strata)
    for (const entry of strata.summaries.id.keys()) {
      const box = summaryBox(scene, entry)
      if (box === null) throw new Error('a bar without a box')
      expect(hitStrata(scene, box.x + box.w / 2, box.y + box.h / 2)).toEqual({ kind: 'summary', entry })
    }
  })

  it('hits each of two bars that cover the same messages', () => {
    const doubled = sceneOf(
      strataOf([
        { x0: 0, x1: 100 },
        { x0: 0, x1: 100 },
      ]),
    )
    const entries = [0, 1].map((entry) => {
      const box = summaryBox(doubled, entry)
      return box && hitStrata(doubled, box.x + 10, box.y + box.h / 2)
    })
    expect(entries).toEqual([
      { kind: 'summary', entry: 0 },
      { kind: 'summary', entry: 1 },
    ])
  })

  it('hits a group where bars are too narrow to be hit one by one', () => {
    const dense = strataOf(Array.from({ length: 5000 }, (_, i) => ({ x0: i, x1: i + 1 })))
    const scene = sceneOf(dense)
    const leaf = scene.rows.depths[0]
    const hit = hitStrata(scene, 500, (leaf?.y ?? 0) + 3)
    expect(hit).toMatchObject({ kind: 'summaries', depth: 0 })
    expect(hit?.kind === 'summaries' && hit.count).toBeGreaterThan(3)
  })

  it('hits one message when zoomed in, and a column of messages when not', () => {
    const overview = toBuckets(messageColumns(0, 2000), { x0: 0, x1: 2000 })
    const long = strataOf([], { extent: 2000 })
    const far = sceneOf(long, { overview })
    const close = sceneOf(long, { overview, viewport: { x0: 100, x1: 120 } })
    const y = far.rows.messages.y + 10
    expect(hitStrata(far, 400, y)).toMatchObject({ kind: 'messages', count: 3, tokens: 300 })
    expect(hitStrata(close, toPx(close.scale, 107.5), y)).toMatchObject({
      kind: 'messages',
      count: 1,
      firstMessage: 108,
    })
  })

  it('hits nothing beside the plot', () => {
    expect(hitStrata(sceneOf(strata), 10, 60)).toBeNull()
  })

  it('shows in a tooltip what a summary stands for', () => {
    expect(tooltipText({ kind: 'summary', entry: 2 }, strata)).toMatchObject({
      id: idAt(2),
      title: 'first summary · not itself in the window',
      lines: expect.arrayContaining(['covers 25\u00a0messages', '100 of 2,500\u00a0tokens · 25.0×']),
    })
  })
})

describe('the fetched messages', () => {
  const limits = { extent: 200_000, minWidth: 6 }

  it('include everything in sight, in columns no wider than needed', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 199_000, noNaN: true }),
        fc.double({ min: 6, max: 150_000, noNaN: true }),
        fc.integer({ min: 200, max: 2400 }),
        (x0, span, width) => {
          const view = clampViewport({ x0, x1: x0 + span }, limits)
          const tile = detailTile(view, limits, width)
          if (tile === null) return
          expect(tile.x0).toBeLessThanOrEqual(view.x0)
          expect(tile.x1).toBeGreaterThanOrEqual(view.x1)
          const columnPx = ((tile.x1 - tile.x0) / tile.buckets / (view.x1 - view.x0)) * width
          if (tile.buckets < 8192) expect(columnPx).toBeLessThanOrEqual(1.51)
        },
      ),
    )
  })

  it('are those of the overview while everything is in sight', () => {
    expect(detailTile({ x0: 0, x1: 200_000 }, limits, 800)).toBeNull()
    expect(overviewTile(limits, 800)).toEqual({ x0: 0, x1: 200_000, buckets: 683 })
  })

  it('stay the same while the view moves a little', () => {
    const tile = (x0: number) => detailTile({ x0, x1: x0 + 1000 }, limits, 800)
    expect(tile(5130)).toEqual(tile(5140))
  })
})
