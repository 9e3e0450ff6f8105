import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ABSENT } from '#core/memory/coverage.ts'
import { readingMemory } from '#core/systems/reading/read-memory.ts'
import { withoutYielding } from '#core/yielding.ts'
import { type RandomLineage, randomLineage, summaryId, writeLineage } from '../browse/history/random-lineage.ts'

/** Returns every existing row that a summary reaches, including itself. */
function covered({ edges, leaves, condensed }: RandomLineage, place: number, seen = new Set<number>()): Set<number> {
  if (place >= leaves.length + condensed || seen.has(place)) return seen
  seen.add(place)
  for (const [from, to] of edges) if (from === place) covered({ edges, leaves, condensed } as RandomLineage, to, seen)
  return seen
}

it('a message is covered exactly when a summary in a window reaches it through its sources', () => {
  fc.assert(
    fc.property(randomLineage, (lineage) => {
      using file = writeLineage(lineage)
      const { coverage, summaries } = withoutYielding(readingMemory(file.db))
      const reached = new Set(lineage.windowSummaries.flatMap((place) => [...covered(lineage, place)]))
      for (let place = 0; place < lineage.leaves.length + lineage.condensed; place += 1) {
        expect(coverage.nodeStates[summaries.nodeOf(summaryId(place))] !== ABSENT).toBe(reached.has(place))
      }
      for (let position = 0; position < lineage.messages; position += 1) {
        const isCovered = [...reached].some((place) => lineage.leaves[place]?.includes(position))
        expect(coverage.isCovered(position)).toBe(isCovered)
      }
    }),
  )
})

it('nodes without a cycle below them are ordered with sources first, and no others are', () => {
  fc.assert(
    fc.property(randomLineage, (lineage) => {
      using file = writeLineage(lineage)
      const { order, summaries, links } = withoutYielding(readingMemory(file.db))
      const reachesCycle = (node: number, path: readonly number[] = []): boolean =>
        path.includes(node) || (links.sources[node] ?? []).some((source) => reachesCycle(source, [...path, node]))
      const expected = summaries.rows.filter(({ index }) => !reachesCycle(index)).map(({ index }) => index)
      expect([...order.sound].sort((a, b) => a - b)).toEqual(expected)
      const places = new Map([...order.sound].map((node, place) => [node, place]))
      for (const node of order.sound) {
        for (const source of links.sources[node] ?? []) {
          expect(places.get(source)).toBeLessThan(places.get(node) ?? 0)
        }
      }
    }),
  )
})
