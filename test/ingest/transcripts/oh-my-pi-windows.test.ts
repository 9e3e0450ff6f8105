import { describe, expect, it } from 'vitest'
import { openLcm } from '#core/lcm.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { piChain, piHeader, piSaid } from '#test/builders/pi-session.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { writeLines } from '#test/builders/transcript-rows.ts'

type Entry = Readonly<Record<string, unknown>>
const title = { type: 'title', v: 1, title: '', updatedAt: '2026-09-02T10:00:00.000Z', pad: '    ' }

const session = (...entries: readonly Entry[]): Entry[] => [title, piHeader('omp-w'), ...piChain(...entries)]
const called = (id: string, more: Entry = {}): Entry => ({
  type: 'message',
  message: { role: 'assistant', content: [{ type: 'toolCall', id, name: 'read', arguments: { path: 'a' } }], ...more },
})
const result = (toolCallId: string, text: string, more: Entry = {}): Entry =>
  piSaid('toolResult', text, { toolCallId, toolName: 'read', ...more })

async function imported(memory: TestMemory, entries: readonly Entry[]): Promise<readonly string[]> {
  expect(await importOne(memory.db, writeLines([...entries]))).toMatchObject({ skippedCount: 0 })
  expect(await findings(memory.path)).toEqual([])
  return sentWindow(memory).texts
}

describe('the window of a session of oh-my-pi', () => {
  it('has only what was said since the person cleared it, and keeps the rest in the memory', async () => {
    using memory = buildMemory()
    const before = [
      piSaid('user', 'one'),
      piSaid('assistant', 'answer one'),
      { type: 'compaction', summary: 'Told.', firstKeptEntryId: 'e2', tokensBefore: 900 },
      piSaid('user', 'two'),
    ]
    const after = [piSaid('user', 'three'), piSaid('assistant', 'answer three')]
    expect(await imported(memory, session(...before))).toContain('two')
    const texts = await imported(memory, session(...before, { type: 'reset_boundary' }, ...after))
    expect(texts).toEqual(['three', 'answer three'])
    const kept = memory.db.column<string>("SELECT content FROM messages WHERE role = 'user' ORDER BY seq")
    expect(kept).toEqual(['one', 'Told.', 'two', 'three'])
  })

  it('has the notice that the agent wrote over a result, whose text an earlier import keeps', async () => {
    using memory = buildMemory()
    const notice = '[Superseded by a newer read of this file]'
    const read = (text: string, more: Entry = {}): Entry[] =>
      session(piSaid('user', 'one'), called('c1'), result('c1', text, more), piSaid('assistant', 'done'))
    expect(await imported(memory, read('the long text of a file'))).toContain('the long text of a file')
    const texts = await imported(memory, read(notice, { prunedAt: 1_796_043_949_472 }))
    expect(texts).toEqual(['one', 'call read', notice, 'done'])
    expect(memory.db.value("SELECT content FROM messages WHERE role = 'tool'")).toBe('the long text of a file')
  })

  it('has neither an answer that failed or was asked for again, nor the results of its calls', async () => {
    using memory = buildMemory()
    const entries = session(
      piSaid('user', 'one'),
      called('c1', { stopReason: 'aborted' }),
      result('c1', 'interrupted'),
      piSaid('assistant', 'half', { retryRecovery: { attempts: 1 } }),
      piSaid('assistant', 'whole', { stopReason: 'stop' }),
    )
    expect(await imported(memory, entries)).toEqual(['one', 'whole'])
  })

  it('has the files that a prompt named, and the Python that the person ran unless it was for the person alone', async () => {
    using memory = buildMemory()
    const files = [
      { path: 'notes.md', content: 'remember this' },
      { path: 'big.bin', content: '', skippedReason: 'binary' },
    ]
    const python = (code: string, output: string, more: Entry = {}): Entry => ({
      type: 'message',
      message: { role: 'pythonExecution', code, output, exitCode: 0, cancelled: false, truncated: false, ...more },
    })
    const entries = session(
      piSaid('user', 'look at @notes.md'),
      { type: 'message', message: { role: 'fileMention', files } },
      python('print(6 * 7)', '42'),
      python('1 / 0', '', { exitCode: 1 }),
      python('secret', 'hidden', { excludeFromContext: true }),
      python('while True: pass', '', { cancelled: true, exitCode: undefined }),
    )
    expect(await imported(memory, entries)).toEqual([
      'look at @notes.md',
      '<file path="notes.md">\nremember this\n</file>\n<file path="big.bin">\n</file>',
      'Ran Python:\n```python\nprint(6 * 7)\n```\nOutput:\n```\n42\n```',
      'Ran Python:\n```python\n1 / 0\n```\n(no output)\n\nExecution failed with code 1',
      'Ran Python:\n```python\nwhile True: pass\n```\n(no output)\n\n(execution cancelled)',
    ])
  })

  it('begins in a sub-agent with its system prompt, and the sub-agent is no fork of the session that started it', async () => {
    using memory = buildMemory()
    await imported(memory, session(piSaid('user', 'one'), called('c1'), result('c1', 'started')))
    const entries = piChain(
      { type: 'session_init', systemPrompt: 'You are a scout.', task: 'look', tools: ['read'] },
      piSaid('user', 'look'),
      piSaid('assistant', 'seen'),
    )
    const own = { ...piHeader('omp-scout'), parentSession: '/sessions/2026-09-02T10-00-00_omp-w.jsonl' }
    await importOne(memory.db, writeLines([title, own, ...entries]))
    expect(sentWindow(memory, 'omp-scout').texts).toEqual(['You are a scout.', 'look', 'seen'])
    const family = await (await openLcm(memory.path)).families.of(2)
    expect(family.members.map(({ conversationId, relation }) => [conversationId, relation])).toEqual([
      [1, null],
      [2, 'sub-agent'],
    ])
  })

  it('has the title that was given last', async () => {
    using memory = buildMemory()
    await imported(memory, session(piSaid('user', 'one'), { type: 'title_change', title: 'Ports', source: 'auto' }))
    expect(memory.db.value('SELECT title FROM conversations')).toBe('Ports')
  })
})
