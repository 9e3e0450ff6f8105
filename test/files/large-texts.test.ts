import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { IntegrityReport } from '#core/contract/integrity.ts'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { LargeTexts } from '#core/ingest/large-texts.ts'
import type { NewMessage } from '#core/ingest/new-message.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { checkMemory } from '#test/builders/check-memory.ts'
import { call, TranscriptBuilder, text } from '../builders/claude-code.ts'
import { runImport } from '../builders/import.ts'
import { filesBeside, largeFiles } from '../builders/large-files.ts'
import { buildMemory, STORY_BEGINS_MS } from '../builders/memory.ts'
import { runs } from '../builders/property-runs.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

type Row = {
  file_id: string
  conversation_id: number
  file_name: string
  mime_type: string
  byte_size: number
  content_hash: string
  storage_uri: string
  exploration_summary: string
}

const OWN = { importer: 'test', sessionId: 's' }
const rowsOf = (db: WriteDb): Row[] => db.all<Row>('SELECT * FROM large_files ORDER BY file_id')
const messagesOf = (db: WriteDb) =>
  db.all<{ content: string; token_count: number }>('SELECT content, token_count FROM messages ORDER BY seq')
const csv = (rows: number): string =>
  ['id,name,price', ...Array.from({ length: rows }, (_, row) => `${row},item ${row},${row * 3}.50`)].join('\n')
const log = (rows: number): string =>
  Array.from({ length: rows }, (_, row) => `2026-03-02T09:00:00Z INFO request ${row} took ${row % 90} ms`).join('\n')
const everything = (db: WriteDb): string =>
  JSON.stringify(
    ['messages', 'message_parts', 'large_files', 'context_items'].map((name) => db.all(`SELECT * FROM ${name}`)),
  )
const allFilesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : []

async function runScan(lcm: Lcm): Promise<IntegrityReport> {
  return await checkMemory(lcm)
}

function story(): string {
  const builder = new TranscriptBuilder()
  builder.user(`Look at this: <file name="prices.csv" mime="text/csv">\n${csv(900)}\n</file>\nWhat is the sum?`)
  builder.answer('a1', [text('I look at the log.'), call('t1')])
  builder.result('t1', log(600))
  builder.user(
    `Small: <file name="s.txt">tiny</file> and pasted:\n\`\`\`json\n${JSON.stringify(csv(500))}\n\`\`\`\nthanks`,
  )
  builder.answer('a2', [text('Done.')])
  return builder.write()
}

describe('an import with large texts', () => {
  it('puts large texts into files whose rows have size, hash, type and path, and references into messages', async () => {
    using memory = buildMemory()
    await runImport(memory.db, [story()], { files: largeFiles(memory.path, 2000) })
    const rows = rowsOf(memory.db)
    expect(rows.map(({ file_name }) => file_name).sort()).toEqual(['Bash result', 'pasted text', 'prices.csv'])
    for (const row of rows) {
      const bytes = readFileSync(row.storage_uri)
      expect(row.storage_uri).toMatch(/lcm-files\/\d+\/file_[0-9a-f]{16}\.(csv|txt|json)$/)
      expect(bytes.length).toBe(row.byte_size)
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(row.content_hash)
    }
    const [asked] = messagesOf(memory.db)
    const prices = rows.find(({ file_name }) => file_name === 'prices.csv')
    expect(readFileSync(prices?.storage_uri ?? '', 'utf8')).toBe(`\n${csv(900)}\n`)
    const size = prices?.byte_size.toLocaleString('en')
    expect(asked?.content).toBe(
      `Look at this: [LCM File: ${prices?.file_id} | prices.csv | text/csv | ${size} bytes]\n\nExploration Summary:\n${prices?.exploration_summary}\n\nWhat is the sum?`,
    )
    expect(asked?.token_count).toBeLessThan(700)
    const everyPart = JSON.stringify(memory.db.all('SELECT * FROM message_parts'))
    expect(everyPart).not.toContain('item 450')
    expect(everyPart).not.toContain('request 450')
    expect(allFilesIn(filesBeside(memory.path))).toHaveLength(3)
  })

  it('adds nothing when the transcript comes again, whatever the threshold is by then', async () => {
    const transcript = story()
    for (const first of [2000, 1_000_000]) {
      using memory = buildMemory()
      await runImport(memory.db, [transcript], { files: largeFiles(memory.path, first) })
      const before = everything(memory.db)
      const onDisk = allFilesIn(filesBeside(memory.path))
      for (const again of [2000, 10, 1_000_000]) {
        const result = await runImport(memory.db, [transcript], { files: largeFiles(memory.path, again) })
        expect(result).toMatchObject({ added: 0, files: [{ conflicts: 0, completed: 0 }] })
        expect(everything(memory.db)).toBe(before)
        expect(allFilesIn(filesBeside(memory.path))).toEqual(onDisk)
      }
    }
  })

  it('names a result by the file that its call asked to read, and describes it as such a file', async () => {
    const builder = new TranscriptBuilder()
    builder.user('Look.')
    builder.answer('a1', [
      call('t1', 'Read', { file_path: '/data/prices.toml' }),
      call('t2', 'Grep', { pattern: 'x', path: '/a.csv' }),
    ])
    builder.result(
      't1',
      Array.from({ length: 300 }, (_, at) => `${String(at + 1).padStart(6)}→key_${at} = ${at}`).join('\n'),
    )
    builder.result('t2', log(300))
    const transcript = builder.write()
    using memory = buildMemory()
    await runImport(memory.db, [transcript], { files: largeFiles(memory.path, 1000) })
    const [read, found] = rowsOf(memory.db).sort((a, b) => b.file_name.localeCompare(a.file_name))
    expect([read?.file_name, found?.file_name]).toEqual(['prices.toml', 'Grep result'])
    expect(read).toMatchObject({ mime_type: 'application/toml', storage_uri: expect.stringMatching(/\.toml$/) })
    expect(read?.exploration_summary).toContain('TOML document prices.toml')
    // The call stands in the memory when its result comes later.
    using later = buildMemory()
    const lines = readFileSync(transcript, 'utf8').trimEnd().split('\n')
    const path = join(temporaryFolder(), 'session.jsonl')
    for (const count of [2, lines.length]) {
      writeFileSync(path, `${lines.slice(0, count).join('\n')}\n`)
      await runImport(later.db, [path], { files: largeFiles(later.path, 1000) })
    }
    expect(rowsOf(later.db).map(({ file_id }) => file_id)).toEqual(rowsOf(memory.db).map(({ file_id }) => file_id))
  })

  it('recognises a result that is stored under another name than it would get by now', async () => {
    using memory = buildMemory()
    const store = new ConversationStore(memory.db, createTokenEstimator(), () => STORY_BEGINS_MS)
    const ingest = async (messages: readonly NewMessage[]) => {
      const texts = new LargeTexts(memory.db, largeFiles(memory.path, 200), new AbortController().signal)
      const result = await store.ingest(OWN, messages, texts)
      texts.finish()
      return result
    }
    const tool = { type: 'tool', toolCallId: 't1' } as const
    const asked: NewMessage = {
      ...{ externalId: 'a', role: 'assistant', content: '', createdAtMs: 1 },
      parts: [{ ...tool, toolName: 'Read', toolInput: JSON.stringify({ file_path: '/data/a.csv' }) }],
    }
    const content = csv(300)
    const result: NewMessage = {
      ...{ externalId: 'r', role: 'tool', content, createdAtMs: 2 },
      parts: [{ ...tool, toolName: 'Read', toolOutput: content }],
    }
    await ingest([result])
    const before = rowsOf(memory.db)
    expect(before.map(({ file_name }) => file_name)).toEqual(['Read result'])
    expect(await ingest([asked, result])).toMatchObject({ added: 1, alreadyThere: 1, conflicts: [] })
    expect(rowsOf(memory.db)).toEqual(before)
  })

  it('gives a file the same id in every memory that the transcript is imported into', async () => {
    using one = buildMemory()
    using other = buildMemory({ conversations: [{ messages: ['first'] }] })
    const transcript = story()
    for (const memory of [one, other]) {
      await runImport(memory.db, [transcript], { files: largeFiles(memory.path, 2000) })
    }
    expect(rowsOf(one.db).map(({ file_id }) => file_id)).toEqual(rowsOf(other.db).map(({ file_id }) => file_id))
  })

  it('stores content once that comes under several names and in several conversations', async () => {
    using memory = buildMemory()
    const content = csv(900)
    const transcripts = ['1', '2'].map((session) => {
      const builder = new TranscriptBuilder(`${session.repeat(8)}-2222-4333-8444-555555555555`)
      builder.user(`<file name="a.csv">${content}</file>`)
      builder.user(`<file name="b.csv">${content}</file> and again <file name="a.csv">${content}</file>`)
      return builder.write()
    })
    for (const transcript of transcripts) {
      await runImport(memory.db, [transcript], { files: largeFiles(memory.path, 2000) })
    }
    expect(rowsOf(memory.db)).toHaveLength(4)
    expect(new Set(rowsOf(memory.db).map((row) => row.storage_uri)).size).toBe(1)
    expect(allFilesIn(filesBeside(memory.path))).toHaveLength(1)
  })

  it('leaves nothing that an integrity check reports, also in a folder that is configured', async () => {
    for (const root of [null, temporaryFolder()]) {
      using memory = buildMemory()
      for (const session of ['1', '2']) {
        const builder = new TranscriptBuilder(`${session.repeat(8)}-2222-4333-8444-555555555555`)
        builder.user(`<file name="a.csv">${csv(900)}</file>`)
        builder.answer('a', [text('A table.')])
        await runImport(memory.db, [builder.write()], { files: largeFiles(memory.path, 2000, root ? { root } : {}) })
      }
      const settings = readSettings(root ? { LCM_FILES_DIR: root } : {})
      using lcm = await openLcm(memory.path, { readOnly: true, settings })
      const report = await runScan(lcm)
      expect(
        report.checks.filter(({ count, severity }) => count > 0 && severity !== 'info').map(({ id }) => id),
      ).toEqual([])
      writeFileSync(rowsOf(memory.db)[0]?.storage_uri ?? '', 'changed')
      const changed = await runScan(lcm)
      expect(changed.checks.find(({ id }) => id === 'file_size')?.count).toBe(2)
    }
  })

  it('leaves the text of a system message where it is', async () => {
    using memory = buildMemory()
    const builder = new TranscriptBuilder()
    builder.user('hello')
    await runImport(memory.db, [builder.write()], { files: largeFiles(memory.path, 5) })
    const store = new ConversationStore(memory.db, createTokenEstimator(), () => STORY_BEGINS_MS)
    const texts = new LargeTexts(memory.db, largeFiles(memory.path, 50), new AbortController().signal)
    const content = csv(100)
    await store.ingest(OWN, [{ externalId: 's', role: 'system', content, createdAtMs: 1, parts: [] }], texts)
    texts.finish()
    expect(messagesOf(memory.db).at(-1)?.content).toBe(content)
  })

  it('stores content again when its file is gone', async () => {
    using memory = buildMemory()
    const store = new ConversationStore(memory.db, createTokenEstimator(), () => STORY_BEGINS_MS)
    const say = async (externalId: string): Promise<void> => {
      const texts = new LargeTexts(memory.db, largeFiles(memory.path, 200), new AbortController().signal)
      const content = `<file name="a.csv">${csv(200)}</file>`
      const message: NewMessage = {
        externalId,
        role: 'user',
        content,
        createdAtMs: 1,
        parts: [{ type: 'text', text: content }],
      }
      await store.ingest(OWN, [message], texts)
      texts.finish()
    }
    await say('one')
    const [row] = rowsOf(memory.db)
    writeFileSync(row?.storage_uri ?? '', 'something else')
    await say('two')
    expect(rowsOf(memory.db)).toHaveLength(1)
    expect(readFileSync(rowsOf(memory.db)[0]?.storage_uri ?? '', 'utf8')).toBe(csv(200))
  })

  it('refuses to write through a link that leads out of the store', async () => {
    using memory = buildMemory()
    const outside = temporaryFolder()
    const root = filesBeside(memory.path)
    mkdirSync(root)
    symlinkSync(outside, join(root, '1'))
    await expect(runImport(memory.db, [story()], { files: largeFiles(memory.path, 2000) })).rejects.toMatchObject({
      code: 'file_not_readable',
    })
    expect(readdirSync(outside)).toEqual([])
    expect(rowsOf(memory.db)).toEqual([])
  })

  it('refuses to write into a folder beside the memory that is a link itself', async () => {
    using memory = buildMemory()
    const outside = temporaryFolder()
    symlinkSync(outside, filesBeside(memory.path))
    await expect(runImport(memory.db, [story()], { files: largeFiles(memory.path, 2000) })).rejects.toMatchObject({
      code: 'file_not_readable',
    })
    expect(readdirSync(outside)).toEqual([])
  })

  it('keeps hostile names out of paths and references', async () => {
    const names = [
      '../../etc/passwd',
      'con.txt',
      'a\u0000b',
      `${'long '.repeat(800)}.txt`,
      'x | y] [LCM File: z',
      '\u202egpj.exe',
      'a.b/c',
      '.',
    ]
    using memory = buildMemory()
    const builder = new TranscriptBuilder()
    for (const [at, name] of names.entries()) builder.user(`<file name="${name}">${at}${csv(200)}</file>`)
    await runImport(memory.db, [builder.write()], { files: largeFiles(memory.path, 500) })
    const root = filesBeside(memory.path)
    const rows = rowsOf(memory.db)
    expect(rows).toHaveLength(names.length)
    for (const { storage_uri, file_id } of rows) {
      expect(storage_uri.slice(root.length)).toMatch(new RegExp(`^/\\d+/${file_id}\\.[a-z0-9]{1,10}$`))
      expect(statSync(storage_uri).isFile()).toBe(true)
    }
    for (const { content } of messagesOf(memory.db)) {
      const [first = ''] = content.split('\n')
      expect(first).toMatch(/^\[LCM File: file_[0-9a-f]{16} \| [^|[\]]{1,200} \| [^|[\]]+ \| [\d,]+ bytes\]$/)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(first).not.toMatch(/[\u0000-\u001f\u202e]/)
    }
  })

  // "Round trips ingest … read for files of every kind, the content byte-equal."
  it('keeps any content byte for byte', async () => {
    const content = fc.oneof(
      fc.string({ unit: 'binary', minLength: 300, maxLength: 2000 }),
      fc.string({
        unit: fc.constantFrom('a', '\n', '\r', '```', '{', '"', '</file', '漢', '🙂', '\u0000', '\ud800'),
        minLength: 200,
        maxLength: 900,
      }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(content, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 20, max: 900 }),
        async (contents, again) => {
          using memory = buildMemory()
          const store = new ConversationStore(memory.db, createTokenEstimator(), () => STORY_BEGINS_MS)
          const messages = contents
            .filter((one) => !one.includes('</file>'))
            .map((one, at): NewMessage => {
              const said = `<file name="f${at}">${one}</file>`
              return {
                externalId: `m${at}`,
                role: 'user',
                content: said,
                createdAtMs: at,
                parts: [{ type: 'text', text: said }],
              }
            })
          const ingest = async (threshold: number) => {
            const texts = new LargeTexts(memory.db, largeFiles(memory.path, threshold), new AbortController().signal)
            const result = await store.ingest(OWN, messages, texts)
            texts.finish()
            return result
          }
          await ingest(100)
          for (const { file_name, storage_uri, byte_size } of rowsOf(memory.db)) {
            const given = contents.filter((one) => !one.includes('</file>'))[Number(file_name.slice(1))] ?? ''
            expect(readFileSync(storage_uri)).toEqual(Buffer.from(given))
            expect(byte_size).toBe(Buffer.byteLength(given))
          }
          const before = everything(memory.db)
          expect(await ingest(again)).toMatchObject({ added: 0, alreadyThere: messages.length, conflicts: [] })
          expect(everything(memory.db)).toBe(before)
        },
      ),
      { numRuns: runs(25) },
    )
  })
})

describe('a result of a tool that is still being written', () => {
  const specStory = (output: string): string =>
    [
      '<!-- Generated by SpecStory, Markdown v2.1.0 -->',
      '',
      '<!-- Codex CLI Session 0195-abc (2026-03-02 09:00:00Z) -->',
      '',
      ...['_**User (2026-03-02 09:00:01Z)**_', '', 'Look.', '', '---', ''],
      ...['_**Agent (gpt-5 2026-03-02 09:00:02Z)**_', ''],
      'I look.\n\n<tool-use data-tool-type="shell" data-tool-name="exec"><details>',
      '<summary>Tool use: **exec** `ls`</summary>',
      ...['```', output, '```', '</details></tool-use>', ''],
    ].join('\n')

  it.each([
    ['its beginning', [400, 420]],
    ['its beginning, and its rest is large, too', [400, 800, 820]],
    ['nothing of it', [10, 400, 800]],
  ])('is stored as a whole, without a conflict, when a file holds %s', async (_, states) => {
    for (const isSummarised of [false, true]) {
      using memory = buildMemory()
      const path = join(temporaryFolder(), 'session.md')
      for (const [at, rows] of states.entries()) {
        writeFileSync(path, specStory(log(rows)))
        await runImport(memory.db, [path], { files: largeFiles(memory.path, 2000) })
        const before = everything(memory.db)
        for (const threshold of [2000, 100, 1_000_000]) {
          const files = largeFiles(memory.path, threshold)
          const again = await runImport(memory.db, [path], { files })
          expect(again.files[0]?.conflicts ?? 0).toBe(0)
          expect(everything(memory.db)).toBe(before)
        }
        if (at === 0 && isSummarised) memory.leaf(1, memory.db.column<number>('SELECT message_id FROM messages'))
      }
      const whole = memory.db
        .column<string>("SELECT content FROM messages WHERE role = 'tool' ORDER BY seq")
        .join('')
        .replace(
          /\[LCM File: (file_\w+) \|[^\]]*\]\n\nExploration Summary:\n[\s\S]*?\n(?=\n2026|\[LCM|$)/g,
          (_all, id) => {
            const row = rowsOf(memory.db).find(({ file_id }) => file_id === id)
            return readFileSync(row?.storage_uri ?? '', 'utf8')
          },
        )
      expect(whole).toBe(log(states.at(-1) ?? 0))
    }
  })
})
