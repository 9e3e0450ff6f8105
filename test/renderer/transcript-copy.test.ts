import { describe, expect, it } from 'vitest'
import { rangeBetween, rangeWithin } from '#renderer/features/transcript/chosen-messages.ts'
import { copiedLink, copiedText } from '#renderer/features/transcript/copied-text.ts'
import { parseRoute } from '#renderer/routes.ts'
import { parseRange, rangeText } from '#renderer/ui/data/range-address.ts'
import { messageOf, partOf } from './transcript-messages.ts'

const asked = messageOf({
  id: 'msg_3',
  role: 'assistant',
  content: 'Looking.',
  tokens: 12,
  createdAtMs: Date.UTC(2026, 1, 13, 7, 44),
  parts: [partOf({ type: 'tool', toolName: 'bash', toolInput: '{"command":"echo ```"}', toolCallId: 'a' })],
})
const answered = messageOf({ id: 'msg_4', role: 'tool', content: 'done', createdAtMs: null })

describe('copied messages', () => {
  it('are Markdown whose fences are longer than any in the texts', () => {
    expect(copiedText([asked], 'markdown')).toBe(
      [
        '### assistant · msg_3 · 12 tokens · 2026-02-13T07:44:00.000Z',
        'Looking.',
        '**call of bash**',
        '````json\n{\n  "command": "echo ```"\n}\n````\n',
      ].join('\n\n'),
    )
  })

  it('are plain text with the calls and results named', () => {
    expect(copiedText([asked, answered], 'text')).toBe(
      '[assistant · msg_3 · 12 tokens · 2026-02-13T07:44:00.000Z]\nLooking.\ncall of bash:\n{\n  "command": "echo ```"\n}\n' +
        '\n[tool · msg_4 · 1 tokens]\nresult:\ndone\n',
    )
  })

  it('are JSON that says everything: one message as an object, several as an array', () => {
    expect(JSON.parse(copiedText([asked], 'json'))).toEqual(asked)
    expect(JSON.parse(copiedText([asked, answered], 'json'))).toEqual([asked, answered])
  })

  it('are a link to the same place in the transcript', () => {
    const link = copiedLink(
      'http://127.0.0.1:4000/?file=a.db#/conversation/1/layers?select=sum_1',
      parseRoute('#/conversation/1/layers?select=sum_1'),
      { selection: 'msg_3', shown: {} },
    )
    expect(link).toBe('http://127.0.0.1:4000/?file=a.db#/conversation/1/messages?select=msg_3')
  })
})

describe('a range of messages', () => {
  it('is written as the numbers that are shown, and read back', () => {
    expect(rangeText(rangeBetween(19, 11))).toBe('12-20')
    expect(rangeWithin(parseRange('12-20'), 100)).toEqual({ first: 11, last: 19 })
  })

  it('ends with the conversation, and is nothing when it is none', () => {
    expect(rangeWithin(parseRange('12-20'), 15)).toEqual({ first: 11, last: 14 })
    for (const text of [null, '', '12', '20-12', 'a-b', '30-40']) expect(rangeWithin(parseRange(text), 15)).toBeNull()
  })
})
