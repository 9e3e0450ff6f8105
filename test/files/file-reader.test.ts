import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FileContent, type FileRow, FileView, type FileViewRequest, ROW_BYTES } from '#core/contract/file.ts'
import { FileReader } from '#core/files/file-reader.ts'
import { findInFile as find } from '#core/search/files/find-in-file.ts'
import { filesBeside } from '../builders/large-files.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { runs } from '../builders/property-runs.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const ID = 'file_00000000000000aa'
const signal = new AbortController().signal

type Stored = { readonly uri?: string; readonly hash?: string | null; readonly bytes?: number | null }

/** A memory with one file of this content, at its usual place. */
function withFile(content: string, { uri, hash, bytes }: Stored = {}): TestMemory & { readonly reader: FileReader } {
  const memory = buildMemory({ conversations: [{ messages: ['look at it'] }] })
  const file = fileOf(memory)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  const data = Buffer.from(content)
  memory.db.run(
    `INSERT INTO large_files (file_id, conversation_id, file_name, byte_size, content_hash, storage_uri, created_at)
     VALUES (:id, 1, 'a.txt', CAST(:bytes AS INTEGER), :hash, :uri, 0)`,
    {
      id: ID,
      uri: uri ?? file,
      bytes: bytes === undefined ? data.length : bytes,
      hash: hash === undefined ? createHash('sha256').update(data).digest('hex') : hash,
    },
  )
  return Object.assign(memory, { reader: new FileReader({ db: memory.db, filesDir: null, find }) })
}

/** Bytes that this process has read, or 0 where no system counts them. https://man7.org/linux/man-pages/man5/proc_pid_io.5.html */
const bytesRead = (): number =>
  existsSync('/proc/self/io') ? Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]) : 0

const fileOf = (memory: TestMemory): string => join(filesBeside(memory.path), '1', `${ID}.txt`)
const read = (reader: FileReader, view: FileViewRequest): Promise<FileContent> =>
  reader.read(ID, FileView.parse(view), signal)

async function allPages(reader: FileReader): Promise<string> {
  let text = ''
  for (let page: number | null = 1; page !== null; ) {
    const got: FileContent = await read(reader, { kind: 'page', page })
    text += got.text
    page = got.next
  }
  return text
}

async function allRows(reader: FileReader, count: number): Promise<FileRow[]> {
  const rows: FileRow[] = []
  for (let from: number | null = 0; from !== null; ) {
    const got: FileContent = await read(reader, { kind: 'rows', from, count })
    rows.push(...got.rows)
    from = got.next
  }
  return rows
}

async function allLines(reader: FileReader, step: number): Promise<string> {
  let text = ''
  for (let first: number | null = 1; first !== null; ) {
    const got: FileContent = await read(reader, { kind: 'lines', first, last: first + step - 1 })
    text += got.text
    const state = got.state
    first = got.next !== null && got.next <= (state.lines ?? 0) ? got.next : null
  }
  return text
}

/** Texts with lines of every length and characters of every width. */
const texts = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.constantFrom('\n', '\r\n', '\n\n', 'x'.repeat(ROW_BYTES), '漢'.repeat(1500), '🙂'.repeat(600), '\ufeff'),
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join('').toWellFormed())

describe('the bytes of a file', () => {
  it('are those on disk, a piece at a time, and none of a file that is missing', () => {
    using memory = withFile('%PDF-\u00ff and more')
    const data = readFileSync(fileOf(memory))
    const piece = (from: number, count: number) => memory.reader.bytes({ id: ID, from, count })
    expect(piece(0, 5)).toEqual({ base64: data.subarray(0, 5).toString('base64'), sizeBytes: data.length })
    expect(piece(5, 1000).base64).toBe(data.subarray(5).toString('base64'))
    expect(piece(data.length, 10).base64).toBe('')
    rmSync(fileOf(memory))
    expect(piece(0, 5)).toEqual({ base64: '', sizeBytes: null })
  })
})

describe('reading large files', () => {
  // "the content byte-equal"
  it('gives the bytes of a file by pages, by lines and by rows, whatever they are', async () => {
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1, max: 60 }),
        async (text, count, step) => {
          using memory = withFile(text)
          const { reader } = memory
          const state = await reader.check(ID, signal)
          expect(state).toMatchObject({ condition: 'sound', reason: null, bytes: Buffer.byteLength(text) })
          expect(await allPages(reader)).toBe(text)
          if (Buffer.byteLength(text) < 100_000) expect(await allLines(reader, step)).toBe(text)
          const rows = await allRows(reader, count)
          expect(rows).toHaveLength(state.rows ?? -1)
          expect(rows.map(({ row }) => row)).toEqual(rows.map((_, row) => row))
          const joined: string[] = []
          for (const row of rows) {
            if (row.isLineStart) joined.push(row.text)
            else joined[joined.length - 1] += row.text
            expect(row.line).toBe(joined.length)
            expect(Buffer.byteLength(row.text)).toBeLessThanOrEqual(ROW_BYTES)
          }
          const lines = text.split('\n')
          if (lines.at(-1) === '') lines.pop()
          expect(state.lines).toBe(lines.length)
          expect(joined.map((line) => line.replace(/\r$/, ''))).toEqual(lines.map((line) => line.replace(/\r$/, '')))
        },
      ),
      { numRuns: runs(60) },
    )
  })

  it('finds what a naive search finds, on the same lines', async () => {
    const queries = fc.oneof(
      fc.constantFrom('x', 'needle', '漢漢', '🙂', 'É', '.'),
      fc.string({ minLength: 1, maxLength: 3 }),
    )
    const texts = fc.array(
      fc.oneof(
        fc.constantFrom('\n', 'needle', 'NEEDLE', 'é', 'y'.repeat(3000)),
        fc.string({ unit: 'grapheme', maxLength: 9 }),
      ),
      { maxLength: 60 },
    )
    await fc.assert(
      fc.asyncProperty(texts, queries, fc.integer({ min: 1, max: 5 }), async (pieces, query, limit) => {
        const text = pieces.join('').toWellFormed()
        using memory = withFile(text)
        const lines = new Set<number>()
        for (let fromRow: number | null = 0; fromRow !== null; ) {
          const got: FileContent = await read(memory.reader, { kind: 'search', query, matchCase: true, fromRow, limit })
          for (const hit of got.hits) {
            lines.add(hit.line)
            expect(hit.excerpt.slice(...hit.match)).toBe(query.toWellFormed())
          }
          fromRow = got.next
        }
        const naive = text
          .split('\n')
          .flatMap((line, at) => (!query.includes('\n') && line.includes(query) ? [at + 1] : []))
        if (query.isWellFormed() && !query.includes('\n')) expect([...lines]).toEqual(naive)
      }),
      { numRuns: runs(60) },
    )
  })

  it('finds a regular expression anywhere in a line that is longer than memory is given to', async () => {
    const text = `${'a'.repeat(3_000_000)}needle-42${'b'.repeat(2_000_000)}\nneedle-7\n`
    using memory = withFile(text)
    const { hits } = await read(memory.reader, { kind: 'search', query: 'NEEDLE-\\d+', isRegex: true })
    expect(hits.map(({ line, excerpt, match }) => [line, excerpt.slice(...match)])).toEqual([
      [1, 'needle-42'],
      [2, 'needle-7'],
    ])
    const { rows } = await read(memory.reader, { kind: 'rows', from: hits[0]?.row ?? 0, count: 2 })
    expect(rows.map((row) => row.text).join('')).toContain('needle-42')
  })

  it('refuses what is no regular expression, and lines in the wrong order', async () => {
    using memory = withFile('a')
    const bad = { kind: 'search', query: '(', isRegex: true } as const
    await expect(read(memory.reader, bad)).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(read(memory.reader, { kind: 'lines', first: 3, last: 2 })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
  })

  it('says that content was altered, and shows it all the same', async () => {
    using memory = withFile('as it was')
    writeFileSync(fileOf(memory), 'as it is!')
    expect(await memory.reader.check(ID, signal)).toMatchObject({
      condition: 'altered',
      reason: expect.stringContaining('changed'),
    })
    expect(await read(memory.reader, { kind: 'page', page: 1 })).toMatchObject({
      text: 'as it is!',
      state: { condition: 'altered' },
    })
    writeFileSync(fileOf(memory), 'longer than it was')
    expect(await read(memory.reader, { kind: 'page', page: 1 })).toMatchObject({ state: { condition: 'altered' } })
  })

  it('says that content is missing, with the path that its row names', async () => {
    using memory = withFile('gone')
    rmSync(fileOf(memory))
    const missing = { condition: 'missing', path: null, reason: expect.stringContaining(ID) }
    expect(await memory.reader.check(ID, signal)).toMatchObject(missing)
    expect(await read(memory.reader, { kind: 'page', page: 1 })).toMatchObject({ text: '', state: missing })
  })

  it('says that content is missing when its row names an endless path', async () => {
    using memory = withFile('x')
    const uri = `/${'long/'.repeat(2000)}${ID}.txt`
    memory.db.run('UPDATE large_files SET storage_uri = :uri', { uri })
    rmSync(fileOf(memory))
    expect(await memory.reader.check(ID, signal)).toMatchObject({ condition: 'missing' })
  })

  it('gives content also after the memory was moved away under its open connection', async () => {
    using memory = withFile('still here')
    renameSync(memory.path, `${memory.path}.moved`)
    expect(await read(memory.reader, { kind: 'page', page: 1 })).toMatchObject({ text: 'still here' })
  })

  it('follows no path out of the folders that may be read', async () => {
    const outside = join(temporaryFolder(), '1', `${ID}.txt`)
    mkdirSync(dirname(outside))
    writeFileSync(outside, 'secret')
    const hostile = [
      outside,
      `../../${outside}`,
      '/etc/passwd',
      '/dev/zero',
      '\\\\server\\share\\x',
      'a\0b',
      '',
      '.',
      '..',
      'lcm-files/1/..',
    ]
    for (const uri of hostile) {
      using memory = withFile('inside', { uri, hash: null, bytes: null })
      rmSync(fileOf(memory))
      expect(await read(memory.reader, { kind: 'page', page: 1 })).toMatchObject({
        text: '',
        state: { condition: 'missing' },
      })
    }
    using linked = withFile('inside')
    rmSync(fileOf(linked))
    symlinkSync(outside, fileOf(linked))
    expect(await linked.reader.check(ID, signal)).toMatchObject({ condition: 'missing' })
    using folder = withFile('inside')
    renameSync(filesBeside(folder.path), join(dirname(folder.path), 'elsewhere'))
    symlinkSync(dirname(dirname(outside)), filesBeside(folder.path))
    expect(await folder.reader.check(ID, signal)).toMatchObject({ condition: 'missing' })
  })

  it('reads a file out of a folder that was allowed, and out of the configured one', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, '1'))
    writeFileSync(join(folder, '1', `${ID}.txt`), 'allowed')
    using memory = withFile('x', { uri: join(folder, '1', `${ID}.txt`), hash: null, bytes: null })
    rmSync(fileOf(memory))
    expect(await memory.reader.read(ID, { kind: 'page', page: 1 }, signal, [folder])).toMatchObject({ text: 'allowed' })
    const configured = new FileReader({ db: memory.db, filesDir: folder, find })
    expect(await read(configured, { kind: 'page', page: 1 })).toMatchObject({ text: 'allowed' })
  })

  it('finds a file beside a memory that came from another machine', async () => {
    using memory = withFile('moved', { uri: `C:\\Users\\me\\lcm-files\\1\\${ID}.txt` })
    expect(await read(memory.reader, { kind: 'page', page: 1 })).toMatchObject({ text: 'moved' })
    expect(readFileSync(fileOf(memory), 'utf8')).toBe('moved')
  })

  it('answers the beginning of a large file without reading the rest', async () => {
    using memory = withFile('line\n'.repeat(10_000_000))
    const before = bytesRead()
    const { rows, state } = await read(memory.reader, { kind: 'rows', from: 0, count: 200 })
    expect(bytesRead() - before).toBeLessThan(1_000_000)
    expect(rows).toHaveLength(200)
    expect(state).toMatchObject({ condition: 'unchecked', rows: null })
    expect(await memory.reader.check(ID, signal)).toMatchObject({ lines: 10_000_000, condition: 'sound' })
    const { rows: last } = await read(memory.reader, { kind: 'rows', from: 9_999_999, count: 5 })
    expect(last).toMatchObject([{ line: 10_000_000, text: 'line' }])
  })
})
