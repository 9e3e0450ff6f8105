import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LcmError } from '#core/errors.ts'
import { openNative } from '#core/sqlite/native.ts'
import { openMemory } from '../builders/open-memory.ts'
import { runs } from '../builders/property-runs.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { lookAsOrdinaryUser } from './children/start.ts'

const folder = temporaryFolder()
const cacheDir = join(folder, 'cache')

function errorOf(path: string, options = {}): LcmError {
  try {
    openMemory(path, { cacheDir, ...options }).close()
  } catch (error) {
    if (error instanceof LcmError) return error
    throw error
  }
  throw new Error(`${path} was opened`)
}

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

function database(name: string, sql: string): string {
  const path = join(folder, name)
  const db = new Database(path)
  db.exec(sql)
  db.close()
  return path
}

/** A database whose rows are still in its log, copied without that log. */
function copiedWithoutLog(name: string, sql: string): string {
  const source = join(folder, `source of ${name}`)
  const db = new Database(source)
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; ${sql}`)
  copyFileSync(source, join(folder, name))
  db.close()
  return join(folder, name)
}

describe('an error on opening', () => {
  it('says that the content of a file without tables in WAL mode is in its log, and which file is missing', () => {
    const path = copiedWithoutLog('lonely.db', 'CREATE TABLE messages (message_id INTEGER PRIMARY KEY)')
    const words = /lonely\.db is in WAL mode and empty: its content is in lonely\.db-wal, which is not beside it\. Copy/
    expect(errorOf(path)).toMatchObject({ code: 'not_a_memory', message: expect.stringMatching(words) })
    // A log without content is no better than none.
    writeFileSync(`${path}-wal`, '')
    expect(errorOf(path)).toMatchObject({ code: 'not_a_memory', message: expect.stringMatching(words) })
  })

  it('does not ask for the log of an empty database that has none, or whose tables are there', () => {
    const empty = database('vacuumed.db', 'CREATE TABLE t (x); DROP TABLE t')
    expect(errorOf(empty).message).toMatch(/it has no tables/)
    const other = database('other-wal.db', 'PRAGMA journal_mode = WAL; CREATE TABLE moz_cookies (x)')
    expect(errorOf(other).message).toMatch(/its tables are moz_cookies/)
  })

  it('says that there is no file', () => {
    expect(errorOf(join(folder, 'missing.db'))).toMatchObject({
      code: 'file_missing',
      message: expect.stringMatching(/no file at .*missing\.db.*check the path/),
    })
    expect(errorOf(join(folder, 'missing-folder/lcm.db'), { create: true })).toMatchObject({
      code: 'file_missing',
      message: expect.stringMatching(/folder does not exist/),
    })
    expect(errorOf(join(write('plain-file', 'x'), 'lcm.db')).code).toBe('file_missing')
  })

  it('says that a link leads to no file', () => {
    const link = join(folder, 'link.db')
    symlinkSync(join(folder, 'gone.db'), link)
    expect(errorOf(link).code).toBe('file_missing')
  })

  it('says that the path is a folder, and names the memory in it', () => {
    expect(errorOf(folder)).toMatchObject({ code: 'file_is_folder', details: { path: folder } })
    const state = join(folder, '.openclaw')
    mkdirSync(state)
    writeFileSync(join(state, 'lcm.db'), 'x')
    expect(errorOf(state).message).toContain(join(state, 'lcm.db'))
  })

  it('says that there is no permission', () => {
    const path = database('private.db', 'CREATE TABLE t (a)')
    chmodSync(folder, 0o755)
    chmodSync(dirname(folder), 0o755)
    chmodSync(path, 0o000)
    const { error } = lookAsOrdinaryUser(path, cacheDir)
    expect(error?.code).toBe('file_not_readable')
    expect(error?.message).toMatch(/permissions/)
  })

  it('says that the file is empty', () => {
    expect(errorOf(write('empty.db', '')).code).toBe('file_empty')
  })

  it('says that a device or a pipe is no database, without waiting for it', () => {
    expect(errorOf('/dev/null').code).toBe('not_a_database')
    const pipe = join(folder, 'pipe.db')
    execFileSync('mkfifo', [pipe])
    expect(errorOf(pipe).code).toBe('not_a_database')
  })

  it('says that a file is no database, and perhaps encrypted', () => {
    const noise = Buffer.from(Array.from({ length: 8192 }, (_, index) => (index * 7919 + 13) % 251))
    expect(errorOf(write('noise.db', noise))).toMatchObject({
      code: 'not_a_database',
      message: expect.stringMatching(/encrypted/),
    })
  })

  it('says that a transcript has to be imported', () => {
    const path = write('session.jsonl', '{"type":"user","message":{"role":"user","content":"hello"}}\n')
    expect(errorOf(path)).toMatchObject({ code: 'not_a_database', message: expect.stringMatching(/import/) })
  })

  it('says that a file was cut off in the header, between pages or inside a page', () => {
    const path = database('whole.db', 'CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(50000))')
    const whole = readFileSync(path)
    for (const bytes of [10, 60, 4096, 5000, whole.length - 4096, whole.length - 1]) {
      expect(errorOf(write(`cut-${bytes}.db`, whole.subarray(0, bytes))).code).toBe('file_truncated')
    }
  })

  it('says that the schema is damaged', () => {
    const path = database('damaged.db', 'CREATE TABLE t (a); CREATE TABLE u (a)')
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(4096 - 100, 0xff), 0, 4096 - 100, 100)
    closeSync(file)
    expect(errorOf(path)).toMatchObject({ code: 'file_corrupt', message: expect.stringMatching(/backup/) })
    const odd = database('odd-page-size.db', 'CREATE TABLE t (a)')
    const header = openSync(odd, 'r+')
    writeSync(header, Buffer.from([0x00, 0x03]), 0, 2, 16)
    closeSync(header)
    expect(errorOf(odd).code).toBe('file_corrupt')
  })

  it('says that a database is of another kind, and names its tables', () => {
    const path = database('places.sqlite', 'CREATE TABLE moz_places (id); CREATE TABLE moz_cookies (id)')
    expect(errorOf(path)).toMatchObject({
      code: 'not_a_memory',
      message: expect.stringMatching(/moz_cookies, moz_places/),
      details: { tables: ['moz_cookies', 'moz_places'] },
    })
    expect(errorOf(database('tableless.db', 'PRAGMA user_version = 3')).code).toBe('not_a_memory')
  })

  it('says that a database with views instead of tables is no memory', () => {
    const names = ['conversations', 'messages', 'summaries', 'context_items', 'summary_parents', 'summary_messages']
    const path = database('views.db', names.map((name) => `CREATE VIEW ${name} AS SELECT 1 AS content;`).join(''))
    expect(errorOf(path).code).toBe('not_a_memory')
  })

  it('says that a file with our application id and without our tables is corrupt', () => {
    expect(errorOf(database('marked.db', `PRAGMA application_id = ${0x4c434d69}; PRAGMA user_version = 1`)).code).toBe(
      'file_corrupt',
    )
  })

  it('says that a version is newer, and the file can be opened for reading only', () => {
    const path = join(folder, 'newer.db')
    const db = openNative(path)
    db.exec('PRAGMA user_version = 99')
    db.close()
    expect(errorOf(path)).toMatchObject({ code: 'newer_version', details: { version: 99 } })
    using memory = openMemory(path, { allowNewer: true, cacheDir })
    expect(memory.write).toBeNull()
    expect(memory.info).toMatchObject({ readOnly: true, systemVersion: '99' })
    expect(memory.info.readOnlyReason).toMatch(/newer version/)
    expect(memory.read.value('SELECT count(*) FROM messages')).toBe(0)
  })

  it('says that a path is not valid', () => {
    expect(errorOf(`/tmp/${'x'.repeat(5000)}`).code).toBe('invalid_argument')
    expect(errorOf('/tmp/a\0b').code).toBe('invalid_argument')
  })

  it('is always typed, for a file with any bytes', () => {
    const path = join(folder, 'fuzzed.db')
    const whole = readFileSync(database('to-fuzz.db', 'CREATE TABLE t (a PRIMARY KEY, b); INSERT INTO t VALUES (1, 2)'))
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 40 }),
        fc.nat(whole.length),
        (changes, length) => {
          const bytes = Buffer.from(whole)
          for (const [at, value] of changes) bytes[at] = value
          writeFileSync(path, bytes)
          if (length % 3 === 0) truncateSync(path, length)
          expect(errorOf(path)).toBeInstanceOf(LcmError)
        },
      ),
      { numRuns: runs(300) },
    )
    expect(statSync(path).isFile()).toBe(true)
  })
})
