import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { recogniseTranscript } from '#core/ingest/transcripts/formats.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { importTwice } from '#test/builders/sample-import.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { told } from '#test/builders/transcript-rows.ts'

const write = (lines: readonly string[], name = '.aider.chat.history.md', folder = temporaryFolder()): string => {
  const path = join(folder, name)
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
  return path
}

const at = (time: string): string[] => ['', `# aider chat started at 2024-08-20 ${time}`, '']
const history = [
  ...at('09:00:00'),
  '> /usr/bin/aider shop.py  ',
  '> Aider v0.50.1  ',
  '',
  '#### rename the total  ',
  '####   ',
  '#### and its test  ',
  '',
  'Of course.',
  '',
  '# Changes',
  '',
  '```python',
  'total = 1',
  '```',
  '',
  '> Tokens: 1.2k sent, 30 received.  ',
  '> Applied edit to shop.py  ',
  ...at('10:00:00'),
  ...at('11:00:00'),
  '#### /add shop.py  ',
  '',
  '> Added shop.py to the chat  ',
]

describe('an import of an aider history', () => {
  it('makes a conversation of each session with messages, and reads roles from the signs before the lines', async () => {
    using memory = buildMemory()
    const file = await importTwice(memory, write(history))
    expect(file).toMatchObject({ format: 'aider', added: 6, otherRecords: 1, error: null })
    expect(memory.db.all('SELECT title, created_at FROM conversations')).toEqual([
      { title: 'rename the total', created_at: Date.parse('2024-08-20T09:00:00') },
      { title: '/add shop.py', created_at: Date.parse('2024-08-20T11:00:00') },
    ])
    expect(told(memory)).toEqual([
      'tool: /usr/bin/aider shop.py\nAider v0.50.1',
      'user: rename the total\n\nand its test',
      'assistant: Of course.\n\n# Changes\n\n```python\ntotal = 1\n```',
      'tool: Tokens: 1.2k sent, 30 received.\nApplied edit to shop.py',
      'user: /add shop.py',
      'tool: Added shop.py to the chat',
    ])
  })

  it('reads a history that begins in the middle of a session', async () => {
    using memory = buildMemory()
    await importTwice(memory, write(['-*- mode: fundamental -*-', '> Passed  ', ...history]))
    expect(told(memory).slice(0, 2)).toEqual(['assistant: -*- mode: fundamental -*-', 'tool: Passed'])
    expect(memory.db.value('SELECT count(*) FROM conversations')).toBe(3)
  })

  it('keeps two sessions of the same second apart, and a sentence that is said twice', async () => {
    using memory = buildMemory()
    await importTwice(memory, write([...at('09:00:00'), '#### yes', '', '#### yes', ...at('09:00:00'), '#### yes']))
    expect(memory.db.value('SELECT count(*) FROM conversations')).toBe(2)
    expect(told(memory)).toEqual(['user: yes', 'user: yes', 'user: yes'])
  })

  it('recognises a history by its content, also when its beginning is cut off', () => {
    expect(recogniseTranscript(write(history, 'notes.txt'))?.format.id).toBe('aider')
    expect(recogniseTranscript(write(['#### add a test', '', '> Tokens: 3k sent, 1 received.']))?.format.id).toBe(
      'aider',
    )
    expect(recogniseTranscript(write(['#### A heading', '', '> a quotation', '', 'text']))).toBeNull()
  })

  // "Incremental: import again after the session went on: only what is new."
  it('stores the same text once, in whatever pieces the history grew between two imports', async () => {
    const line = fc.constantFrom(
      '#### ask',
      '#### ',
      '> out',
      '> ',
      'answer',
      '',
      '# heading',
      ...at('09:00:00').slice(1, 2),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 14 }), fc.nat(14), async (lines, cut) => {
        using whole = buildMemory()
        using grown = buildMemory()
        const all = [...at('08:00:00'), ...lines]
        const path = write(all.slice(0, 3 + cut))
        if (3 + cut < all.length) await importOne(grown.db, path)
        appendFileSync(
          path,
          all
            .slice(3 + cut)
            .map((text) => `${text}\n`)
            .join(''),
        )
        await importOne(grown.db, path)
        await importOne(whole.db, path)
        const words = (memory: typeof whole): string =>
          told(memory)
            .map((message) => message.replace(/^(user|tool|assistant): /, ''))
            .join('\n')
            .replace(/\s+/g, ' ')
        expect(words(grown)).toBe(words(whole))
        const before = grown.db.value('SELECT count(*) FROM messages')
        expect((await importOne(grown.db, path)).added).toBe(0)
        expect(grown.db.value('SELECT count(*) FROM messages')).toBe(before)
      }),
      { numRuns: runs(12) },
    )
  })

  it.each([
    ['lines that end as on Windows', (text: string) => text.replaceAll('\n', '\r\n')],
    ['a byte order mark', (text: string) => `\uFEFF${text}`],
    ['no line feed at its end', (text: string) => text.trimEnd()],
  ])('reads the same with %s', async (_, change) => {
    using memory = buildMemory()
    const path = write(history)
    writeFileSync(path, change(readFileSync(path, 'utf8')))
    await importTwice(memory, path)
    expect(told(memory)).toHaveLength(6)
    expect(told(memory)[1]).toBe('user: rename the total\n\nand its test')
  })
})

it('reads a long first answer of a new session in the time of a few readings of it', { timeout: 4000 }, async () => {
  using memory = buildMemory()
  const path = join(temporaryFolder(), '.aider.chat.history.md')
  const lines = Array.from({ length: 1900 }, (_, n) => `line ${n} ${'of a long answer '.repeat(240)}`)
  writeFileSync(path, ['# aider chat started at 2026-03-02 09:00:00', '', ...lines, ''].join('\n'))
  await importOne(memory.db, path)
  expect(memory.db.value('SELECT length(content) FROM messages')).toBe(lines.join('\n').trimEnd().length)
})
