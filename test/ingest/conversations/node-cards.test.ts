import { expect, it } from 'vitest'
import { nodeCards } from '#core/browse/node-cards.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory } from '#test/builders/memory.ts'

it('a card shows the text after a NUL character', () => {
  using memory = buildMemory({ conversations: [{ messages: [{ content: '\u0000 and on' }, { content: '' }] }] })
  const leaf = memory.leaf(1, [1, 2], { content: `\u0000${'é'.repeat(1000)}` })
  const [message, empty, summary] = nodeCards(memory.db, new MemoryReader(memory.db), ['msg_1', 'msg_2', leaf])
  expect(message?.excerpt).toBe('and on')
  expect(empty?.excerpt).toBe('')
  expect(summary?.excerpt).toBe(`${'é'.repeat(159)}…`)
})
