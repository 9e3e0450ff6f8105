import { appendFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { call, TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { dump, told, writeLines } from '#test/builders/transcript-rows.ts'

const long = (what: string): string => `${what} ${'in many words '.repeat(20)}`.trim()

/** The first words of what a provider is sent. */
const sent = (memory: TestMemory): string[] =>
  sentWindow(memory).texts.map((words) => words.replace('[start of the context window]', '').split(' ')[0] ?? '')

/** What the window shows of messages on branches that were given up. */
const shownAside = (memory: TestMemory) =>
  sentWindow(memory)
    .context.items.filter(({ pruned }) => pruned?.by === 'branch')
    .map(({ included, tokens, reason, excerpt }) => [excerpt.split(' ')[0], included, tokens, reason])
const aside = (word: string) => [word, false, 0, 'out: on a branch that was given up']

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
    expect(sent(memory)).toEqual(['start', 'taken', 'end'])
    expect(shownAside(memory)).toEqual([aside('left'), aside('answer')])
    const { context } = sentWindow(memory)
    const counted = memory.db.value(
      "SELECT sum(token_count) FROM messages WHERE content NOT LIKE 'left%' AND content NOT LIKE 'answer%'",
    )
    expect([context.tokens, context.activeTokens]).toEqual([counted, counted])
    expect(memory.db.value('SELECT count(*) FROM summaries')).toBe(0)
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
    expect(sent(memory)).toEqual(['start', 'one', 'two'])
    appendFileSync(path, `${JSON.stringify(entry('d', 'a', 'other'))}\n`)
    await importOne(memory.db, path)
    expect(sent(memory)).toEqual(['start', 'other'])
    expect(await findings(memory.path)).toEqual([])
    appendFileSync(path, `${JSON.stringify(entry('e', 'c', 'again'))}\n`)
    await importOne(memory.db, path)
    expect(sent(memory)).toEqual(['start', 'one', 'two', 'again'])
    expect(shownAside(memory)).toEqual([aside('other')])
    expect(await findings(memory.path)).toEqual([])
    using fresh = buildMemory()
    await importOne(fresh.db, path)
    expect(sent(fresh)).toEqual(sent(memory))
  })

  it('leaves the window in Gemini CLI, also at the end of the session', async () => {
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
    expect(sent(memory)).toEqual(['stays'])
    appendFileSync(path, `${JSON.stringify(record('c', 'new'))}\n`)
    await importOne(memory.db, path)
    expect(sent(memory)).toEqual(['stays', 'new'])
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
      expect(sent(memory)).toEqual(['stays', 'new'])
    }
    expect(memory.db.value("SELECT content FROM messages WHERE external_id = 'b'")).toMatch(/ and the rest$/)
    expect(await findings(memory.path)).toEqual([])
  })

  it('takes its calls and their results with it', async () => {
    using memory = buildMemory()
    const story = new TranscriptBuilder()
    const fork = story.user('start')
    story.user('left', { parentUuid: fork })
    story.answer('msg_1', [call('toolu_1')])
    story.result('toolu_1', 'of the call')
    story.user('taken', { parentUuid: fork })
    story.answer('msg_2', [text('end')])
    await importOne(memory.db, story.write())
    expect(sent(memory)).toEqual(['start', 'taken', 'end'])
    expect(await findings(memory.path)).toEqual([])
  })
})
