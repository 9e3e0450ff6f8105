import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { call, TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne, runImport } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { told, writeJson } from '#test/builders/transcript-rows.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString()

/** A transcript of each line format: a person says `one`, `two` and `three`. */
const lineFormats: Record<string, (words: string, n: number) => unknown[]> = {
  'claude-code': (words, n) => [
    {
      type: 'user',
      uuid: `u-${n}`,
      parentUuid: n === 1 ? null : `u-${n - 1}`,
      sessionId: 's-1',
      timestamp: at(n),
      message: { role: 'user', content: words },
    },
  ],
  codex: (words, n) => [
    ...(n === 1 ? [{ timestamp: at(0), type: 'session_meta', payload: { id: 's-1' } }] : []),
    {
      timestamp: at(n),
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: words }] },
    },
  ],
  pi: (words, n) => [
    ...(n === 1 ? [{ type: 'session', version: 3, id: 's-1', timestamp: at(0), cwd: '/' }] : []),
    {
      type: 'message',
      id: `e-${n}`,
      parentId: n === 1 ? null : `e-${n - 1}`,
      timestamp: at(n),
      message: { role: 'user', content: words },
    },
  ],
  'gemini-cli': (words, n) => [
    ...(n === 1 ? [{ sessionId: 's-1', projectHash: 'p', startTime: at(0) }] : []),
    { id: `g-${n}`, type: 'user', timestamp: at(n), content: words },
  ],
  'qwen-code': (words, n) => [
    {
      type: 'user',
      uuid: `q-${n}`,
      parentUuid: n === 1 ? null : `q-${n - 1}`,
      sessionId: 's-1',
      timestamp: at(n),
      message: { role: 'user', parts: [{ text: words }] },
    },
  ],
  'copilot-cli': (words, n) => [{ type: 'user.message', id: `c-${n}`, timestamp: at(n), data: { content: words } }],
  entire: (words, n) => [{ v: 1, agent: 'codex', type: 'user', ts: at(n), content: [{ text: words }] }],
  messages: (words) => [{ role: 'user', content: words }],
}

const transcript = (format: string, words: readonly string[]): string[] =>
  words.flatMap((said, index) => lineFormats[format]?.(said, index + 1) ?? []).map((line) => JSON.stringify(line))

const write = (content: string | Buffer, name = 'x.jsonl'): string => {
  const path = join(temporaryFolder(), name)
  writeFileSync(path, content)
  return path
}

const WORDS = ['one', 'two', 'three']
const said = WORDS.map((words) => `user: ${words}`)

/** What a broken writer or a hostile one makes of a transcript; what is lost of it, and what is reported. */
const faults: Record<string, (lines: string[]) => { content: string | Buffer; lost?: number; skipped?: number }> = {
  'a byte order mark': (lines) => ({ content: `\uFEFF${lines.join('\n')}` }),
  'lines that end as on Windows': (lines) => ({ content: lines.join('\r\n') }),
  'no line feed at its end': (lines) => ({ content: lines.join('\n') }),
  'empty lines': (lines) => ({ content: `\n\n${lines.join('\n\n \n')}\n\n` }),
  'two records on one line': (lines) => ({ content: `${lines.slice(0, -1).join('\n')}${lines.at(-1)}\n` }),
  'a last line that is cut off': (lines) => ({ content: lines.join('\n').slice(0, -3), lost: 1, skipped: 1 }),
  'a line of something else': (lines) => ({ content: [...lines, 'Killed: 9'].join('\n'), skipped: 1 }),
  'NUL bytes at its end, as after a crash': (lines) => ({
    content: `${lines.join('\n')}\n${'\0'.repeat(4096)}`,
    skipped: 1,
  }),
  'lines that are no objects': (lines) => ({
    content: [...lines, 'null', '7', '"text"', '[1]'].join('\n'),
    skipped: 4,
  }),
  'a record that is nested 200,000 levels deep': (lines) => ({
    content: [...lines, `{"type":"user","role":"user","content":${'['.repeat(200_000)}${']'.repeat(200_000)}}`].join(
      '\n',
    ),
    skipped: 1,
  }),
  'a record of a type that nobody knows': (lines) => ({
    content: [...lines, '{"type":"hologram","n":1}'].join('\n'),
    skipped: 1,
  }),
  'bytes that are no UTF-8': (lines) => ({
    content: Buffer.concat([
      Buffer.from(`${lines.join('\n')}\n{"type":"hologram","x":"`),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}\n'),
    ]),
    skipped: 1,
  }),
}

describe.each(Object.keys(lineFormats))('a transcript of %s', (format) => {
  it.each(Object.keys(faults))('gives its sound messages and reports the rest when it has %s', async (fault) => {
    using memory = buildMemory()
    const { content, lost = 0, skipped = 0 } = faults[fault]?.(transcript(format, WORDS)) ?? { content: '' }
    const path = write(content)
    const file = await importOne(memory.db, path)
    expect(told(memory)).toEqual(said.slice(0, said.length - lost))
    expect(file).toMatchObject({ format, error: null, skippedCount: skipped, conflicts: 0 })
    expect(file.skipped.every(({ line }) => line >= 1)).toBe(true)
    expect(await importOne(memory.db, path)).toMatchObject({ added: 0, alreadyThere: file.added })
    expect(await findings(memory.path)).toEqual([])
  })

  it('gains its last line once the writer has finished it', async () => {
    using memory = buildMemory()
    const lines = transcript(format, WORDS)
    const path = write(lines.join('\n').slice(0, -3))
    await importOne(memory.db, path)
    writeFileSync(path, `${lines.join('\n')}\n`)
    expect(await importOne(memory.db, path)).toMatchObject({ added: 1, alreadyThere: 2, skippedCount: 0 })
    expect(told(memory)).toEqual(said)
  })

  it('keeps the order of the file when its times go backwards or are invalid', async () => {
    using memory = buildMemory()
    const times = ['"not a time"', '1e400', '"1969-01-01T00:00:00Z"', '{}']
    const lines = transcript(format, WORDS).map((line, index) =>
      line.replace(/"2026-03-02T[^"]*"/, times[index % times.length] ?? ''),
    )
    // The first line says what the file is; in some formats it is a header.
    const first = transcript(format, ['zero'])[0]?.replaceAll(/"([uqc])-1"/g, '"$1-0"') ?? ''
    const detectable = first.includes('zero') ? [first, ...lines] : lines
    await importOne(memory.db, write(detectable.join('\n')))
    expect(told(memory).slice(-3)).toEqual(said)
    expect(memory.db.column('SELECT seq FROM messages ORDER BY seq')).toEqual(
      memory.db.column<number>('SELECT seq FROM messages').map((_, index) => index),
    )
  })

  // Messages are one document: its faults are below.
  if (format !== 'messages')
    it('can be imported with values of every wrong type in every field', async () => {
      const wrong = [null, 7, -1.5, true, '', [], {}, [null], 'x'.repeat(300), Number.MAX_SAFE_INTEGER]
      const [first = '{}', ...rest] = transcript(format, [...WORDS])
      for (const value of wrong) {
        using memory = buildMemory()
        const spoilt = rest.flatMap((line) => spoil(JSON.parse(line) as Record<string, unknown>, value))
        const lines = [first, ...rest, ...spoilt.map((record) => JSON.stringify(record))]
        const file = await importOne(memory.db, write(lines.join('\n')))
        expect(file.error).toBeNull()
        // A record whose id alone is wrong is a message that was stored again, and found as one.
        const found = await findings(memory.path)
        expect(found.filter((finding) => !finding.startsWith('duplicate_message'))).toEqual([])
      }
    })
})

/** The record with one of its fields, at any depth, put wrong: one record for each field. */
function spoil(record: Record<string, unknown>, value: unknown): unknown[] {
  return Object.keys(record).flatMap((key) => {
    const inner = record[key]
    const deeper =
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? spoil(inner as Record<string, unknown>, value).map((spoilt) => ({ ...record, [key]: spoilt }))
        : []
    return [{ ...record, [key]: value }, ...deeper]
  })
}

describe('a document', () => {
  const documents: Record<string, unknown> = {
    'gemini-cli': {
      sessionId: 's-1',
      projectHash: 'p',
      startTime: at(0),
      messages: WORDS.map((content, n) => ({ id: `g-${n}`, type: 'user', timestamp: at(n), content })),
    },
    opencode: {
      info: { id: 'ses_1', directory: '/', time: { created: 1 } },
      messages: WORDS.map((words, n) => ({
        info: { id: `msg_${n}`, sessionID: 'ses_1', role: 'user', time: { created: 1_772_000_000_000 + n } },
        parts: [{ id: `prt_${n}`, type: 'text', text: words }],
      })),
    },
    messages: { messages: WORDS.map((content) => ({ role: 'user', content })) },
  }

  it.each(Object.keys(documents))(
    'can be written on one line or many, with a byte order mark, and cut off, in the format %s',
    async (format) => {
      const document = documents[format]
      for (const content of [
        JSON.stringify(document),
        JSON.stringify(document, null, 2),
        `\uFEFF${JSON.stringify(document, null, '\t').replaceAll('\n', '\r\n')}\r\n`,
      ]) {
        using memory = buildMemory()
        expect(await importOne(memory.db, write(content, 'x.json'))).toMatchObject({
          format,
          added: 3,
          skippedCount: 0,
        })
        expect(told(memory)).toEqual(said)
        using cut = buildMemory()
        const end = content.lastIndexOf('three') + 2
        const file = await importOne(cut.db, write(content.slice(0, end), 'x.json'))
        expect(file).toMatchObject({ format, added: 2, skippedCount: 1, error: null })
        expect(file.skipped[0]?.reason).toMatch(/cut off/)
        expect(file.skipped[0]?.line).toBe(content.slice(0, end).split('\n').length)
      }
    },
  )

  it('is imported up to its break, which is reported with its line', async () => {
    using memory = buildMemory()
    const content = JSON.stringify(documents.messages)
    const broken = content.replace('"three"', '"three" oops')
    expect(await importOne(memory.db, write(broken, 'x.json'))).toMatchObject({ added: 2, skippedCount: 1 })
    for (const document of [content, JSON.stringify(documents.messages, null, 2)]) {
      using second = buildMemory()
      const path = write(`${document}\n\n{"more":1}`, 'x.json')
      expect(await importOne(second.db, path)).toMatchObject({ added: 3, skippedCount: 1 })
    }
  })

  it('keeps its other messages when one is nested 100,000 levels deep', async () => {
    using memory = buildMemory()
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    const content = JSON.stringify(documents.messages).replace('"two"', `[{"type":"odd","x":${deep}}]`)
    const file = await importOne(memory.db, write(content, 'x.json'))
    expect(file.skipped).toEqual([{ line: 1, reason: 'the record is nested too deeply' }])
    expect(told(memory)).toEqual(['user: one', 'user: three'])
  })
})

it('skips a line of 100 MB in little memory, and reads on after it', async () => {
  using memory = buildMemory()
  const path = join(temporaryFolder(), 'x.jsonl')
  const [first = '', second = ''] = transcript('claude-code', ['one', 'two'])
  const file = openSync(path, 'w')
  writeSync(file, `${first}\n{"type":"user","uuid":"big","sessionId":"s-1","message":{"role":"user","content":"`)
  const block = Buffer.alloc(1024 * 1024, 'x')
  for (let n = 0; n < 100; n += 1) writeSync(file, block)
  writeSync(file, `"}}\n${second}\n`)
  closeSync(file)
  const before = process.memoryUsage().rss
  const report = await importOne(memory.db, path)
  expect(report.skipped).toEqual([{ line: 2, reason: expect.stringMatching(/too long: 10\d{7} bytes/) }])
  expect(told(memory)).toEqual(['user: one', 'user: two'])
  expect(process.memoryUsage().rss - before).toBeLessThan(250 * 1024 * 1024)
})

it('keeps both messages when a broken writer gave them one id', async () => {
  for (const format of ['messages', 'opencode']) {
    using memory = buildMemory()
    const path =
      format === 'messages'
        ? write('{"id":"same","role":"user","content":"one"}\n{"id":"same","role":"user","content":"two"}\n')
        : writeJson({
            info: { id: 'ses_1', directory: '/', time: {} },
            messages: ['one', 'two'].map((words) => ({
              info: { id: 'msg_same', sessionID: 'ses_1', role: 'user', time: {} },
              parts: [{ id: 'prt_same', type: 'text', text: words }],
            })),
          })
    expect(await importOne(memory.db, path)).toMatchObject({ added: 2, conflicts: 0 })
    expect(told(memory)).toEqual(['user: one', 'user: two'])
  }
})

it('stops between batches when it is cancelled, in every format', async () => {
  for (const format of Object.keys(lineFormats)) {
    using memory = buildMemory()
    const many = Array.from({ length: 3000 }, (_, n) => `message ${n}`)
    const path = write(transcript(format, many).join('\n'))
    const stop = new AbortController()
    const run = runImport(memory.db, [path], {
      signal: stop.signal,
      onProgress: () => {
        if ((memory.db.value<number>('SELECT count(*) FROM messages') ?? 0) > 0) stop.abort()
      },
    })
    await expect(run).rejects.toMatchObject({ code: 'cancelled' })
    const stored = memory.db.value<number>('SELECT count(*) FROM messages') ?? 0
    expect(stored).toBeLessThan(3000)
    expect(await importOne(memory.db, path)).toMatchObject({ added: 3000 - stored, alreadyThere: stored })
  }
})

it('stores every character of a text unchanged', async () => {
  using memory = buildMemory()
  const odd = 'tab\t nul\u0000 line\u2028 next\u0085 bell\u0007 emoji 👩‍👩‍👧 rtl שלום `</script>` \\u0041 "quoted"'
  const story = new TranscriptBuilder()
  story.user(odd)
  story.answer('msg_1', [text(odd), call('t1', 'Bash', { command: odd })])
  const path = story.write()
  await importOne(memory.db, path)
  expect(readFileSync(path, 'utf8')).toContain('\\u0000')
  expect(memory.db.column('SELECT content FROM messages')).toEqual([odd, odd])
})
