import fc from 'fast-check'
import { expect, it } from 'vitest'
import { describeNode } from '#core/browse/describe.ts'
import { coversOfSummaries } from '#core/systems/reading/covers.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { sourceIds } from '#core/systems/records/links.ts'
import { runs } from '#test/builders/property-runs.ts'
import { randomLineage, summaryId, writeLineage } from './random-lineage.ts'

it('the description of a summary names the sources and covers that the rows of the file say, however damaged', () => {
  fc.assert(
    fc.property(randomLineage, (lineage) => {
      using memory = writeLineage(lineage)
      const reader = new MemoryReader(memory.db)
      for (let place = 0; place < lineage.leaves.length + lineage.condensed; place += 1) {
        const id = summaryId(place)
        const { sources, coveredBy, coverInWindow, visibility } = describeNode(memory.db, reader, id, 100)
        const covers = coversOfSummaries(memory.db, [{ id, conversationId: 1 }]).get(id) ?? []
        const nearest = covers.find(({ inWindow }) => inWindow)?.id ?? null
        expect(sources).toEqual(sourceIds(memory.db, id, 1000))
        expect(coveredBy).toEqual(covers.map((cover) => cover.id))
        expect(coverInWindow).toBe(visibility === 'covered' ? nearest : null)
      }
    }),
    { numRuns: runs(60) },
  )
})
