import { describe, expect, it } from 'vitest'
import { columnsIn } from '#renderer/features/graph/block.ts'
import { boxAround, fitGraph, revealBox } from '#renderer/features/graph/fit.ts'
import { besideInLevel, layoutGraph } from '#renderer/features/graph/graph-layout.ts'
import { anchorOn, followSelection, toggleExpanded } from '#renderer/features/graph/use-anchor.ts'
import { family } from './graph-builder.ts'

const shown =
  (...ids: string[]) =>
  (id: string) =>
    ids.includes(id)

describe('the node around which the graph is drawn', () => {
  it('stays when the selection moves to a node that was picked in it', () => {
    const anchor = { ...anchorOn('a'), own: 'b' }
    expect(followSelection(anchor, 'b', shown('a', 'b')).id).toBe('a')
  })

  it('follows a selection that was made outside of the graph, shown or not', () => {
    expect(followSelection(anchorOn('a'), 'b', shown('a', 'b')).id).toBe('b')
  })

  it('follows the selection to a node that is not shown', () => {
    const anchor = { ...anchorOn('a'), own: 'z' }
    expect(followSelection(anchor, 'z', shown('a')).id).toBe('z')
  })

  it('stays when the selection is cleared', () => {
    expect(followSelection(anchorOn('a'), null, shown('a')).id).toBe('a')
  })

  it('forgets the opened nodes when it moves', () => {
    const anchor = toggleExpanded(anchorOn('a'), 'leaf')
    expect(anchor.expanded).toEqual(['leaf'])
    expect(followSelection(anchor, 'b', shown()).expanded).toEqual([])
    expect(toggleExpanded(anchor, 'leaf').expanded).toEqual([])
  })
})

describe('the viewport of the graph', () => {
  const size = { width: 800, height: 360 }
  const layout = layoutGraph(family(4, 0), columnsIn(size.width))
  const focus = { x: -100, y: 0, w: 200, h: 46 }

  it('shows everything at full size in the middle when it fits', () => {
    const { x, y, zoom } = fitGraph(layout.bounds, focus, size)
    expect(zoom).toBe(1)
    expect(layout.bounds.x + x).toBeGreaterThanOrEqual(0)
    expect(layout.bounds.y + y).toBeGreaterThanOrEqual(0)
  })

  it('stays readable around the focus when the graph does not fit', () => {
    const { x, zoom } = fitGraph({ x: -5000, y: -90, w: 10_000, h: 300 }, focus, size)
    expect(zoom).toBeGreaterThan(0.7)
    expect((focus.x + focus.w / 2) * zoom + x).toBeCloseTo(size.width / 2)
  })

  it('does not move for a box in sight, and no further than needed for another one', () => {
    const view = { x: 400, y: 100, zoom: 1 }
    expect(revealBox(view, focus, size)).toEqual(view)
    expect(revealBox(view, { x: 380, y: 0, w: 140, h: 46 }, size)).toEqual({ x: 260, y: 100, zoom: 1 })
  })

  it('shows the beginning of a box that is too large', () => {
    const { y } = revealBox({ x: 400, y: 100, zoom: 1 }, { x: -100, y: 92, w: 300, h: 2000 }, size)
    expect(92 + y).toBe(20)
  })

  it('can be set to a box around several nodes', () => {
    expect(boxAround([focus, { x: 150, y: 92, w: 132, h: 46 }])).toEqual({ x: -100, y: 0, w: 382, h: 138 })
  })

  it('follows the selection along a level and stops at its end', () => {
    expect(besideInLevel(layout, 'leaf1', 1)).toBe('leaf2')
    expect(besideInLevel(layout, 'leaf3', 1)).toBeNull()
    expect(besideInLevel(layout, 'focus', -1)).toBeNull()
  })
})
