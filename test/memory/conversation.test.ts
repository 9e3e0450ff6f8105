import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ABSENT, COVERED, IN_WINDOW } from '#core/memory/coverage.ts'
import { lineageOrder } from '#core/memory/lineage-order.ts'
import { positionCount, rangesOfPositions, unionOfRanges } from '#core/memory/position-ranges.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { randomLineage, reachedFrom, summaryId, writeLineage } from '../browse/history/random-lineage.ts'
import { buildMemory } from '../builders/memory.ts'
import { runs } from '../builders/property-runs.ts'

const members = (ranges: Int32Array): number[] => {
  const positions: number[] = []
  for (let i = 0; i < ranges.length; i += 2) {
    for (let position = ranges[i] ?? 0; position < (ranges[i + 1] ?? 0); position += 1) positions.push(position)
  }
  return positions
}

it('a union of ranges contains what is in one of them', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat(40))), (lists) => {
      const union = unionOfRanges(lists.map((list) => rangesOfPositions(Int32Array.from(list))))
      const expected = [...new Set(lists.flat())].sort((a, b) => a - b)
      expect(members(union)).toEqual(expected)
      expect(positionCount(union)).toBe(expected.length)
    }),
  )
})

it('the order has sources before dependents, and finds exactly the nodes on cycles', () => {
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

it('the order of a chain of 10,000 summaries does not exhaust the stack', () => {
  const { order } = lineageOrder(Array.from({ length: 10_000 }, (_, node) => (node < 9_999 ? [node + 1] : [])))
  expect([order[0], order.at(-1)]).toEqual([9_999, 0])
})

it('a message is in the window, covered by a summary in it, or absent, for any lineage', () => {
  fc.assert(
    fc.property(randomLineage, (lineage) => {
      using file = writeLineage(lineage)
      const { coverage, summaries } = new MemoryReader(file.db).memory(1)
      const covered = new Set(lineage.windowSummaries.flatMap((place) => [...reachedFrom(lineage, place)]))
      for (let position = 0; position < lineage.messages; position += 1) {
        const isInWindow = lineage.windowMessages.includes(position)
        expect(coverage.messageStates[position]).toBe(isInWindow ? IN_WINDOW : covered.has(position) ? COVERED : ABSENT)
      }
      for (let place = 0; place < lineage.leaves.length + lineage.condensed; place += 1) {
        const reached = [...reachedFrom(lineage, place)].sort((a, b) => a - b)
        expect(members(coverage.reach(summaries.nodeOf(summaryId(place))))).toEqual(reached)
      }
    }),
    { numRuns: runs(25) },
  )
})

it('the lineage lists each source once, in the order of the summary, and has nodes for ids that are missing', () => {
  fc.assert(
    fc.property(randomLineage, (lineage) => {
      using file = writeLineage(lineage)
      const { lineage: links, summaries } = new MemoryReader(file.db).memory(1)
      const count = lineage.leaves.length + lineage.condensed
      for (let place = 0; place < count; place += 1) {
        const node = summaries.nodeOf(summaryId(place))
        const edges = lineage.edges.filter(([from]) => from === place)
        expect(links.sources[node]?.map((source) => links.idOf(source))).toEqual(edges.map(([, to]) => summaryId(to)))
        expect(links.sources[node]?.map((source) => links.isMissing(source))).toEqual(
          edges.map(([, to]) => to >= count),
        )
        const above = lineage.edges.filter(([, to]) => to === place).map(([from]) => summaryId(from))
        expect(links.dependents[node]?.map((dependent) => links.idOf(dependent)).sort()).toEqual(above.sort())
      }
    }),
    { numRuns: runs(25) },
  )
})

it('messages of another conversation are counted, and not placed in this one', () => {
  using file = buildMemory({ conversations: [{ messages: ['a', 'b'] }, { messages: ['c', 'd', 'e'] }] })
  const crossing = file.leaf(1, [2, 3, 4])
  const top = file.condensed(2, [crossing])
  const memory = new MemoryReader(file.db).memory(1)
  const { summaries, links, coverage } = memory
  const [leaf, guest] = [summaries.nodeOf(crossing), summaries.nodeOf(top)]
  expect([members(coverage.reach(leaf)), coverage.messageCount(leaf), coverage.outside(guest)]).toEqual([[1], 3, 2])
  expect([memory.isOwn(leaf), memory.isOwn(guest), summaries.at(guest).conversationId]).toEqual([true, false, 2])
  expect(links.messagesElsewhere([leaf]).map(({ messageId }) => messageId)).toEqual([3, 4])
})
