import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Transcript } from '#core/browse/transcript.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory, STORY_BEGINS_MS, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'

const transcriptOf = (memory: TestMemory): Transcript => new Transcript(memory.db, new MemoryReader(memory.db))
const page = (memory: TestMemory, offset = 0, limit = 100, contentChars = 20_000) =>
  transcriptOf(memory).page({ conversationId: 1, offset, limit, contentChars })

it('reads a page of a conversation by position', () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, 10)
  const { total, offset, messages } = page(memory, 7, 5)
  expect([total, offset]).toEqual([10, 7])
  expect(messages.map(({ id, position }) => [id, position])).toEqual([
    ['msg_8', 7],
    ['msg_9', 8],
    ['msg_10', 9],
  ])
  expect(page(memory, 50, 5).messages).toEqual([])
})

it('cuts every text to the requested length, never within a character, and says so', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constant('a\u0000b🚀'),
    fc.constant('x'.repeat(90)),
  )
  fc.assert(
    fc.property(text, fc.nat(60), (content, chars) => {
      const whole = content.toWellFormed()
      using memory = buildMemory({ conversations: [{ messages: [{ content: whole }] }] })
      const [message] = page(memory, 0, 1, chars).messages
      expect(message?.contentChars).toBe(whole.length)
      expect(message?.isCut).toBe(whole.length > chars)
      expect(whole.startsWith(message?.content ?? '?')).toBe(true)
      expect(message?.content.length).toBeGreaterThanOrEqual(Math.min(whole.length, chars) - 1)
      expect(message?.content.length).toBeLessThanOrEqual(chars)
      expect(message?.content.isWellFormed()).toBe(true)
      expect(transcriptOf(memory).message('msg_1').content).toBe(whole)
    }),
    { numRuns: runs(25) },
  )
})

it('returns text that is stored once as content in the part where it belongs', () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.message(1, {
    role: 'assistant',
    content: 'the answer',
    parts: [
      { part_type: 'reasoning', text_content: 'hm' },
      { part_type: 'text', is_content: 1 },
      { part_type: 'tool', tool_name: 'bash', tool_call_id: 'c1', tool_input: '{"a":1}' },
    ],
  })
  memory.message(1, {
    role: 'tool',
    content: 'output',
    parts: [{ part_type: 'tool', is_content: 1, tool_name: 'bash', tool_call_id: 'c1', tool_status: 'completed' }],
  })
  const [answer, result] = page(memory).messages
  expect(answer?.parts.map((part) => [part.type, part.text, part.toolInput])).toEqual([
    ['reasoning', 'hm', null],
    ['text', 'the answer', null],
    ['tool', null, '{"a":1}'],
  ])
  expect(result?.parts[0]).toMatchObject({ type: 'tool', text: null, toolOutput: 'output', toolStatus: 'completed' })
  expect(page(memory, 0, 1, 4).messages[0]).toMatchObject({ content: 'the ', isCut: true })
})

it('says which summaries cover a message, from the leaf upwards, and whether it is in the window', () => {
  using memory = buildMemory({ conversations: [{}] })
  const ids = memory.messages(1, 6)
  const leaves = [memory.leaf(1, ids.slice(0, 2), { content: 'a' }), memory.leaf(1, ids.slice(2, 4), { content: 'b' })]
  const top = memory.condensed(1, leaves)
  memory.window(1, [top, 5])
  const { messages } = page(memory)
  expect(messages.map((message) => message.visibility)).toEqual([
    ...['covered', 'covered', 'covered', 'covered'],
    'in_window',
    'absent',
  ])
  expect(messages[2]?.coveredBy).toEqual([
    { id: leaves[1], depth: 0, inWindow: false },
    { id: top, depth: 1, inWindow: true },
  ])
})

it('finds the positions of messages and of what a summary covers', () => {
  using memory = buildMemory({ conversations: [{ messages: ['other'] }, {}] })
  const ids = memory.messages(2, 6)
  const leaf = memory.leaf(2, ids.slice(1, 4))
  const file = memory.largeFile(2)
  const transcript = transcriptOf(memory)
  expect(transcript.locate('msg_4')).toEqual({ conversationId: 2, position: 2, lastPosition: 2 })
  expect(transcript.locate(leaf)).toEqual({ conversationId: 2, position: 1, lastPosition: 3 })
  expect(transcript.locate(file)).toEqual({ conversationId: 2, position: 0, lastPosition: 5 })
  expect(() => transcript.locate('sum_nowhere')).toThrowError(expect.objectContaining({ code: 'not_found' }))
  expect(() => transcript.message(leaf)).toThrowError(expect.objectContaining({ code: 'invalid_argument' }))
})

it('finds the first message at or after a time', () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, 5)
  const positionAt = (minutes: number) =>
    transcriptOf(memory).positionAt({ conversationId: 1, atMs: STORY_BEGINS_MS + minutes * 60_000 }).position
  expect([-100, 0, 1.5, 2, 99].map(positionAt)).toEqual([0, 0, 2, 2, 4])
})
