import { appendFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { TranscriptBuilder, text } from '../builders/claude-code.ts'
import { findings } from '../builders/findings.ts'
import { importOne } from '../builders/import.ts'
import { buildMemory } from '../builders/memory.ts'
import { dump, told, windowOf, writeLines } from '../builders/transcript-rows.ts'

const NOTE = /^leaf\(deterministic\): \[(\d+) messages? on a branch that was given up/
const long = (what: string): string => `${what} ${'in many words '.repeat(20)}`.trim()

/** The window with branches as `(n)`, and of messages the first word. */
const shape = (window: readonly string[]): string[] =>
  window.map((item) => NOTE.exec(item)?.[1]?.replace(/.*/, '($&)') ?? (item.split(': ')[1] ?? '').split(' ')[0] ?? '')

describe('a branch that was given up', () => {
  it('leaves the window in Claude Code, and stays in the history under a note', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    const fork = story.user(long('start'))
    story.user(long('left'), { parentUuid: fork })
    story.answer('msg_1', [text(long('answer'))])
    story.user(long('taken'), { parentUuid: fork })
    story.answer('msg_2', [text(long('end'))])
    const path = story.write()
    await importOne(memory.db, path)
    expect(shape(windowOf(memory))).toEqual(['start', '(2)', 'taken', 'end'])
    expect(told(memory)).toHaveLength(5)
    const before = dump(memory)
    await importOne(memory.db, path)
    expect(dump(memory)).toEqual(before)
    expect(await findings(memory.path)).toEqual([])
  })

  it('leaves the window when the person goes back after an import, and returns when the person does', async () => {
    const entry = (id: string, parentId: string | null, words: string) => ({
      type: 'message',
      id,
      parentId,
      timestamp: '2026-03-02T09:00:00.000Z',
      message: { role: 'user', content: long(words) },
    })
    const header = { type: 'session', version: 3, id: 'pi-1', timestamp: '2026-03-02T09:00:00.000Z', cwd: '/' }
    using memory = buildMemory()
    const path = writeLines([header, entry('a', null, 'start'), entry('b', 'a', 'one'), entry('c', 'b', 'two')])
    await importOne(memory.db, path)
    expect(shape(windowOf(memory))).toEqual(['start', 'one', 'two'])
    appendFileSync(path, `${JSON.stringify(entry('d', 'a', 'other'))}\n`)
    await importOne(memory.db, path)
    expect(shape(windowOf(memory))).toEqual(['start', '(2)', 'other'])
    expect(await findings(memory.path)).toEqual([])
    appendFileSync(path, `${JSON.stringify(entry('e', 'c', 'again'))}\n`)
    await importOne(memory.db, path)
    expect(shape(windowOf(memory))).toEqual(['start', 'one', 'two', '(1)', 'again'])
    expect(await findings(memory.path)).toEqual([])
    using fresh = buildMemory()
    await importOne(fresh.db, path)
    expect(windowOf(fresh)).toEqual(windowOf(memory))
  })

  it('leaves the window in Gemini CLI unless it is all that stands at the end', async () => {
    const record = (id: string, words: string) => ({
      id,
      type: 'user',
      timestamp: '2026-03-02T09:00:00Z',
      content: long(words),
    })
    const lines: unknown[] = [
      { sessionId: 'g-1', projectHash: 'p', startTime: '2026-03-02T09:00:00Z' },
      record('a', 'stays'),
      record('b', 'goes'),
      { $rewindTo: 'b' },
    ]
    using memory = buildMemory()
    const path = writeLines(lines)
    await importOne(memory.db, path)
    expect(shape(windowOf(memory))).toEqual(['stays', 'goes'])
    appendFileSync(path, `${JSON.stringify(record('c', 'new'))}\n`)
    await importOne(memory.db, path)
    expect(shape(windowOf(memory))).toEqual(['stays', '(1)', 'new'])
    expect(await findings(memory.path)).toEqual([])
  })

  it('leaves the window together with the rest of a message that was imported half written', async () => {
    const record = (id: string, type: string, content: string) => ({ id, type, timestamp: at, content })
    const at = '2026-03-02T09:00:00Z'
    const begin = [{ sessionId: 'g-1', projectHash: 'p', startTime: at }, record('a', 'user', long('stays'))]
    using memory = buildMemory()
    await importOne(memory.db, writeLines([...begin, record('b', 'gemini', long('goes'))]))
    const answer = record('b', 'gemini', `${long('goes')} and the rest`)
    const path = writeLines([...begin, answer, { $rewindTo: 'b' }, record('c', 'user', long('new'))])
    for (let times = 0; times < 2; times += 1) {
      await importOne(memory.db, path)
      expect(shape(windowOf(memory))).toEqual(['stays', '(1)', 'new'])
    }
    expect(memory.db.value("SELECT content FROM messages WHERE external_id = 'b'")).toMatch(/ and the rest$/)
    expect(await findings(memory.path)).toEqual([])
  })
})
