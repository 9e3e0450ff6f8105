import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lineageOrder } from '../../core/memory/lineage-order.ts'
import { positionCount, rangesOfPositions, unionOfRanges } from '../../core/memory/position-ranges.ts'
import { ABSENT, COVERED, IN_WINDOW } from '../../core/memory/summary-graph.ts'
import { HistoryIndex } from '../../core/systems/history-index.ts'
import { buildMemory } from '../builders/memory.ts'
import { runs } from '../builders/property-runs.ts'
import { randomLineage, reachedFrom, summaryId, writeLineage } from './random-lineage.ts'

const members = (ranges: Int32Array): number[] => {
  const positions: number[] = []
  for (let i = 0; i < ranges.length; i += 2) {
    for (let position = ranges[i] ?? 0; position < (ranges[i + 1] ?? 0); position += 1) positions.push(position)
  }
  return positions
}

it('a union of ranges holds what is in one of them', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat(40))), (lists) => {
      const union = unionOfRanges(lists.map(rangesOfPositions))
      const expected = [...new Set(lists.flat())].sort((a, b) => a - b)
      expect(members(union)).toEqual(expected)
      expect(positionCount(union)).toBe(expected.length)
    }),
  )
})

it('orders sources before dependents and finds exactly the nodes on cycles', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 25 }), (edges) => {
      const sources = Array.from({ length: 10 }, (_, node) => edges.filter(([a]) => a === node).map(([, b]) => b))
      const reaches = (from: number, seen = new Set<number>()): Set<number> => {
        for (const next of sources[from] ?? []) if (!seen.has(next)) reaches(next, seen.add(next))
        return seen
      }
      const { order, component, onCycle } = lineageOrder(sources)
      expect([...order].sort()).toEqual(sources.map((_, node) => node))
      const place = new Map([...order].map((node, index) => [node, index]))
      sources.forEach((list, node) => {
        expect(onCycle[node] === 1).toBe(reaches(node).has(node))
        for (const source of list) {
          const isJoined = reaches(source).has(node)
          expect(component[source] === component[node]).toBe(isJoined || source === node)
          if (!isJoined) expect(place.get(source)).toBeLessThan(place.get(node) ?? 0)
        }
      })
    }),
  )
})

it('a chain of 10,000 summaries does not exhaust the stack', () => {
  const { order } = lineageOrder(Array.from({ length: 10_000 }, (_, node) => (node < 9_999 ? [node + 1] : [])))
  expect([order[0], order.at(-1)]).toEqual([9_999, 0])
})

it('a message is in the window, covered by a summary that is in it, or absent, whatever the lineage looks like', () => {
  fc.assert(
    fc.property(randomLineage, (lineage) => {
      using memory = writeLineage(lineage)
      const graph = new HistoryIndex(memory.db).graph(1)
      const covered = new Set(lineage.windowSummaries.flatMap((place) => [...reachedFrom(lineage, place)]))
      for (let position = 0; position < lineage.messages; position += 1) {
        const expected = lineage.windowMessages.includes(position)
          ? IN_WINDOW
          : covered.has(position)
            ? COVERED
            : ABSENT
        expect(graph.messageStates[position]).toBe(expected)
      }
      for (let place = 0; place < lineage.leaves.length + lineage.condensed; place += 1) {
        const node = graph.nodes[graph.indexOf(summaryId(place))]
        const reached = [...reachedFrom(lineage, place)].sort((a, b) => a - b)
        expect(members(node?.ranges ?? new Int32Array(0))).toEqual(reached)
      }
    }),
    { numRuns: runs(25) },
  )
})

it('counts messages of another conversation without placing them in this one', () => {
  using memory = buildMemory({ conversations: [{ messages: ['a', 'b'] }, { messages: ['c', 'd', 'e'] }] })
  const stray = memory.leaf(1, [2, 3, 4])
  const top = memory.condensed(2, [stray])
  const graph = new HistoryIndex(memory.db).graph(1)
  const node = graph.nodes[graph.indexOf(stray)]
  expect(node && [members(node.ranges), graph.messageCount(node)]).toEqual([[1], 3])
  expect(graph.nodes[graph.indexOf(top)]?.conversationId).toBe(2)
})
