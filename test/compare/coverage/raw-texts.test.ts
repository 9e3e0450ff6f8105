import { describe, expect, it } from 'vitest'
import { compare } from '#test/builders/coverage.ts'
import { importOne, runImport } from '#test/builders/import.ts'
import { largeFiles } from '#test/builders/large-files.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { writeLines } from '#test/builders/transcript-rows.ts'
import { transcriptSamples, writeSample } from '#test/builders/transcript-samples.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString()
const claude = (uuid: string, record: object) => ({ uuid, sessionId: 's-1', timestamp: at(1), ...record })
const said = (text: string, more: object = {}) => ({ type: 'user', message: { role: 'user', content: text, ...more } })

async function importedAnd(lines: readonly object[]) {
  using memory = buildMemory()
  const path = writeLines(lines)
  await importOne(memory.db, path)
  return await compare(memory.path, path)
}

describe('a comparison with a transcript', () => {
  it('finds a text in a field that the reader does not know, beside content that it knows', async () => {
    const report = await importedAnd([
      claude('u-1', said('Hello.')),
      claude('u-2', said('And more.', { footnotes: [{ words: 'The footnote of a later version.' }] })),
    ])
    expect(report).toMatchObject({ ok: false, isEverything: false, counts: { missing: 0 }, lostTextCount: 1 })
    expect(report.lostTexts).toEqual([
      { line: 2, field: 'message.footnotes[].words', excerpt: 'The footnote of a later version.' },
    ])
  })

  it('finds a text within JSON that stands escaped in a stored text', async () => {
    const found = JSON.stringify({ body: 'A "quoted" word,\nand a second line of the body.' })
    const blocks = ['The script has run.', found].map((text) => ({ type: 'text', text }))
    const call = { type: 'tool_use', id: 'call_1', name: 'fetch', input: {} }
    const result = { type: 'tool_result', tool_use_id: 'call_1', content: blocks }
    const report = await importedAnd([
      claude('u-1', said('Hello.')),
      claude('u-2', { parentUuid: 'u-1', type: 'assistant', message: { id: 'm', role: 'assistant', content: [call] } }),
      claude('u-3', { parentUuid: 'u-2', type: 'user', message: { role: 'user', content: [result] } }),
    ])
    expect(report).toMatchObject({ ok: true, lostTextCount: 0 })
  })

  it('says that everything is there only when every line was read', async () => {
    const lines = [claude('u-1', said('Hello.')), claude('u-2', said('And more.'))]
    expect(await importedAnd(lines)).toMatchObject({ ok: true, isEverything: true })
    const unread = { type: 'ledger', entries: ['a note of the program itself'] }
    expect(await importedAnd([...lines, unread])).toMatchObject({ ok: true, isEverything: false, skippedLines: 1 })
  })

  it('does not say so above numbers that differ, when messages stand in the session that was forked', async () => {
    using memory = buildMemory()
    const message = (id: string, parentId: string | null, second: number, content: string) => ({
      type: 'message',
      id,
      parentId,
      timestamp: at(second),
      message: { role: 'user', content },
    })
    const copied = [message('a', null, 1, 'one'), message('b', 'a', 2, 'two')]
    const header = { type: 'session', version: 3, timestamp: at(0), cwd: '/work' }
    const parent = writeLines([{ ...header, id: 'parent' }, ...copied], '2026_parent.jsonl')
    const fork = writeLines(
      [{ ...header, id: 'fork', timestamp: at(9), parentSession: parent }, ...copied, message('c', 'b', 10, 'three')],
      '2026_fork.jsonl',
    )
    await importOne(memory.db, parent)
    const { conversationId } = await importOne(memory.db, fork)
    const report = await compare(memory.path, fork, { conversationId: conversationId ?? 0 })
    expect(report).toMatchObject({ ok: true, isEverything: false, inTranscript: 3, inDatabase: 1 })
    expect(report.notes).toContain(
      '2 messages of the transcript stand in the conversation that this one was forked from.',
    )
  })

  it('takes the result of a tool for the same when its text stands in a file of the memory', async () => {
    const log = (name: string): string => `A line of the log of ${name}.\n`.repeat(100)
    const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: `make ${id}` } })
    const result = (id: string, content: string) => ({ type: 'tool_result', tool_use_id: id, content })
    const linesWith = (second: string) => [
      claude('u-1', said('Hello.')),
      claude('u-2', {
        ...{ parentUuid: 'u-1', type: 'assistant' },
        message: { id: 'm', role: 'assistant', content: [call('call_1'), call('call_2')] },
      }),
      claude('u-3', {
        ...{ parentUuid: 'u-2', type: 'user' },
        message: { role: 'user', content: [result('call_1', log('one')), result('call_2', second)] },
      }),
    ]
    using memory = buildMemory()
    const path = writeLines(linesWith(log('two')))
    await runImport(memory.db, [path], { files: largeFiles(memory.path, 100) })
    const report = await compare(memory.path, path)
    expect(report).toMatchObject({ ok: true, counts: { missing: 0, differing: 0 }, lostTextCount: 0 })
    const changed = await compare(memory.path, writeLines(linesWith('It failed.')))
    expect(changed.counts).toMatchObject({ missing: 0, differing: 1 })
  })

  it('finds a long text of the session that was forked, which stands in a file there', async () => {
    using memory = buildMemory()
    const message = (id: string, parentId: string | null, second: number, content: string) => ({
      type: 'message',
      id,
      parentId,
      timestamp: at(second),
      message: { role: 'user', content },
    })
    const pasted = 'A line of the log that was pasted.\n'.repeat(80)
    const copied = [message('a', null, 1, 'one'), message('b', 'a', 2, pasted)]
    const header = { type: 'session', version: 3, timestamp: at(9), cwd: '/work' }
    const fork = writeLines([{ ...header, id: 'fork', parentSession: '2026_parent.jsonl' }, ...copied])
    const files = largeFiles(memory.path, 100)
    await runImport(memory.db, [fork], { files })
    const conversationId = Number(
      memory.db.value("SELECT conversation_id FROM conversations WHERE session_id = 'fork'"),
    )
    const report = await compare(memory.path, fork, { conversationId })
    expect(report).toMatchObject({ ok: true, counts: { missing: 0, differing: 0 }, inTranscript: 2, inDatabase: 0 })
    expect(report.notes).toContain(
      '2 messages of the transcript stand in the conversation that this one was forked from.',
    )
    const other = [copied[0], message('b', 'a', 2, 'A line that nobody stored.')]
    const changed = writeLines([{ ...header, id: 'fork', parentSession: '2026_parent.jsonl' }, ...other])
    expect((await compare(memory.path, changed, { conversationId })).counts.missing).toBe(1)
  })

  it('finds texts that were joined, split into lines, or stored as arguments of a call', async () => {
    const content = [
      {
        type: 'tool_result',
        tool_use_id: 't',
        content: [
          { type: 'text', text: 'the first part of it' },
          { type: 'text', text: 'the second part of it' },
        ],
      },
    ]
    const call = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'echo "a quoted\nlong command"' } }
    const report = await importedAnd([
      claude('u-1', { type: 'assistant', message: { id: 'm', role: 'assistant', content: [call] } }),
      claude('u-2', { type: 'user', message: { role: 'user', content } }),
    ])
    expect(report).toMatchObject({ ok: true, lostTexts: [] })
  })

  it.each(transcriptSamples)('loses no text of a transcript of $name', async (sample) => {
    using memory = buildMemory()
    const path = writeSample(sample)
    await importOne(memory.db, path)
    expect(await compare(memory.path, path)).toMatchObject({ ok: true, lostTexts: [] })
  })
})
