import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openFor } from '#core/compare/transcript/read-transcript.ts'
import { findTranscriptFiles } from '#core/ingest/transcripts/transcript-files.ts'
import { verifyLedger } from '#core/ledger/verify-ledger.ts'
import { probePath } from '#core/machine/probe.ts'
import { identifyMemory } from '#core/systems/opening/identify-memory.ts'
import { runImport } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { writeLines } from '#test/builders/transcript-rows.ts'

const said = JSON.stringify([{ role: 'user', content: 'hello' }])

const file = (folder: string, name: string, content: string | Buffer = said): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

describe('a path that holds no transcript', () => {
  it('is refused with the next step when the system does not let it be read', async () => {
    const path = join(temporaryFolder(), 'circle.jsonl')
    symlinkSync(path, path)
    const told = { code: 'file_not_readable', message: expect.stringMatching(/circle.*\(ELOOP\): .*try again/) }
    await expect(findTranscriptFiles([path])).rejects.toMatchObject(told)
    await expect(openFor(path, 'auto')).rejects.toMatchObject(told)
    await expect(verifyLedger(path, null, new AbortController().signal).next()).rejects.toMatchObject(told)
  })

  const others: Record<string, (folder: string) => string> = {
    'a pipe or a device': (folder) => {
      const path = join(folder, 'pipe.jsonl')
      execFileSync('mkfifo', [path])
      return path
    },
    'an SQLite database': () => buildMemory().path,
  }

  it.each(Object.entries(others))('is refused before it is opened when it is %s', async (what, make) => {
    using memory = buildMemory()
    const path = make(temporaryFolder())
    await expect(runImport(memory.db, [path], { format: 'codex' })).rejects.toMatchObject({
      code: 'transcript_unreadable',
      message: expect.stringContaining(what),
    })
    expect((await probePath(path, temporaryFolder())).kind).not.toBe('transcript')
  })

  it.each([
    ['gzip', gzipSync(said)],
    ['zip', Buffer.from('PK\x03\x04rest')],
    ['UTF-16', Buffer.from(`\ufeff${said}`, 'utf16le')],
    ['UTF-16', Buffer.from(said, 'utf16le')],
  ])('is refused with its form and the next step when it is %s', async (what, content) => {
    using memory = buildMemory()
    await expect(runImport(memory.db, [file(temporaryFolder(), 'x.json', content)])).rejects.toMatchObject({
      code: 'transcript_unreadable',
      message: expect.stringMatching(new RegExp(`${what}.* first`)),
    })
  })
})

it('lists the files of a folder in natural order, without our own log', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'session-2'))
  const names = ['session-1.jsonl', 'session-2.jsonl', 'session-2/agent.jsonl', 'session-10.jsonl']
  const paths = names.map((name) => file(folder, name)).toReversed()
  file(folder, 'lcm-2026-03-02-000.jsonl', '{"level":"info","event":"call.slow"}\n')
  expect((await findTranscriptFiles([folder])).files.map(({ path }) => path)).toEqual(paths.toReversed())
})

it('offers the database of opencode for import, and says so where a memory is asked for', async () => {
  const path = join(temporaryFolder(), 'opencode.db')
  const db = new Database(path)
  db.exec(`CREATE TABLE session (id TEXT, project_id TEXT); CREATE TABLE message (id TEXT, session_id TEXT, data TEXT);
    CREATE TABLE part (id TEXT, message_id TEXT, data TEXT)`)
  db.close()
  expect(await probePath(path, temporaryFolder())).toMatchObject({ kind: 'transcript', error: null })
  await expect(identifyMemory(path, { cacheDir: temporaryFolder() })).rejects.toMatchObject({
    code: 'not_a_memory',
    message: expect.stringContaining('import it'),
  })
})

it('counts all given files when none of them is a transcript', async () => {
  using memory = buildMemory()
  const folder = temporaryFolder()
  for (let n = 0; n < 3; n += 1) file(folder, `${n}.json`, '{"a":1}')
  await expect(runImport(memory.db, [folder])).rejects.toThrow(/0\.json: a JSON object .*, nor are 2 other files\.$/)
})

describe('links in a folder', () => {
  it('lead to each file once, and never in a circle', async () => {
    const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()]
    mkdirSync(join(folder, 'below'))
    file(join(folder, 'below'), 'own.jsonl')
    file(elsewhere, 'other.jsonl')
    symlinkSync(folder, join(folder, 'below', 'round'))
    symlinkSync(join(folder, 'below', 'own.jsonl'), join(folder, 'same.jsonl'))
    symlinkSync(elsewhere, join(folder, 'away'))
    symlinkSync(writeLines([], 'plain.jsonl'), join(folder, 'file.jsonl'))
    symlinkSync('nowhere', join(folder, 'broken.jsonl'))
    const { files: found } = await findTranscriptFiles([folder])
    expect(found.map(({ path }) => relative(folder, path))).toEqual([
      'away/other.jsonl',
      'below/own.jsonl',
      'file.jsonl',
    ])
  })
})
