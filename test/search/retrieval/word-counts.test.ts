import { expect, it } from 'vitest'
import { NativeTextIndex } from '#core/search/indexes/native-text-index.ts'
import { TestMemory } from '#test/builders/memory.ts'

const EVERY_ROW = { first: Number.MIN_SAFE_INTEGER, last: Number.MAX_SAFE_INTEGER }

it('counts the rows of a word in a whole index as in a range, also after texts were deleted and added to', () => {
  using memory = new TestMemory()
  const conversation = memory.conversation()
  const [first = 0, second = 0, , last = 0] = memory.messages(conversation, [
    'red stone',
    'red Größe red',
    'blue stone',
    'nothing',
  ])
  memory.parts(last, [{ part_type: 'tool', tool_name: 'read', tool_output: 'a red file' }])
  memory.leaf(conversation, [first], { content: 'red and gone' })
  memory.leaf(conversation, [second], { content: 'red and here' })
  memory.db.exec(/* sql */ `
    PRAGMA foreign_keys = OFF;
    DELETE FROM summaries WHERE content LIKE '%gone'`)
  const counts = (table: 'messages' | 'summaries', match: string): number[] => {
    const index = new NativeTextIndex(memory.db, table)
    return [index.count(match, null), index.count(match, EVERY_ROW)]
  }
  expect(counts('messages', '"red"')).toEqual([3, 3])
  expect(counts('messages', '"große"')).toEqual([1, 1])
  expect(counts('messages', '"große" OR "red"')).toEqual([3, 3])
  expect(counts('messages', '"red stone"')).toEqual([1, 1])
  expect(counts('messages', '"absent"')).toEqual([0, 0])
  expect(counts('summaries', '"red"')).toEqual([1, 1])
})
