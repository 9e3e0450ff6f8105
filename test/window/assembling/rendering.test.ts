import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Provider } from '#core/contract/context.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { ContextAssembler } from '#core/window/context-assembler.ts'
import { buildMemory, type MessageSpec, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { call, result } from './tool-pair.ts'

const render = (memory: TestMemory, provider: Provider) =>
  new ContextAssembler(memory.db, createTokenEstimator(), readSettings({}).compaction).render(
    { conversationId: memory.conversationIds[0] ?? 0, budgetTokens: 1_000_000 },
    provider,
  )
const messages = (...specs: readonly (MessageSpec | string)[]): TestMemory =>
  buildMemory({ conversations: [{ messages: specs }] })

describe('a payload for Anthropic', () => {
  it('has the system text apart, alternating roles and results that answer their calls', () => {
    using memory = messages(
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'go' },
      { role: 'user', content: 'now' },
      call(['a', 'b']),
      result('a'),
      result('b', { parts: [{ part_type: 'tool', is_content: 1, tool_call_id: 'b', tool_status: 'error' }] }),
      { role: 'assistant', content: 'done' },
    )
    const text = (value: string) => ({ type: 'text', text: value })
    expect(render(memory, 'anthropic')).toEqual({
      provider: 'anthropic',
      system: 'be brief',
      messages: [
        { role: 'user', content: [text('go'), text('now')] },
        {
          role: 'assistant',
          content: [
            text('calling a and b'),
            { type: 'tool_use', id: 'a', name: 'bash', input: { command: 'run a' } },
            { type: 'tool_use', id: 'b', name: 'bash', input: { command: 'run b' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'output of a' },
            { type: 'tool_result', tool_use_id: 'b', content: 'output of b', is_error: true },
          ],
        },
        { role: 'assistant', content: [text('done')] },
      ],
    })
  })

  it('begins with a user turn when the window begins with the assistant', () => {
    using memory = messages({ role: 'assistant', content: 'hello' })
    expect(render(memory, 'anthropic').messages.map((message) => message.role)).toEqual(['user', 'assistant'])
  })

  it('passes on arguments that are no JSON object', () => {
    const withInput = (input: string | null): MessageSpec =>
      call(['c'], { parts: [{ part_type: 'tool', tool_call_id: 'c', tool_name: 't', tool_input: input }] })
    for (const [stored, sent] of [
      ['{"a":1}', { a: 1 }],
      ['{broken', { input: '{broken' }],
      ['[1]', { input: [1] }],
      [null, {}],
    ] as const) {
      using memory = messages('go', withInput(stored))
      const content = render(memory, 'anthropic').messages[1]?.content
      expect(content).toMatchObject([{ type: 'text' }, { type: 'tool_use', input: sent }])
    }
  })
})

describe('a payload for OpenAI', () => {
  it('has calls as tool_calls and results as tool messages', () => {
    using memory = messages(
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'go' },
      call(['a']),
      result('a'),
    )
    expect(render(memory, 'openai')).toEqual({
      provider: 'openai',
      system: null,
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: 'calling a',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'bash', arguments: '{"command":"run a"}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'output of a' },
      ],
    })
  })
})

describe('a rendered summary', () => {
  it('has its id, kind, depth, descendants, messages, time range and sources', () => {
    using memory = messages('one', 'two', 'three')
    const id = memory.leaf(1, [1, 2], { content: 'They said one & two.' })
    const [first] = render(memory, 'openai').messages
    expect(first).toEqual({
      role: 'user',
      content: [
        `<summary id="${id}" kind="leaf" depth="0" descendant_count="0" messages="2" earliest_at="2026-03-02T09:00:00.000Z" latest_at="2026-03-02T09:01:00.000Z">`,
        '<sources>msg_1 msg_2</sources>',
        '<content>',
        'They said one &amp; two.',
        '</content>',
        '</summary>',
      ].join('\n'),
    })
  })

  it('names the large files that it stands for and its text does not name', () => {
    using memory = messages('one', 'two')
    const [named, unnamed] = [memory.largeFile(1), memory.largeFile(1)]
    const fileIds = [unnamed, named, 'file_that_is_not_there']
    memory.leaf(1, [1, 2], { content: `A short note on ${named}.`, fileIds })
    const [first] = render(memory, 'openai').messages
    expect(JSON.stringify(first)).toContain(`<files>${unnamed}</files>`)
  })

  // "Summaries render as an XML wrapper": no text in the file may end it or begin another.
  it('cannot break out of its wrapper', () => {
    const hostile = fc.array(
      fc.constantFrom(
        '</summary>',
        '</content>',
        '<summary id="x">',
        ']]>',
        '&lt;',
        '"',
        "'",
        '\u0000',
        '\ud800',
        'text',
      ),
      { minLength: 1, maxLength: 8 },
    )
    fc.assert(
      fc.property(hostile, fc.string({ minLength: 1 }), (pieces, id) => {
        using memory = messages('one', 'two')
        const content = `${pieces.join('')}.`
        memory.leaf(1, [1], { content, id: `sum_"<${id}` })
        const text = String(render(memory, 'openai').messages[0]?.content)
        expect(text.match(/<\/?[a-z]/g)).toEqual(['<s', '<s', '</s', '<c', '</c', '</s'])
        expect(text.endsWith('\n</content>\n</summary>')).toBe(true)
        expect(text).not.toContain('\u0000')
        expect(text.isWellFormed()).toBe(true)
      }),
      { numRuns: runs(40) },
    )
  })
})

/** The ids of calls in a payload for OpenAI, and the results that answer them, in order. */
function callsAndResults(memory: TestMemory): string[] {
  type Sent = { tool_calls?: { id: string }[]; tool_call_id?: string; content: string | null }
  return (render(memory, 'openai').messages as unknown as Sent[]).flatMap(({ tool_calls, tool_call_id, content }) =>
    tool_call_id === undefined
      ? [...(content === null ? [] : [content]), ...(tool_calls ?? []).map(({ id }) => `call ${id}`)]
      : [`${tool_call_id}: ${content}`],
  )
}

const NO_RESULT = '[no result was recorded before the next message]'

describe('a call id that was stored twice', () => {
  it('is sent once when the message with its open calls was stored again', () => {
    using memory = messages('go', call(['x', 'y']), call(['x', 'y']), result('y'), call(['x', 'y']), result('x'), 'ok')
    expect(callsAndResults(memory)).toEqual([
      'go',
      'calling x and y',
      'call x',
      'call y',
      'y: output of y',
      'x: output of x',
      'ok',
    ])
  })

  it('is not sent again when something else was said before the call was made again', () => {
    using memory = messages('go', call(['x']), 'wait', call(['x']), 'ok')
    expect(callsAndResults(memory)).toEqual(['go', 'calling x', 'call x', `x: ${NO_RESULT}`, 'wait', 'calling x', 'ok'])
  })

  it('stands for one call alone when its first call was answered or was another call', () => {
    const other: MessageSpec = {
      parts: [{ part_type: 'tool', tool_call_id: 'x', tool_name: 'bash', tool_input: '{"command":"another"}' }],
    }
    using memory = messages('go', call(['x']), result('x'), call(['x']), call(['x'], other), result('x'), call(['x_2']))
    expect(callsAndResults(memory)).toEqual([
      'go',
      'calling x',
      'call x',
      'x: output of x',
      'calling x',
      'call x_2',
      `x_2: ${NO_RESULT}`,
      'calling x',
      'call x_3',
      'x_3: output of x',
      'calling x_2',
      'call x_2_2',
    ])
  })
})

/** A message that the program put before the model, as an import of Claude Code's attachments stores it. */
const attachment = (content: string, role: 'user' | 'system' = 'user'): MessageSpec => ({
  role,
  content,
  parts: [{ part_type: 'text', is_content: 1, metadata: '{"attachment":"hook_additional_context"}' }],
})

describe('what a program attached while a call ran', () => {
  it('follows the results of the call, which are neither missing nor late', () => {
    const first = attachment('before the command')
    const second = attachment('between two results', 'system')
    using memory = messages('go', call(['x', 'y']), first, result('x'), second, result('y'), 'ok')
    expect(callsAndResults(memory)).toEqual([
      'go',
      'calling x and y',
      'call x',
      'call y',
      'x: output of x',
      'y: output of y',
      'before the command',
      'between two results',
      'ok',
    ])
    const sent = render(memory, 'anthropic').messages.map(({ role, content }) => [role, (content as unknown[]).length])
    expect(sent).toEqual([
      ['user', 1],
      ['assistant', 3],
      ['user', 5],
    ])
  })

  it('follows a call that was never answered, once the conversation goes on', () => {
    const begun = ['go', call(['x']), attachment('before the command')] as const
    using open = messages(...begun)
    expect(callsAndResults(open)).toEqual(['go', 'calling x', 'call x'])
    using closed = messages(...begun, 'wait')
    expect(callsAndResults(closed)).toEqual([
      'go',
      'calling x',
      'call x',
      `x: ${NO_RESULT}`,
      'before the command',
      'wait',
    ])
  })
})

type Step = {
  readonly role: MessageSpec['role'] | 'attachment'
  readonly text: string
  readonly calls: number
  readonly repeats: number
  readonly answers: number
}

/** Random turns, with calls that are answered at once, late, twice or never, and ids that are used again. */
const history = fc.array(
  fc.record<Step>({
    role: fc.constantFrom('user', 'assistant', 'assistant', 'tool', 'tool', 'system', 'attachment'),
    text: fc.constantFrom('', ' ', 'hello', 'two words', '中文'),
    calls: fc.nat(2),
    repeats: fc.constantFrom(0, 0, 0, 1, 2),
    answers: fc.nat(3),
  }),
  { minLength: 1, maxLength: 14 },
)

function toMessages(steps: readonly Step[]): MessageSpec[] {
  const made: string[] = []
  return steps.map(({ role, text, calls, repeats, answers }): MessageSpec => {
    if (role === 'tool') return result(made.at(-1 - answers) ?? `unknown-${answers}`, { content: text || 'output' })
    if (role === 'attachment') return attachment(text)
    if (role !== 'assistant') return { role, content: text }
    const ids = Array.from({ length: calls }, (_, index) => `call-${made.length + index}`)
    const again = repeats > 0 ? made.slice(-repeats) : []
    made.push(...ids)
    return call([...again, ...ids], { content: text })
  })
}

/** The payload as the sequence of what a provider caches: one entry a block. */
function blocks(memory: TestMemory, provider: Provider): string[] {
  const { system, messages: list } = render(memory, provider)
  return [
    ...(system === null ? [] : system.split('\n\n').map((text) => `system ${text}`)),
    ...list.flatMap((message) => {
      const content = Array.isArray(message.content) ? message.content : [message.content]
      const calls = Array.isArray(message.tool_calls) ? message.tool_calls : []
      return [...content, ...calls].map((block) => JSON.stringify([message.role, message.tool_call_id, block]))
    }),
  ]
}

describe('a payload for any provider', () => {
  // "Between compactions the rendering only grows at its end (prompt-cache safe)."
  it('grows only at its end while messages are appended', () => {
    fc.assert(
      fc.property(history, fc.constantFrom<Provider>('anthropic', 'openai'), (steps, provider) => {
        using memory = messages()
        let before: string[] = []
        for (const message of toMessages(steps)) {
          memory.message(1, message)
          const after = blocks(memory, provider)
          expect(after.slice(0, before.length)).toEqual(before)
          before = after
        }
      }),
      { numRuns: runs(60) },
    )
  })

  it('answers every call before any other text, and no other call, and has each id once', () => {
    fc.assert(
      fc.property(history, (steps) => {
        using memory = messages(...toMessages(steps))
        const sent = render(memory, 'anthropic').messages as { role: string; content: Record<string, string>[] }[]
        const ids = sent.flatMap(({ content }) => content.flatMap(({ type, id }) => (type === 'tool_use' ? id : [])))
        expect(new Set(ids).size).toBe(ids.length)
        sent.forEach((message, index) => {
          expect(message.role).toBe(index % 2 === 0 ? 'user' : 'assistant')
          const called = message.content.filter((block) => block.type === 'tool_use').map((block) => block.id)
          const answers = sent[index + 1]?.content.slice(0, called.length) ?? []
          if (sent[index + 1] && called.length > 0 && index < sent.length - 2) {
            expect(answers.map((block) => block.tool_use_id).toSorted()).toEqual(called.toSorted())
          }
          for (const block of message.content) {
            if (block.type !== 'tool_result') continue
            expect(sent[index - 1]?.content.some((other) => other.id === block.tool_use_id)).toBe(true)
          }
        })
      }),
      { numRuns: runs(60) },
    )
  })
})
