import { expect, it } from 'vitest'
import { buildMemory } from './memory.ts'

it('builds a memory whose history, summaries and window fit together', () => {
  using memory = buildMemory({
    conversations: [{ title: 'One', messages: ['hello', { role: 'tool', content: 'ok' }] }],
  })
  const [conversation = 0] = memory.conversationIds
  const ids = memory.messages(conversation, 6)
  const first = memory.leaf(conversation, ids.slice(0, 2), { content: 'a', tokens: 3 })
  const second = memory.leaf(conversation, ids.slice(2, 4), { content: 'b', tokens: 3 })
  expect(memory.windowItems(conversation)).toEqual([1, 2, first, second, 7, 8])
  const root = memory.condensed(conversation, [first, second])
  expect(memory.windowItems(conversation)).toEqual([1, 2, root, 7, 8])
  expect(
    memory.db.get('SELECT depth, descendant_count, source_token_count FROM summaries WHERE summary_id = :id', {
      id: root,
    }),
  ).toEqual({ depth: 1, descendant_count: 2, source_token_count: 28 })
  expect(memory.db.column("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'hello'")).toEqual([1])
})

it('seeds faults that the database itself would refuse', () => {
  using memory = buildMemory({ conversations: [{ messages: ['hello'] }] })
  expect(() => memory.db.run("UPDATE messages SET content = 'x'")).toThrow('immutable')
  memory.damage("UPDATE messages SET content = 'x', conversation_id = 99")
  expect(memory.db.value('SELECT content FROM messages')).toBe('x')
  expect(() => memory.db.run("UPDATE messages SET content = 'y'")).toThrow('immutable')
})
