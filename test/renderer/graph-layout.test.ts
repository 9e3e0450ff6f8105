import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Neighbourhood } from '#core/contract/lineage.ts'
import { layoutGraph, sourcesWithRoom, spread } from '#renderer/features/graph/graph-layout.ts'
import { assignLevels } from '#renderer/features/graph/levels.ts'
import type { Box } from '#renderer/features/graph/placed-items.ts'
import { trimNeighbourhood } from '#renderer/features/graph/trim.ts'
import { around, cardOf, edgesOf, family, messageOf } from './graph-builder.ts'

/** Any graph, however damaged: every node may be a source of every other, and of itself. */
const damaged: fc.Arbitrary<Neighbourhood> = fc
  .array(fc.tuple(fc.nat(11), fc.nat(11), fc.constantFrom('sound' as const, 'dangling' as const, 'cycle' as const)))
  .map((pairs) =>
    around(
      'n0',
      Array.from({ length: 12 }, (_, i) => cardOf({ id: `n${i}`, firstSeq: i })),
      pairs.map(([from, to, state], ordinal) => ({ from: `n${from}`, to: `n${to}`, ordinal, state })),
    ),
  )

/** The width of the pane, in which six cards fit side by side. */
const PANE = 1000

const boxesOf = (input: Neighbourhood, width = PANE): ReadonlyMap<string, Box> =>
  new Map(layoutGraph(input, width).cards.map((placed) => [placed.card.id, placed]))

const at = (boxes: ReadonlyMap<string, Box>, id: string): Box => {
  const box = boxes.get(id)
  if (box === undefined) throw new Error(`${id} was not placed`)
  return box
}

/** The straight parts of a path as points, a few pixels apart. */
function cornersOf(path: string): readonly { x: number; y: number }[] {
  let [x, y] = [0, 0]
  const points: { x: number; y: number }[] = []
  const lineTo = (toX: number, toY: number) => {
    const steps = Math.ceil(Math.max(Math.abs(toX - x), Math.abs(toY - y)) / 4)
    for (let step = 1; step < steps; step += 1)
      points.push({ x: x + ((toX - x) * step) / steps, y: y + ((toY - y) * step) / steps })
    ;[x, y] = [toX, toY]
  }
  for (const [, command = '', values = ''] of path.matchAll(/([MHVQ])([^MHVQ]*)/g)) {
    const numbers = values
      .trim()
      .split(/[\s,]+/)
      .map(Number)
    if (command === 'H') lineTo(numbers[0] ?? 0, y)
    else if (command === 'V') lineTo(x, numbers[0] ?? 0)
    else [x, y] = [numbers.at(-2) ?? 0, numbers.at(-1) ?? 0]
  }
  return points
}

const isWithin = (box: Box, { x, y }: { x: number; y: number }): boolean =>
  x > box.x && x < box.x + box.w && y > box.y && y < box.y + box.h

const overlap = (a: Box, b: Box): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h

describe('the levels of the graph', () => {
  it('put dependents above the focus, sources below it, and the focus at zero', () => {
    const levels = assignLevels(family(3, 2))
    expect(Object.fromEntries(levels)).toMatchObject({ top: -1, focus: 0, leaf0: 1, leaf2: 1, msg_0: 2 })
  })

  it('keep every sound edge pointing down when there is no cycle', () => {
    const mixed = around(
      'a',
      ['a', 'b', 'c', 'd'].map((id) => cardOf({ id })),
      edgesOf('a>b', 'b>c', 'a>c', 'd>c'),
    )
    const levels = assignLevels(mixed)
    for (const { from, to } of mixed.edges) expect(levels.get(from)).toBeLessThan(levels.get(to) ?? 0)
  })

  it('exist for every node of any graph, with and without cycles', () => {
    fc.assert(
      fc.property(damaged, (input) => {
        expect([...assignLevels(input).keys()].sort()).toEqual(input.nodes.map(({ id }) => id).sort())
      }),
    )
  })
})

describe('the layout of the graph', () => {
  it('has dependents above, sources below and messages at the bottom', () => {
    const boxes = boxesOf(family(4, 3))
    const y = ['top', 'focus', 'leaf1', 'msg_0'].map((id) => at(boxes, id).y)
    expect(y).toEqual([...y].sort((a, b) => a - b))
    expect(new Set(y).size).toBe(4)
  })

  it('keeps sources in the order of the history, in whatever order they are given', () => {
    const boxes = boxesOf(family(5, 0))
    const x = [0, 1, 2, 3, 4].map((i) => at(boxes, `leaf${i}`).x)
    expect(x).toEqual([...x].sort((a, b) => a - b))
  })

  it('keeps every box at its place when something is opened below', () => {
    const closed = boxesOf(family(5, 0))
    const open = boxesOf(family(5, 12))
    for (const [id, box] of closed) expect(at(open, id)).toMatchObject({ x: box.x, y: box.y })
  })

  it('has the focus at the origin', () => {
    const focus = at(boxesOf(family(5, 0)), 'focus')
    expect(focus.x + focus.w / 2).toBe(0)
    expect(focus.y).toBe(0)
  })

  it('places every node once and no box over another, for any graph', () => {
    fc.assert(
      fc.property(damaged, fc.integer({ min: 240, max: 2000 }), (input, width) => {
        const layout = layoutGraph(input, width)
        expect(layout.cards.map(({ card }) => card.id).sort()).toEqual(input.nodes.map(({ id }) => id).sort())
        const boxes = [...layout.cards, ...layout.mores]
        for (const [i, a] of boxes.entries()) for (const b of boxes.slice(i + 1)) expect(overlap(a, b)).toBe(false)
      }),
    )
  })

  it('draws one line for each edge, and one for all edges into a frame', () => {
    expect(layoutGraph(family(4, 3), PANE).edges).toHaveLength(1 + 4 + 3)
    const { frames, edges } = layoutGraph(family(4, 60), PANE)
    expect(frames).toHaveLength(1)
    expect(edges).toHaveLength(1 + 4 + 1)
  })

  it('draws an unsound edge into a frame as a line of its own', () => {
    const input = family(4, 60)
    const edges = input.edges.map((edge) => (edge.to === 'msg_7' ? { ...edge, state: 'dangling' as const } : edge))
    const drawn = layoutGraph({ ...input, edges }, PANE).edges
    expect(drawn.filter(({ state }) => state === 'dangling').map(({ to }) => to)).toEqual(['msg_7'])
  })

  it('leads no unsound edge through a card, for any graph', () => {
    fc.assert(
      fc.property(damaged, (input) => {
        const { edges, cards } = layoutGraph(input, PANE)
        const sides = [...edges].filter(({ state, path }) => state !== 'sound' && path.includes('H'))
        for (const { path } of sides)
          for (const box of cards) for (const at of cornersOf(path)) expect(isWithin(box, at)).toBe(false)
      }),
    )
  })

  it('makes the cards of few sources wider, up to the pane', () => {
    const widths = [2, 4, 6].map((leaves) => at(boxesOf(family(leaves, 0)), 'leaf0').w)
    expect(widths).toEqual([...widths].sort((a, b) => b - a))
    expect(widths[1]).toBeGreaterThan(220)
  })

  it('shows the sources of sources as far as they fit side by side, where there is room below', () => {
    const input = around(
      'top',
      [
        cardOf({ id: 'top' }),
        cardOf({ id: 'a', sources: 4 }),
        cardOf({ id: 'b', sources: 3 }),
        cardOf({ id: 'c', sources: 2 }),
      ],
      edgesOf('top>a', 'top>b', 'top>c'),
    )
    expect(sourcesWithRoom(input, 6, 4)).toEqual(['a', 'c'])
    expect(sourcesWithRoom(input, 6, 2)).toEqual([])
  })

  it('leads an edge that closes a cycle around the side', () => {
    const input = around('a', [cardOf({ id: 'a' }), cardOf({ id: 'b' })], edgesOf('a>b', 'b~a'))
    const { edges, bounds } = layoutGraph(input, PANE)
    expect(edges.map(({ state }) => state).sort()).toEqual(['cycle', 'sound'])
    for (const { state, label } of edges) if (state === 'cycle') expect(label.x).toBeGreaterThan(bounds.x + bounds.w)
  })

  it('draws the edge of a node that is its own source', () => {
    const { edges, cards } = layoutGraph(around('a', [cardOf({ id: 'a' })], edgesOf('a~a')), PANE)
    expect(edges).toHaveLength(1)
    expect(edges[0]?.label.y).toBeGreaterThan((cards[0]?.y ?? 0) + (cards[0]?.h ?? 0))
  })

  it('says at the end of the shown nodes how many more there are', () => {
    const input = { ...family(4, 3), more: [{ id: 'leaf0', direction: 'sources' as const, count: 17 }] }
    const { mores, cards } = layoutGraph(input, PANE)
    const messages = cards.filter(({ card }) => card.kind === 'message')
    expect(mores).toMatchObject([{ unit: 'messages', more: { count: 17 } }])
    expect(mores[0]?.x).toBeGreaterThan(Math.max(...messages.map(({ x }) => x)))
  })
})

describe('the spreading of boxes in a row', () => {
  it('keeps order and distance, and does not move boxes that have room', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ center: fc.integer({ min: -500, max: 500 }), width: fc.integer({ min: 1, max: 200 }) }), {
          minLength: 1,
          maxLength: 30,
        }),
        (wishes) => {
          const sorted = [...wishes].sort((a, b) => a.center - b.center)
          const centers = spread(sorted, 10)
          for (const [i, center] of centers.entries()) {
            const next = centers[i + 1]
            if (next === undefined) continue
            const between = next - (sorted[i + 1]?.width ?? 0) / 2 - (center + (sorted[i]?.width ?? 0) / 2)
            expect(between).toBeGreaterThanOrEqual(10 - 1e-6)
          }
        },
      ),
    )
    expect(
      spread(
        [
          { center: 0, width: 10 },
          { center: 500, width: 10 },
        ],
        10,
      ),
    ).toEqual([0, 500])
  })

  it('moves two boxes that want the same place by the same distance', () => {
    expect(
      spread(
        [
          { center: 0, width: 100 },
          { center: 0, width: 100 },
        ],
        20,
      ),
    ).toEqual([-60, 60])
  })
})

describe('a neighbourhood that is too large to draw', () => {
  it('is cut at the end of its longest list, and the rest is counted', () => {
    const input = family(4, 300)
    const trimmed = trimNeighbourhood(input, null, 100)
    expect(trimmed.nodes.length).toBeLessThanOrEqual(100)
    const left = input.nodes.length - trimmed.nodes.length
    expect(trimmed.more).toEqual([{ id: 'leaf0', direction: 'sources', count: left }])
    expect(trimmed.nodes.filter(({ kind }) => kind !== 'message')).toHaveLength(6)
  })

  it('adds what it cuts to what the core had left out', () => {
    const input = { ...family(4, 300), more: [{ id: 'leaf0', direction: 'sources' as const, count: 5 }] }
    const { nodes, more } = trimNeighbourhood(input, null, 100)
    expect(more[0]?.count).toBe(input.nodes.length - nodes.length + 5)
  })

  it('keeps the selected node', () => {
    const { nodes } = trimNeighbourhood(family(4, 300), 'msg_299', 100)
    expect(nodes.map(({ id }) => id)).toContain('msg_299')
  })

  it('is not changed when it fits', () => {
    const input = around('msg_1', [messageOf(1)], [])
    expect(trimNeighbourhood(input, null)).toBe(input)
  })
})
