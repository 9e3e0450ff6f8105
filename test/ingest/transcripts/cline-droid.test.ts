import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compare } from '#test/builders/coverage.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne, runImport } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { told, windowOf, writeLines } from '#test/builders/transcript-rows.ts'

const SAMPLE = join(import.meta.dirname, 'samples', 'cline.json')

describe('an import of Cline', () => {
  it('takes usage and the system prompt, and title and folder from the file beside', async () => {
    using memory = buildMemory()
    const folder = temporaryFolder()
    const path = join(folder, '1772442000000_abcde.messages.json')
    copyFileSync(SAMPLE, path)
    const beside = { session_id: '1772442000000_abcde', cwd: '/home/me/shop', metadata: { title: 'The port' } }
    writeFileSync(join(folder, '1772442000000_abcde.json'), JSON.stringify(beside))
    expect(await importOne(memory.db, path)).toMatchObject({ format: 'cline', added: 5, skippedCount: 0 })
    expect(memory.db.get('SELECT title, logical_key AS cwd FROM conversations')).toEqual({
      title: 'The port',
      cwd: '/home/me/shop',
    })
    expect(
      memory.db.get(
        `SELECT step_tokens_in AS input, step_tokens_out AS output, metadata FROM message_parts
         WHERE part_type = 'step_finish'`,
      ),
    ).toMatchObject({ input: 1210, output: 37, metadata: expect.stringContaining('"cacheReadTokens":1000') })
    expect(await compare(memory.path, path)).toMatchObject({ isEverything: true })
  })

  it('names a session after what a person typed, and links a sub-agent with it in any order', async () => {
    using memory = buildMemory()
    const folder = temporaryFolder()
    const session = { sessionId: 's', agent: 'lead', origin: { mode: 'user' } }
    const child = { sessionId: 's__agent_1', agent: 'subagent', origin: { mode: 'subagent', parentThreadId: 's' } }
    const said = (text: string) => [
      { id: `of ${text}`, role: 'user', content: [{ type: 'text', text }], ts: 1_772_442_001_000 },
    ]
    const write = (name: string, value: object) => writeFileSync(join(folder, name), JSON.stringify(value))
    write('agent_1.messages.json', { ...child, messages: said('A task.') })
    write('s.messages.json', { ...session, messages: said('<user_input mode="act">Hand it on.</user_input>') })
    await runImport(memory.db, [folder])
    expect(
      memory.db.all(
        `SELECT c.title, p.session_id AS parent FROM conversations AS c
         LEFT JOIN conversations AS p ON p.conversation_id = c.parent_conversation_id ORDER BY c.session_id`,
      ),
    ).toEqual([
      { title: 'Hand it on.', parent: null },
      { title: 'A task.', parent: 's' },
    ])
  })
})

describe('an import of Droid', () => {
  const at = (second: number): string => new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString()
  const message = (id: string, second: number, role: string, content: unknown) => ({
    type: 'message',
    id,
    timestamp: at(second),
    message: { role, content: typeof content === 'string' ? [{ type: 'text', text: content }] : content },
  })
  const start = { type: 'session_start', id: 'droid-1', cwd: '/home/me/shop', version: 2 }

  it('pairs calls with their results, and names the session after what a person typed', async () => {
    using memory = buildMemory()
    const reminder = '<system-reminder>\nBe concise.\n</system-reminder>\n\nLook around.'
    const path = writeLines([
      start,
      message('a', 1, 'user', reminder),
      message('b', 2, 'assistant', [{ type: 'tool_use', id: 't', name: 'LS', input: { directory_path: '.' } }]),
      message('c', 3, 'user', [{ type: 'tool_result', tool_use_id: 't', content: 'two files' }]),
    ])
    expect(await importOne(memory.db, path)).toMatchObject({ format: 'droid', added: 3, skippedCount: 0 })
    expect(told(memory).slice(1)).toEqual(['assistant: ', 'tool: two files'])
    expect(memory.db.get('SELECT title, session_id AS id FROM conversations')).toEqual({
      title: 'Look around.',
      id: 'droid-1',
    })
    expect(await importOne(memory.db, path)).toMatchObject({ added: 0, alreadyThere: 3, conflicts: 0 })
  })

  it('takes the summary of a compaction in the place of the messages that it removed', async () => {
    using memory = buildMemory()
    const long = (what: string): string => `${what} ${'in many words '.repeat(20)}`.trim()
    const path = writeLines([
      start,
      ...['one', 'two', 'three'].map((text, n) => message(`m${n}`, n, n === 1 ? 'assistant' : 'user', long(text))),
      { type: 'compaction_state', id: 'k', timestamp: at(9), summaryText: long('the summary'), removedCount: 2 },
      message('d', 10, 'assistant', long('four')),
    ])
    expect(await importOne(memory.db, path)).toMatchObject({ compactions: 1, added: 5 })
    const window = windowOf(memory).map((line) => line.split(' in many words')[0])
    expect(window).toEqual(['leaf(unknown): the summary', 'user: three', 'assistant: four'])
  })

  it('keeps in the window what stands behind the message that a later compaction names as its last one', async () => {
    using memory = buildMemory()
    const long = (what: string): string => `${what} ${'in many words '.repeat(20)}`.trim()
    const compaction = (id: string, n: number, text: string) => ({
      ...{ type: 'compaction_state', id, timestamp: at(n), summaryText: long(text), removedCount: 1 },
      anchorMessage: { id: 'm0', index: 0 },
    })
    const path = writeLines([
      start,
      ...['one', 'two', 'three'].map((text, n) => message(`m${n}`, n, n === 1 ? 'assistant' : 'user', long(text))),
      compaction('k', 4, 'the first summary'),
      message('m4', 5, 'assistant', long('four')),
      compaction('l', 6, 'the second summary'),
      message('m5', 7, 'user', long('five')),
    ])
    expect(await importOne(memory.db, path)).toMatchObject({ compactions: 2, skippedCount: 0 })
    const texts = sentWindow(memory).texts.map((text) => text.split(' in many words')[0]?.split('\n').at(-1))
    expect(texts).toEqual(['the second summary', 'two', 'three', 'four', 'five'])
    expect(await findings(memory.path)).toEqual([])
  })

  it('stores of a fork what its parent does not have, and leaves out what only the person sees', async () => {
    using memory = buildMemory()
    const asked = message('m1', 1, 'user', 'hello')
    const answer = message('m2', 2, 'assistant', 'hi')
    const parent = writeLines([start, asked, answer])
    const fork = writeLines([
      { ...start, id: 'droid-2', parent: 'droid-1', forkedAtMessageId: 'm2' },
      ...[asked, answer],
      { ...message('context-m3', 3, 'user', 'The tools are these.'), visibility: 'llm_only' },
      message('m3', 4, 'user', 'another way'),
      { ...message('m4', 5, 'user', 'The program was updated.'), visibility: 'user_only' },
      message('m5', 6, 'assistant', 'goes on'),
    ])
    const { files } = await runImport(memory.db, [fork, parent])
    expect(files.map(({ added }) => added)).toEqual([6, 0])
    expect(told(memory, 'droid-1')).toEqual(['user: hello', 'assistant: hi'])
    const own = ['The tools are these.', 'another way', 'goes on']
    expect(sentWindow(memory, 'droid-2').texts).toEqual(['hello', 'hi', ...own])
    expect(told(memory, 'droid-2')).toContain('user: The program was updated.')
    expect(await findings(memory.path)).toEqual([])
  })
})
