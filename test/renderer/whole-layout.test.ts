import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { LineageGraph } from '#core/contract/lineage.ts'
import { layoutWhole, nodeAt, nodesIn, WHOLE_CARD } from '#renderer/features/graph/whole-layout.ts'
import { firstViewport } from '#renderer/features/graph/whole-viewport.ts'

type Link = readonly [from: number, to: number, isCycle?: 1]

const graphOf = (count: number, links: readonly Link[]): LineageGraph => {
  const each = <T>(value: (node: number) => T): T[] => Array.from({ length: count }, (_, node) => value(node))
  return {
    nodes: {
      id: each((node) => `sum_${node}`),
      depth: each(() => 0),
      tokens: each(() => 1),
      messages: each(() => 1),
      firstSeq: each((node) => node),
      lastSeq: each((node) => node),
      inWindow: each(() => 0),
    },
    links: {
      from: links.map(([from]) => from),
      to: links.map(([, to]) => to),
      isCycle: links.map(([, , isCycle]) => isCycle ?? 0),
    },
  }
}

it('a summary stands right of its sources and beside their middle', () => {
  const { columnOf, y } = layoutWhole(graphOf(4, [[2, 0], [2, 1], [3, 2]])) // biome-ignore format: a list of links
  expect([...columnOf]).toEqual([0, 0, 1, 2])
  expect(y[2]).toBe(((y[0] ?? 0) + (y[1] ?? 0)) / 2)
  expect(y[3]).toBe(y[2])
})

it('links that close a cycle move nothing, and nothing is lost', () => {
  const { columns } = layoutWhole(graphOf(3, [[0, 1, 1], [1, 0, 1], [2, 2, 1]])) // biome-ignore format: a list of links
  expect(columns.flat().toSorted()).toEqual([0, 1, 2])
})

it('all summaries are shown at first where their cards can be read, in the middle of their place', () => {
  const layout = layoutWhole(graphOf(12, []))
  const size = { width: 1000, height: layout.bounds.h * 0.8 }
  const { y, zoom } = firstViewport(layout, size, -1)
  expect(zoom).toBeLessThan(0.8)
  expect(y + (layout.bounds.y + layout.bounds.h / 2) * zoom).toBeCloseTo(size.height / 2)
  // In half of the room none could be read: some of them are shown.
  expect(firstViewport(layout, { width: 1000, height: layout.bounds.h / 2 }, -1).zoom).toBe(1)
})

const anyGraph = fc.integer({ min: 1, max: 40 }).chain(
  (count) =>
  fc
    .array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 60 })
    // A summary is made of what came before it.
    .map((pairs) => graphOf(count, pairs.flatMap(([a, b]): Link[] => (a > b ? [[a, b]] : [])))), // biome-ignore format: short
)

it('no two cards overlap, the first column keeps the history, and each card is found where it stands', () => {
  fc.assert(
    fc.property(anyGraph, (graph) => {
      const layout = layoutWhole(graph)
      const { columns, x, y, bounds } = layout
      for (const column of columns)
        column.slice(1).forEach((node, place) => {
          expect((y[node] ?? 0) - (y[column[place] ?? -1] ?? 0)).toBeGreaterThan(WHOLE_CARD.h)
        })
      expect(columns[0]).toEqual(columns[0]?.toSorted((a, b) => a - b))
      for (const [link, from] of graph.links.from.entries())
        expect(x[from] ?? 0).toBeGreaterThan(x[graph.links.to[link] ?? -1] ?? 0)
      for (const node of graph.nodes.id.keys()) {
        const middle = { x: (x[node] ?? 0) + WHOLE_CARD.w / 2, y: (y[node] ?? 0) + WHOLE_CARD.h / 2 }
        expect(nodeAt(layout, middle)).toBe(node)
        expect(nodesIn(layout, { ...middle, w: 1, h: 1 })).toContain(node)
      }
      expect(nodesIn(layout, bounds)).toHaveLength(graph.nodes.id.length)
      expect(nodeAt(layout, { x: bounds.x + bounds.w + 1, y: 0 })).toBeNull()
    }),
  )
})
