import { expect, it } from 'vitest'
import { MemoryStats } from '#core/browse/stats/memory-stats.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { openMemory } from '../builders/open-memory.ts'

const BUDGET = 1000
const UNMEASURED = {
  activeTokens: null,
  contextTokens: null,
  leftOutItems: null,
  leftOutTokens: null,
  pressure: null,
}

/** The same as for a file whose token counts come after its texts. */
function statsOf(memory: TestMemory): MemoryStats {
  const opened = openMemory(memory.path)
  opened.close()
  return new MemoryStats(
    memory.db,
    opened.info,
    { budgetTokens: BUDGET, freshTailCount: 8 },
    createTokenEstimator(),
    new MemoryReader(memory.db),
    false,
  )
}

const manyMessages = (): TestMemory => {
  const memory = buildMemory({
    conversations: [{}, { messages: [{ tokens: 7 }, { tokens: 9 }] }, {}, { messages: [{ tokens: 3 }] }],
  })
  memory.messages(1, 1100)
  memory.leaf(1, [10, 11, 12], { tokens: 30 })
  memory.leaf(4, [3], { tokens: 2 })
  return memory
}

it('lists counts at once, and tokens as unknown until they were read', async () => {
  using memory = manyMessages()
  const stats = statsOf(memory)
  const exact = statsOf(memory).conversations()
  expect(stats.listed()).toEqual(
    exact.map((row) => ({
      ...row,
      ...(row.messages > 0 ? { storedTokens: null, ...UNMEASURED } : {}),
    })),
  )
  expect(await stats.measure()).toBe(true)
  expect(stats.listed()).toEqual(exact)
  expect(await stats.measure()).toBe(false)
})

it('knows the tokens of a small window at once', () => {
  using memory = buildMemory({ conversations: [{ messages: [{ tokens: 5 }, { tokens: 70 }, { tokens: 9 }] }] })
  memory.leaf(1, [1, 2], { tokens: 11 })
  expect(statsOf(memory).listed()).toMatchObject([{ storedTokens: null, contextTokens: 20, pressure: 0.02 }])
})

it('keeps showing what it read, and reads again when the file changed', async () => {
  using memory = manyMessages()
  const stats = statsOf(memory)
  await stats.measure()
  const before = stats.listed()
  memory.messages(1, 40)
  memory.message(2, { tokens: 100 })
  memory.damage('UPDATE messages SET token_count = 5000 WHERE message_id = 500')
  expect(stats.listed().map((row) => [row.messages, row.storedTokens])).toEqual(
    statsOf(memory)
      .conversations()
      .map((row, index) => [row.messages, before[index]?.storedTokens]),
  )
  expect(await Promise.all([stats.measure(), stats.measure()])).toEqual([true, true])
  expect(stats.listed()).toEqual(statsOf(memory).conversations())
  expect(stats.conversations()).toEqual(statsOf(memory).conversations())
})

it('adds up windows with missing items and items of other conversations', async () => {
  using memory = manyMessages()
  memory.damage('DELETE FROM context_items WHERE conversation_id = 2')
  memory.damage(`UPDATE context_items SET message_id = CASE ordinal WHEN 5 THEN 1 WHEN 6 THEN 999999 ELSE message_id END
    WHERE conversation_id = 1 AND summary_id IS NULL`)
  const stats = statsOf(memory)
  await stats.measure()
  expect(stats.listed()).toEqual(statsOf(memory).conversations())
  expect(stats.listed()[0]?.contextItems).toBe(stats.conversations()[0]?.contextItems)
})

it('is exact for negative token counts', async () => {
  using memory = manyMessages()
  memory.damage('UPDATE messages SET token_count = -50 WHERE message_id % 7 = 0')
  const stats = statsOf(memory)
  await stats.measure()
  expect(stats.listed()).toEqual(statsOf(memory).conversations())
})

it('has the same overview from columns in memory as from the file', async () => {
  using memory = manyMessages()
  memory.damage(`UPDATE messages SET token_count = message_id * 37 % 101, role = CASE message_id % 3 WHEN 0 THEN 'tool'
    WHEN 1 THEN 'user' ELSE 'assistant' END WHERE conversation_id = 1`)
  const reader = new MemoryReader(memory.db)
  const opened = openMemory(memory.path)
  opened.close()
  const stats = new MemoryStats(
    memory.db,
    opened.info,
    { budgetTokens: BUDGET, freshTailCount: 8 },
    createTokenEstimator(),
    reader,
    false,
  )
  for (const conversationId of [1, 2, 3, 4]) {
    await reader.prepare(conversationId)
    expect(stats.overview(conversationId)).toEqual(statsOf(memory).overview(conversationId))
  }
})
