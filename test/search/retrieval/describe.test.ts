import { expect, it } from 'vitest'
import { describeNode } from '#core/browse/describe.ts'
import { Description } from '#core/contract/lineage.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory, STORY_BEGINS_MS, type TestMemory } from '#test/builders/memory.ts'

const describeIn = (memory: TestMemory, id: string, chars = 1000): Description =>
  Description.parse(describeNode(memory.db, new MemoryReader(memory.db), id, chars))

function compacted() {
  const memory = buildMemory({ conversations: [{}] })
  const ids = memory.messages(
    1,
    Array.from({ length: 5 }, () => ({ tokens: 100 })),
  )
  const leaves = [
    memory.leaf(1, ids.slice(0, 2), { content: 'first' }),
    memory.leaf(1, ids.slice(2, 4), { content: 'second' }),
  ]
  const top = memory.condensed(1, leaves, { content: 'both', tokens: 50, fileIds: ['file_1'], model: 'm' })
  return { memory, leaves, top }
}

it('describes a summary with sources, dependents and its place in the window', () => {
  const { memory, leaves, top } = compacted()
  expect(describeIn(memory, top)).toMatchObject({
    ...{ kind: 'condensed', conversationId: 1, depth: 1, tokens: 50, sourceTokens: 400, compression: 8, messages: 4 },
    ...{
      sources: leaves,
      sourceCount: 2,
      dependents: [],
      coveredBy: [],
      sourceRange: { firstSeq: 0, lastSeq: 3, first: 1, last: 4 },
    },
    ...{ visibility: 'in_window', inContext: true, contextOrdinal: 0, coverInWindow: null, fileIds: ['file_1'] },
    ...{ earliestAtMs: STORY_BEGINS_MS, latestAtMs: STORY_BEGINS_MS + 180_000, level: 'normal', model: 'm' },
    ...{ content: 'both', contentChars: 4, isCut: false, descendantCount: 2 },
  })
  expect(describeIn(memory, leaves[1] ?? '')).toMatchObject({
    ...{ kind: 'leaf', sources: ['msg_3', 'msg_4'], dependents: [top], coveredBy: [top] },
    ...{ visibility: 'covered', inContext: false, contextOrdinal: null, coverInWindow: top },
  })
  memory.close()
})

it('describes a message with every summary that covers it, and with the one in the window', () => {
  const { memory, leaves, top } = compacted()
  expect(describeIn(memory, 'msg_2', 7)).toMatchObject({
    ...{
      kind: 'message',
      role: 'assistant',
      seq: 1,
      tokens: 100,
      sourceTokens: null,
      compression: null,
      messages: null,
    },
    ...{ dependents: [leaves[0]], coveredBy: [leaves[0], top], visibility: 'covered', coverInWindow: top },
    ...{ content: 'Message', isCut: true, level: null },
  })
  expect(describeIn(memory, 'msg_5')).toMatchObject({ visibility: 'in_window', contextOrdinal: 1, coverInWindow: null })
  memory.close()
})

it('describes a file', () => {
  using memory = buildMemory({ conversations: [{}] })
  const id = memory.largeFile(1, { file_name: 'a.csv', byte_size: 12, exploration_summary: 'three columns' })
  expect(describeIn(memory, id)).toMatchObject({
    ...{ kind: 'file', content: 'three columns', file: { fileName: 'a.csv', bytes: 12 } },
  })
})

it('names the next step when there is nothing with the id', () => {
  using memory = buildMemory({ conversations: [{}] })
  expect(() => describeIn(memory, 'sum_x')).toThrowError(
    expect.objectContaining({ code: 'not_found', message: expect.stringContaining('grep') }),
  )
})

it('survives a list of file ids that is not JSON', () => {
  const { memory, top } = compacted()
  memory.damage("UPDATE summaries SET file_ids = '[oops'")
  expect(describeIn(memory, top).fileIds).toEqual([])
  memory.close()
})
