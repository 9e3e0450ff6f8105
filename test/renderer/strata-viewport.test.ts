import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  clampViewport,
  panViewport,
  toPx,
  toX,
  viewportAround,
  viewportBetween,
  viewportRevealing,
  wholeOf,
  widthOf,
  zoomViewport,
} from '#renderer/features/strata/viewport.ts'

const limits = { extent: 1000, minWidth: 5 }
const viewport = fc
  .tuple(fc.double({ min: 0, max: 990, noNaN: true }), fc.double({ min: 5, max: 1000, noNaN: true }))
  .map(([x0, span]) => clampViewport({ x0, x1: x0 + span }, limits))

describe('the viewport of the strata', () => {
  it('never leaves the history and never gets narrower than its limit, for any pan and zoom', () => {
    fc.assert(
      fc.property(
        viewport,
        fc.double({ min: -1e4, max: 1e4, noNaN: true }),
        fc.double({ min: 0.001, max: 1000, noNaN: true }),
        (start, delta, factor) => {
          for (const next of [panViewport(start, delta, limits), zoomViewport(start, delta, factor, limits)]) {
            expect(next.x0).toBeGreaterThanOrEqual(0)
            expect(next.x1).toBeLessThanOrEqual(1000.000001)
            expect(widthOf(next)).toBeGreaterThanOrEqual(4.999999)
          }
        },
      ),
    )
  })

  it('keeps the point under the pointer in place while zooming', () => {
    const start = { x0: 400, x1: 600 }
    const zoomed = zoomViewport(start, 450, 2, limits)
    expect(widthOf(zoomed)).toBeCloseTo(100)
    const scale = (view: typeof start) => ({ ...view, left: 58, width: 800 })
    expect(toPx(scale(zoomed), 450)).toBeCloseTo(toPx(scale(start), 450))
  })

  it('converts pixels to places and back', () => {
    fc.assert(
      fc.property(viewport, fc.double({ min: 0, max: 1000, noNaN: true }), (view, x) => {
        const scale = { ...view, left: 58, width: 800 }
        expect(toX(scale, toPx(scale, x))).toBeCloseTo(x, 6)
      }),
    )
  })

  it('shows a range with a margin around it', () => {
    const around = viewportAround(500, 600, limits)
    expect(around.x0).toBeLessThan(500)
    expect(around.x1).toBeGreaterThan(600)
  })

  it('does not move when the range to reveal is in sight', () => {
    const view = { x0: 100, x1: 200 }
    expect(viewportRevealing(view, 150, 160, limits)).toBe(view)
    const moved = viewportRevealing(view, 400, 410, limits)
    expect(widthOf(moved)).toBeCloseTo(100)
    expect(moved.x0).toBeLessThan(400)
    expect(moved.x1).toBeGreaterThan(410)
  })

  it('begins and ends an animation exactly at the two viewports', () => {
    const from = { x0: 0, x1: 1000 }
    const to = { x0: 500, x1: 520 }
    expect(viewportBetween(from, to, 0)).toEqual(from)
    const end = viewportBetween(from, to, 1)
    expect(end.x0).toBeCloseTo(500)
    expect(end.x1).toBeCloseTo(520)
  })

  it('has a width even when the history has none', () => {
    expect(wholeOf({ extent: 0, minWidth: 5 })).toEqual({ x0: 0, x1: 1 })
    expect(clampViewport({ x0: 0, x1: 0 }, { extent: 0, minWidth: 5 })).toEqual({ x0: 0, x1: 1 })
  })
})
