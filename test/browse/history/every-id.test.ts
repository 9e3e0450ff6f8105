import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeNode } from '#core/browse/describe.ts'
import { SummaryDag } from '#core/browse/summary-dag.ts'
import { Description, Lineage, type LineageTree } from '#core/contract/lineage.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { randomLineage, summaryId, writeLineage } from './random-lineage.ts'

const lineageOf = (memory: TestMemory, id: string): Lineage =>
  Lineage.parse(new SummaryDag(memory.db, new MemoryReader(memory.db)).lineage(id))
const describeIn = (memory: TestMemory, id: string): Description =>
  Description.parse(describeNode(memory.db, new MemoryReader(memory.db), id, 1000))
const idsOf = (trees: readonly LineageTree[], next: 'sources' | 'dependents'): string[] =>
  trees.flatMap((tree) => [tree.id, ...idsOf(tree[next] ?? [], next)])

describe('a file', () => {
  function withFile() {
    const memory = buildMemory({ conversations: [{}] })
    const file = memory.largeFile(1, { file_name: 'log.txt', byte_size: 9, exploration_summary: 'a log' })
    const ids = memory.messages(1, [`[Large file ${file}: log.txt]`, 'Thanks.', 'Anything else?', `See ${file} again.`])
    const leaf = memory.leaf(1, ids.slice(0, 2), { content: 'A log was read.', fileIds: [file] })
    const top = memory.condensed(1, [leaf], { content: 'Logs.', fileIds: [file] })
    return { memory, file, leaf, top }
  }

  it('leads to the messages that contain it and to every summary that carries it over', () => {
    const { memory, file, leaf, top } = withFile()
    const lineage = lineageOf(memory, file)
    expect(lineage).toMatchObject({ id: file, sources: [], coveredBy: [leaf, top], inContext: true })
    expect(idsOf(lineage.dependents, 'dependents')).toEqual(['msg_1', 'msg_4', leaf, top])
    memory.close()
  })

  it('is described with everything that refers to it and covers it', () => {
    const { memory, file, leaf, top } = withFile()
    expect(describeIn(memory, file)).toMatchObject({
      kind: 'file',
      dependents: ['msg_1', 'msg_4'],
      coveredBy: [leaf, top],
      visibility: 'covered',
      coverInWindow: top,
    })
    expect(describeIn(memory, 'msg_1').fileIds).toEqual([file])
    expect(describeIn(memory, 'msg_2').fileIds).toEqual([])
    memory.close()
  })

  it('stands alone when nothing refers to it', () => {
    using memory = buildMemory({ conversations: [{}] })
    const file = memory.largeFile(1, {})
    expect(lineageOf(memory, file)).toEqual({ id: file, sources: [], dependents: [], coveredBy: [], inContext: false })
    expect(describeIn(memory, file)).toMatchObject({ dependents: [], coveredBy: [], visibility: 'absent' })
  })
})

describe('an id without a row', () => {
  it('is shown with everything that depends on it, and described as missing', () => {
    using memory = buildMemory({ conversations: [{ messages: ['a', 'b', 'c'] }] })
    const leaves = [memory.leaf(1, [1, 2]), memory.leaf(1, [3])]
    const top = memory.condensed(1, leaves)
    memory.damage('DELETE FROM summaries WHERE summary_id = :id', { id: leaves[1] ?? '' })
    memory.damage('DELETE FROM messages WHERE message_id = 2')
    expect(lineageOf(memory, leaves[1] ?? '')).toMatchObject({
      sources: [{ id: 'msg_3', kind: 'message' }],
      dependents: [{ id: top }],
      coveredBy: [top],
    })
    const message = lineageOf(memory, 'msg_2')
    expect(idsOf(message.dependents, 'dependents')).toEqual([leaves[0], top])
    expect(new Set(message.coveredBy)).toEqual(new Set([leaves[0], top]))
    expect(() => describeIn(memory, leaves[1] ?? '')).toThrowError(
      expect.objectContaining({ code: 'not_found', message: expect.stringContaining('dangles') }),
    )
    expect(() => lineageOf(memory, 'sum_never')).toThrowError(expect.objectContaining({ code: 'not_found' }))
  })

  it('has a finite lineage wherever a damaged file names it', () => {
    fc.assert(
      fc.property(randomLineage, (lineage) => {
        using memory = writeLineage(lineage)
        const named = new Set([
          ...lineage.edges.flat().map(summaryId),
          ...lineage.leaves.flat().map((message) => `msg_${message + 1}`),
        ])
        for (const id of named) {
          const found = lineageOf(memory, id)
          expect(found.id).toBe(id)
          const above = lineage.edges.filter(([, to]) => summaryId(to) === id).map(([from]) => summaryId(from))
          const shown = new Set(found.dependents.map((tree) => tree.id))
          for (const dependent of above) {
            // A dependent that is not there itself leads nowhere; a node on a cycle stands above itself.
            if (dependent !== id) expect(shown.has(dependent)).toBe(true)
          }
        }
      }),
      { numRuns: runs(30) },
    )
  })
})
