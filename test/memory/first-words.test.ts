import { afterEach, expect, it, vi } from 'vitest'
import { MemoryStats } from '#core/browse/stats/memory-stats.ts'
import { ConversationsInput } from '#core/contract/memory.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { openMemory } from '../builders/open-memory.ts'
import { quickly, slowly } from '../builders/reading-times.ts'

afterEach(() => vi.restoreAllMocks())

function statsOf({ path, db }: TestMemory): MemoryStats {
  const { info, close } = openMemory(path)
  close()
  return new MemoryStats(db, info, { budgetTokens: 1000, freshTailCount: 8 }, createTokenEstimator())
}

const firstWordsIn = (stats: MemoryStats) =>
  stats
    .page(ConversationsInput.parse({}))
    .conversations.map(({ conversationId, firstWords }) => [conversationId, firstWords])

it('a list of conversations says what a person said first in those without a title', () => {
  using memory = buildMemory({
    conversations: [
      {
        title: null,
        messages: [
          { role: 'assistant', content: 'Hello.' },
          { role: 'user', content: '# Why is **it** slow?\nAgain.' },
        ],
      },
      { title: 'Has a title', messages: ['Not asked for'] },
      { title: ' ', messages: [{ role: 'assistant', content: 'Nobody said anything.' }] },
      { title: null },
    ],
  })
  expect(new Map(firstWordsIn(statsOf(memory)) as [number, string][])).toEqual(
    new Map<number, string | undefined>([
      [1, 'Why is it slow?'],
      [2, undefined],
      [3, undefined],
      [4, undefined],
    ]),
  )
})

it('what was said first is looked for among the first messages alone, by the index of their order, and once', () => {
  using memory = buildMemory({
    conversations: [{ title: null, messages: [{ role: 'user', content: 'The first question' }] }],
  })
  slowly()
  const stats = statsOf(memory)
  const read = vi.spyOn(memory.db, 'rows')
  const asked = () => read.mock.calls.filter(([sql]) => /role = 'user'/.test(sql))
  expect(firstWordsIn(stats)).toEqual([[1, 'The first question']])
  const [[sql, params] = ['', {}]] = asked()
  const plan = memory.db
    .rows<[number, number, number, string]>(`EXPLAIN QUERY PLAN ${sql}`, params)
    .map((row) => row[3])
  expect(plan.some((line) => /SEARCH messages USING .*INDEX .*conversation_id=/.test(line))).toBe(true)
  expect(plan.filter((line) => /SCAN messages|TEMP B-TREE/.test(line))).toEqual([])
  memory.messages(1, 3)
  expect(firstWordsIn(stats)).toEqual([[1, 'The first question']])
  expect(asked().filter(([one]) => !one.startsWith('EXPLAIN')).length).toBe(1)
})

it('what was said first is read again when it changes in the file, and when somebody speaks for the first time', () => {
  quickly()
  using memory = buildMemory({
    conversations: [
      { title: null, messages: [{ role: 'user', content: 'The key is 1234' }] },
      { title: null, messages: [{ role: 'assistant', content: 'Hello.' }] },
    ],
  })
  const stats = statsOf(memory)
  expect(firstWordsIn(stats)).toContainEqual([1, 'The key is 1234'])
  memory.damage("UPDATE messages SET content = 'Removed' WHERE conversation_id = 1")
  memory.message(2, { role: 'user', content: 'At last' })
  expect(firstWordsIn(stats)).toContainEqual([1, 'Removed'])
  expect(firstWordsIn(stats)).toContainEqual([2, 'At last'])
})
