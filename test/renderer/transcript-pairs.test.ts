import { describe, expect, it } from 'vitest'
import type { Message } from '#core/contract/message.ts'
import { toolPairs } from '#renderer/features/transcript/tool-pairs.ts'
import { messageOf, partOf } from './transcript-messages.ts'

const call = (...ids: (string | null)[]): Partial<Message> => ({
  role: 'assistant',
  parts: ids.map((toolCallId, index) =>
    partOf({ partId: `call ${index}`, type: 'tool', toolName: 'bash', toolCallId, toolInput: '{}' }),
  ),
})
const result = (toolCallId: string | null, more: Partial<Message> = {}): Partial<Message> => ({
  role: 'tool',
  parts: [partOf({ partId: 'result', type: 'tool', toolCallId, toolOutput: 'done' })],
  ...more,
})
const said: Partial<Message> = { role: 'user', content: 'go on' }

const conversation = (...messages: (Partial<Message> | undefined)[]) => {
  const all = messages.map((message, position) => message && messageOf({ id: `msg_${position}`, position, ...message }))
  return {
    at: (position: number): Message | null | undefined =>
      position < 0 || position >= all.length ? null : all[position],
  }
}
const nothing = () => false
const ids = (pairs: ReturnType<typeof toolPairs>) =>
  Object.fromEntries([...pairs.results].map(([key, results]) => [key, results.map(({ id }) => id)]))

describe('a tool call and its result', () => {
  it('are one row when the results follow the calls, each under its own call', () => {
    const { at } = conversation(said, call('a', 'b'), result('b'), result('a'), said)
    const pairs = toolPairs(1, at, nothing)
    expect(ids(pairs)).toEqual({ 'call 0': ['msg_3'], 'call 1': ['msg_2'] })
    expect(pairs.last).toBe(3)
    expect(pairs.elsewhere.size).toBe(0)
    expect(toolPairs(2, at, nothing).head).toBe(1)
    expect(toolPairs(3, at, nothing).head).toBe(1)
    expect(toolPairs(4, at, nothing).head).toBeNull()
  })

  it('are paired in order when neither has an id', () => {
    const { at } = conversation(call(null, null), result(null), result(null))
    expect(ids(toolPairs(0, at, nothing))).toEqual({ 'call 0': ['msg_1'], 'call 1': ['msg_2'] })
  })

  it('are two rows when other summaries cover them, or when a compaction ran in between', () => {
    const cover = [{ id: 'sum_a', depth: 0, inWindow: true }]
    const covered = conversation(call('a'), result('a', { coveredBy: cover }))
    expect(toolPairs(0, covered.at, nothing)).toMatchObject({ last: 0 })
    expect(toolPairs(0, covered.at, nothing).elsewhere.get('call 0')).toEqual({ kind: 'message', id: 'msg_1' })
    expect(toolPairs(1, covered.at, nothing).elsewhere.get('result')).toEqual({ kind: 'message', id: 'msg_0' })
    const divided = conversation(call('a'), result('a'))
    expect(toolPairs(1, divided.at, (position) => position === 0).head).toBeNull()
    expect(toolPairs(1, divided.at, (position) => position === 1).head).toBe(0)
  })

  it('are looked for nearby when they are not neighbours, and missed when they are not there', () => {
    const { at } = conversation(
      call('a', 'b'),
      said,
      result('a'),
      result('z'),
      ...Array.from({ length: 60 }, () => said),
    )
    const { elsewhere } = toolPairs(0, at, nothing)
    expect(elsewhere.get('call 0')).toEqual({ kind: 'message', id: 'msg_2' })
    expect(elsewhere.get('call 1')).toEqual({ kind: 'missing' })
    expect(toolPairs(3, at, nothing).elsewhere.get('result')).toEqual({ kind: 'missing' })
  })

  it('are called pending at the end of the conversation, and nothing while a message between is not loaded', () => {
    expect(toolPairs(0, conversation(call('a')).at, nothing).elsewhere.get('call 0')).toEqual({ kind: 'pending' })
    expect(toolPairs(0, conversation(call('a'), undefined).at, nothing).elsewhere.size).toBe(0)
  })

  it('stay the same object while nothing around them changes, so that no row is drawn again', () => {
    const { at } = conversation(call('a'), result('a'))
    expect(toolPairs(0, at, nothing)).toBe(toolPairs(0, at, nothing))
  })
})
