import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ImportedFile } from '#core/contract/import.ts'
import { importTranscripts } from '#core/ingest/transcripts/import-transcripts.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { runToEnd } from '#core/yielding.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { openCodeDb } from '#test/builders/opencode-db.ts'
import { told, writeLines } from '#test/builders/transcript-rows.ts'

type Outcome = { readonly file: ImportedFile; readonly isRead: boolean }

/** Imports a file a while after it was written, or at once. A file that is read has steps of storing. */
async function importLater({ db }: TestMemory, path: string, laterMs = 10_000): Promise<Outcome> {
  const options = { estimator: createTokenEstimator(), clock: () => Date.now() + laterMs, files: null }
  const asked = { paths: [path], format: 'auto', window: 'agent' } as const
  const job = importTranscripts({ db, ...options, ...asked }, new AbortController().signal)
  let isRead = false
  for (;;) {
    const step = await job.next()
    const [file] = step.done ? step.value.files : []
    if (file) return { file, isRead }
    if (!step.done && step.value.note?.startsWith('Importing')) isRead = true
  }
}

const record = (n: number, text = `words ${n}`) => ({
  uuid: `u-${n}`,
  sessionId: 's-1',
  type: 'user',
  timestamp: '2026-03-02T09:00:00Z',
  message: { role: 'user', content: text },
})

it('a file that nobody touched is not read again, and the result says what it said', async () => {
  using memory = buildMemory()
  const path = writeLines([record(1), record(2), { type: 'unknown' }])
  const first = await importLater(memory, path)
  expect(first).toMatchObject({ isRead: true, file: { added: 2, skippedCount: 1 } })
  memory.db.exec("UPDATE conversations SET title = 'Renamed'")
  const second = await importLater(memory, path)
  expect(second).toMatchObject({ isRead: false, file: { added: 0, alreadyThere: 2, skipped: first.file.skipped } })
  expect(second.file.conversations).toMatchObject([{ added: 0, alreadyThere: 2, title: 'Renamed' }])
})

it('a file is read again when what is remembered of it was damaged', async () => {
  for (const value of ['{', '[]', '{"readers":1,"result":null}']) {
    using memory = buildMemory()
    const path = writeLines([record(1)])
    await importLater(memory, path)
    expect(memory.db.run("UPDATE lcm_meta SET value = :value WHERE key LIKE 'transcript_read:%'", { value })).toBe(1)
    expect(await importLater(memory, path)).toMatchObject({ isRead: true, file: { added: 0, alreadyThere: 1 } })
  }
})

it('a file that was changed in place is read again, also when its size and its time are as before', async () => {
  using memory = buildMemory()
  const path = writeLines([record(1, 'one')])
  await importLater(memory, path)
  const { size, atime, mtime } = statSync(path)
  writeFileSync(path, readFileSync(path, 'utf8').replace('u-1', 'u-2').replace('one', 'two'))
  utimesSync(path, atime, mtime)
  expect(statSync(path)).toMatchObject({ size, mtime })
  expect(await importLater(memory, path)).toMatchObject({ isRead: true, file: { added: 1 } })
  expect(told(memory)).toEqual(['user: one', 'user: two'])
})

it('a file that grew, or that another one replaced, is read again', async () => {
  using memory = buildMemory()
  const path = writeLines([record(1)])
  await importLater(memory, path)
  appendFileSync(path, `${JSON.stringify(record(2))}\n`)
  expect(await importLater(memory, path)).toMatchObject({ isRead: true, file: { added: 1 } })
  const other = writeLines([record(1), record(3)])
  renameSync(other, path)
  expect(await importLater(memory, path)).toMatchObject({ isRead: true, file: { added: 1 } })
  expect((await importLater(memory, path)).isRead).toBe(false)
})

it('a file that was written just now is read again, because it may change within the same tick', async () => {
  using memory = buildMemory()
  const path = writeLines([record(1)])
  expect((await importLater(memory, path, 0)).isRead).toBe(true)
  expect((await importLater(memory, path)).isRead).toBe(true)
})

it('a file is read again when another file of its session added messages since, and then no more', async () => {
  using memory = buildMemory()
  const [path, other] = [writeLines([record(1)]), writeLines([record(2)])]
  await importLater(memory, path)
  await importLater(memory, other)
  expect(await importLater(memory, path)).toMatchObject({ isRead: true, file: { added: 0 } })
  expect((await importLater(memory, path)).isRead).toBe(false)
})

it('a file is read again when one beside it, of which its title is made, was changed', async () => {
  using memory = buildMemory()
  const path = join(writeLines([], 's.messages.json'), '..', 's.messages.json')
  copyFileSync(join(import.meta.dirname, 'samples', 'cline.json'), path)
  await importLater(memory, path)
  expect((await importLater(memory, path)).isRead).toBe(false)
  writeFileSync(join(path, '..', 's.json'), JSON.stringify({ metadata: { title: 'Named' } }))
  expect(await importLater(memory, path)).toMatchObject({ isRead: true, file: { conversations: [{ title: 'Named' }] } })
})

it('the memory is asked twice about each file that nobody touched, however many others there are', async () => {
  using memory = buildMemory()
  const paths = Array.from({ length: 8 }, (_, n) => writeLines([{ ...record(n), sessionId: `s-${n}` }]))
  const askedFor = async (files: readonly string[]): Promise<number> => {
    let asked = 0
    const count =
      <A extends readonly unknown[], R>(ask: (...given: A) => R) =>
      (...given: A): R => {
        asked += 1
        return ask(...given)
      }
    const { get, value, all, column, rows } = memory.db
    const db = { ...memory.db, get: count(get), value: count(value), all: count(all), column: count(column) }
    const options = { estimator: createTokenEstimator(), clock: () => Date.now() + 10_000, files: null }
    const input = { db: { ...db, rows: count(rows) } as typeof memory.db, ...options, paths: files }
    await runToEnd(importTranscripts({ ...input, format: 'auto', window: 'agent' }, new AbortController().signal))
    return asked
  }
  await askedFor(paths)
  expect((await askedFor(paths)) - (await askedFor(paths.slice(0, 1)))).toBe(2 * 7)
})

it('a database of opencode is read again when a plugin wrote beside it, and not when nobody did', async () => {
  using memory = buildMemory()
  const path = openCodeDb([{ id: 'ses_1', said: ['one', 'two'] }])
  const folder = join(path, '..', 'storage', 'plugin', 'dcp')
  const write = (text: string): void => writeFileSync(join(folder, 'ses_1.json'), text)
  const isRead = async (): Promise<boolean> => (await importLater(memory, path)).isRead
  expect(await isRead()).toBe(true)
  expect(await isRead()).toBe(false)
  mkdirSync(folder, { recursive: true })
  write('{}')
  expect(await isRead()).toBe(true)
  write('{ }')
  expect(await isRead()).toBe(true)
  expect(await isRead()).toBe(false)
})
