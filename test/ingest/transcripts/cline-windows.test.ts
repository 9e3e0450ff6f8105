import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compare } from '#test/builders/coverage.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { told } from '#test/builders/transcript-rows.ts'

const START = Date.UTC(2026, 10, 30, 9)
type Message = { readonly id: string; readonly role: string; readonly content: unknown; readonly ts: number }

const message = (number: number, role: string, content: unknown): Message => ({
  id: `m${number}`,
  role,
  content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  ts: START + 1000 * number,
})
const asked = (number: number, text: string) => message(number, 'user', `<user_input mode="act">${text}</user_input>`)
const answer = (number: number, text: string) => message(number, 'assistant', text)

type Beside = { readonly metadata?: object; readonly compaction?: object }
type Session = Beside & { readonly id: string; readonly messages: readonly Message[] }

/** Writes the files of sessions into one folder and imports them one after the other. */
async function imported(memory: TestMemory, ...sessions: readonly Session[]): Promise<string> {
  const folder = temporaryFolder()
  for (const { id, messages, metadata = {}, compaction } of sessions) {
    const write = (name: string, value: object) => writeFileSync(join(folder, name), JSON.stringify(value))
    const session = { sessionId: id, agent: 'lead', origin: { mode: 'user' }, system_prompt: 'Rules.' }
    write(`${id}.messages.json`, { ...session, messages })
    write(`${id}.json`, { session_id: id, metadata })
    if (compaction) write(`${id}.compaction.json`, compaction)
    const path = join(folder, `${id}.messages.json`)
    expect(await importOne(memory.db, path)).toMatchObject({ error: null, skippedCount: 0, conflicts: 0 })
  }
  expect(await findings(memory.path)).toEqual([])
  return folder
}

const withoutMarks = (texts: readonly string[]): string[] =>
  texts.map((text) => text.replace(/.*<content>\n(.*)\n<\/content>.*/s, '$1'))

describe('the window of a session of Cline', () => {
  it('has the results of calls as they are sent, and the words of the person without marks', async () => {
    using memory = buildMemory()
    const call = { type: 'tool_use', id: 'c1', name: 'run_commands', input: { commands: ['date'] } }
    const results = [{ query: 'date', result: 'Monday', success: true }]
    const read = [
      { type: 'text', text: 'Read.' },
      { type: 'image', data: 'AAAA', mediaType: 'image/png' },
    ]
    const messages = [
      asked(1, 'go'),
      message(2, 'assistant', [call, { ...call, id: 'c2' }]),
      message(3, 'user', [
        { type: 'tool_result', tool_use_id: 'c1', content: results },
        { type: 'tool_result', tool_use_id: 'c2', content: [{ query: 'p.png', result: read, success: true }] },
      ]),
    ]
    const folder = await imported(memory, { id: 's', messages })
    expect(sentWindow(memory).texts).toEqual([
      ...['Rules.', 'go', 'call run_commands', 'call run_commands'],
      '[{"query":"date","result":"Monday","success":true}]',
      '[{"query":"p.png","result":["Read."],"success":true}]\n[image image/png 3 bytes]',
    ])
    expect(await compare(memory.path, join(folder, 's.messages.json'))).toMatchObject({ isEverything: true })
  })

  it('has the files that the person attached', async () => {
    using memory = buildMemory()
    const file = { type: 'file', path: '/w/a.txt', content: 'alpha' }
    const text = '<user_input mode="plan">see @a.txt</user_input>'
    await imported(memory, { id: 's', messages: [message(1, 'user', [{ type: 'text', text }, file])] })
    expect(sentWindow(memory).texts).toEqual([
      'Rules.',
      'see @a.txt\n\n<file_content path="/w/a.txt">\nalpha\n</file_content>',
    ])
  })

  const messages = [asked(1, 'one'), answer(2, 'answer one'), asked(3, 'two'), answer(4, 'answer two')]
  const compacted = { updated_at: new Date(START + 4500).toISOString(), source_last_message_key: 'id:m4' }

  it('has the summary of a compaction, what was kept, and what came since', async () => {
    using memory = buildMemory()
    const facts = { kind: 'compaction_summary', tokensBefore: 900 }
    const summary = { role: 'user', content: [{ type: 'text', text: 'Told.' }], metadata: facts }
    const compaction = { ...compacted, messages: [summary, ...messages.slice(2)] }
    await imported(memory, { id: 's', messages: [...messages, asked(5, 'three')], compaction })
    expect(withoutMarks(sentWindow(memory).texts)).toEqual(['Rules.', 'Told.', 'two', 'answer two', 'three'])
  })

  it('has what a compaction without a model made of the messages', async () => {
    using memory = buildMemory()
    const note = '<SYSTEM_NOTICE>\nCommands ran:\ndate</SYSTEM_NOTICE>'
    const noted = (one: Message) => ({ ...one, content: [...(one.content as object[]), { type: 'text', text: note }] })
    const [first, second, third, fourth] = messages as [Message, Message, Message, Message]
    const begin = { ...noted(first), metadata: { kind: 'compaction', reason: 'manual_compaction' } }
    const compaction = { ...compacted, messages: [begin, second, noted(third), fourth] }
    await imported(memory, { id: 's', messages, compaction })
    expect(withoutMarks(sentWindow(memory).texts)).toEqual([
      ...['Rules.', `one\n\n${note.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}`, 'answer one'],
      ...[`two\n\n${note}`, 'answer two'],
    ])
  })
})

describe('a fork of a session of Cline', () => {
  const shared = [asked(1, 'one'), answer(2, 'answer one')]
  const parent: Session = { id: '100_a', messages: [...shared, asked(3, 'two'), answer(4, 'answer two')] }
  const forkedAt = new Date(START + 5000).toISOString()
  const metadata = { fork: { forkedFromSessionId: '100_a', forkedAt } }
  const fork: Session = { id: '200_b', messages: [...parent.messages, asked(6, 'in the fork')], metadata }

  it.each([
    ['the parent first', [parent, fork]],
    ['the fork first', [fork, parent]],
  ] as const)('stores everything once, %s', async (_, sessions) => {
    using memory = buildMemory()
    await imported(memory, ...sessions)
    expect(told(memory, '200_b')).toEqual(['user: in the fork'])
    const texts = ['Rules.', 'one', 'answer one', 'two', 'answer two']
    expect(sentWindow(memory, '100_a').texts).toEqual(texts)
    expect(sentWindow(memory, '200_b').texts).toEqual([...texts, 'in the fork'])
  })

  it('has the messages that a compaction replaced in its parent', async () => {
    using memory = buildMemory()
    const facts = { kind: 'compaction_summary', tokensBefore: 900 }
    const summary = { role: 'user', content: [{ type: 'text', text: 'Told.' }], metadata: facts }
    const at = { updated_at: new Date(START + 2500).toISOString(), source_last_message_key: 'id:m2' }
    await imported(memory, { ...parent, compaction: { ...at, messages: [summary] } }, fork)
    expect(withoutMarks(sentWindow(memory, '100_a').texts)).toEqual(['Rules.', 'Told.', 'two', 'answer two'])
    const texts = ['Rules.', 'one', 'answer one', 'two', 'answer two', 'in the fork']
    expect(sentWindow(memory, '200_b').texts).toEqual(texts)
  })

  it('recognises by its messages a session that began when somebody went back', async () => {
    using memory = buildMemory()
    await imported(memory, parent, { id: '200_b', messages: [...shared, asked(6, 'another')] })
    expect(told(memory, '200_b')).toEqual(['user: another'])
    expect(sentWindow(memory, '200_b').texts).toEqual(['Rules.', 'one', 'answer one', 'another'])
    expect(sentWindow(memory, '100_a').texts.at(-1)).toBe('answer two')
  })

  it('takes no session for a fork that has nothing but the system prompt of another one', async () => {
    using memory = buildMemory()
    const other = { ...asked(8, 'else'), id: 'other' }
    await imported(memory, parent, { id: '200_b', messages: [other] })
    expect(sentWindow(memory, '200_b').texts).toEqual(['Rules.', 'else'])
  })
})
