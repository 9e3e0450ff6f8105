import { copyFileSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MemoryStats } from '#core/browse/stats/memory-stats.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { type OpenedMemory, openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { copyOf, FIXTURES } from '../sqlite/fixtures.ts'

function opened(fixture: string): OpenedMemory {
  const path = copyOf(fixture)
  const companion = join(FIXTURES, dirname(fixture), 'lcm.events.jsonl')
  if (existsSync(companion)) copyFileSync(companion, join(dirname(path), 'lcm.events.jsonl'))
  return openMemory(path, { cacheDir: join(temporaryFolder(), 'cache') })
}

const statsOf = ({ read, info }: OpenedMemory, reader = new MemoryReader(read)): MemoryStats =>
  new MemoryStats(read, info, { budgetTokens: 1000, freshTailCount: 8 }, createTokenEstimator(), reader, false)

describe('the memory of a file of any system', () => {
  it.each([
    'lossless-claw/rich.db',
    'lossless-claw/small.db',
    'lossless-claude/small.sqlite',
    'hermes-lcm/small.db',
    'hermes-lcm/damaged.db',
    'lcm-x/small.db',
    'argentos/small.db',
    'argentos/gateway.db',
    'pi-lcm/small.db',
    'decapod/small/lcm.db',
  ])('is the same when it is read in pieces or at once, and order and counts need no text: %s', async (fixture) => {
    using memory = opened(fixture)
    const { read } = memory
    const exact = statsOf(memory).conversations()
    const stats = statsOf(memory)
    expect(stats.listed().map(({ messages, contextItems }) => [messages, contextItems])).toEqual(
      exact.map(({ messages, contextItems }) => [messages, contextItems]),
    )
    await stats.measure()
    expect(stats.listed()).toEqual(exact)

    const reader = new MemoryReader(read)
    for (const { conversationId } of exact) {
      expect(reader.order(conversationId).idsFrom(0, 100_000)).toEqual(
        read.column('SELECT message_id FROM messages WHERE conversation_id = :conversationId ORDER BY seq', {
          conversationId,
        }),
      )
      await reader.prepare(conversationId)
      expect(statsOf(memory, reader).overview(conversationId)).toEqual(statsOf(memory).overview(conversationId))
    }
    for (const sql of [
      'SELECT message_id, seq FROM messages WHERE conversation_id = 1 AND seq > 0 ORDER BY seq',
      'SELECT conversation_id, count(*), total(message_id) FROM messages GROUP BY conversation_id',
    ]) {
      const plan = read.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => detail)
      expect(plan).toEqual([expect.stringContaining('USING COVERING INDEX')])
    }
  })
})
