import { describe, expect, it } from 'vitest'
import type { Message } from '#core/contract/message.ts'
import { placeSubAgents } from '#renderer/features/transcript/sub-agents.ts'
import { messageOf, partOf } from './transcript-messages.ts'

const PROMPT = 'Find every caller of "charge".\nReport paths only.'
const call = (partId: string, prompt: string) =>
  partOf({ partId, type: 'tool', toolName: 'Task', toolInput: JSON.stringify({ description: 'look', prompt }) })

const conversation = (...messages: Partial<Message>[]) => {
  const all = messages.map((message, position) => messageOf({ id: `msg_${position}`, position, ...message }))
  return (position: number) => (position < 0 || position >= all.length ? null : all[position])
}
const agent = (conversationId: number, position: number, prompt: string | null) => ({
  conversationId,
  title: null,
  sessionId: `s${conversationId}`,
  messages: 3,
  storedTokens: 12,
  position,
  prompt,
})
const placesOf = (placed: ReturnType<typeof placeSubAgents>) =>
  [...placed].flatMap(([position, all]) =>
    all.map(({ agent: { conversationId }, key }) => [conversationId, position, key]),
  )

describe('a sub-agent', () => {
  const messageAt = conversation(
    { content: 'go' },
    { role: 'assistant', parts: [call('a', PROMPT), call('b', 'Something else')] },
    { role: 'tool', content: 'done' },
    { role: 'assistant', content: 'So it is.' },
  )

  it('stands below the call that gave it its words, although others began beside it', () => {
    expect(placesOf(placeSubAgents([agent(7, 2, PROMPT), agent(8, 2, 'Something else')], messageAt))).toEqual([
      [7, 1, 'a'],
      [8, 1, 'b'],
    ])
  })

  it('has a call of its own when two were given the same words', () => {
    const twice = conversation({ role: 'assistant', parts: [call('a', PROMPT), call('b', PROMPT)] })
    const keys = placesOf(placeSubAgents([agent(7, 1, PROMPT), agent(8, 1, PROMPT)], twice)).map(([, , key]) => key)
    expect(new Set(keys)).toEqual(new Set(['a', 'b']))
  })

  it('stands at the end of the last message before it when no call says its words', () => {
    expect(placesOf(placeSubAgents([agent(7, 3, 'Unknown words')], messageAt))).toEqual([[7, 2, null]])
    expect(placesOf(placeSubAgents([agent(7, 0, null)], messageAt))).toEqual([[7, 0, null]])
  })
})
