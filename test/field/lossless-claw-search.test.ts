import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RetrievalEngine } from '#core/browse/retrieval-engine.ts'
import { GrepInput } from '#core/contract/retrieval.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { type OpenedMemory, openMemory } from '../builders/open-memory.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'

const folder = join(FIXTURES, 'lossless-claw')

type Asked = { mode: 'full_text' | 'regex'; query: string; messages: number; summaries: number }

describe('a file of lossless-claw', () => {
  const asked: Asked[] = JSON.parse(readFileSync(join(folder, 'small.truth.json'), 'utf8')).grep
  let memory: OpenedMemory
  let engine: RetrievalEngine

  beforeAll(() => {
    memory = openMemory(join(folder, 'small.db'))
    engine = new RetrievalEngine(memory.read, memory.info.capabilities, new MemoryReader(memory.read))
  })
  afterAll(() => memory.close())

  it.each(asked.map((ask) => [ask.mode, ask.query, ask] as const))(
    'finds for %s %s at least what its own search finds',
    async (mode, query, ask) => {
      const total = async (scope: 'messages' | 'summaries'): Promise<number> =>
        (await engine.grep(GrepInput.parse({ query, mode, scope, limit: 1000 }))).total
      expect(await total('messages')).toBeGreaterThanOrEqual(ask.messages)
      expect(await total('summaries')).toBeGreaterThanOrEqual(ask.summaries)
    },
  )

  it('expands every summary to its messages, byte for byte', () => {
    for (const summaryId of memory.read.column<string>('SELECT summary_id FROM summaries')) {
      const input = { summaryId, depth: 100, includeMessages: true, tokenCap: 1_000_000, cursor: undefined }
      const { messages, truncated } = engine.expand(input)
      expect([truncated, messages.length]).toEqual([false, engine.describe(summaryId, 0).messages])
      for (const { id, content } of messages) {
        const sql = 'SELECT content FROM messages WHERE message_id = :id'
        expect(content).toBe(memory.read.value(sql, { id: Number(id.slice(4)) }))
      }
    }
  })
})
