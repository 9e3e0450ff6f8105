import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { LcmError } from '#core/errors.ts'
import { openNative } from '#core/sqlite/native.ts'
import { wrapConnection } from '#core/sqlite/read-db.ts'
import { sqliteCode, translateSqliteError } from '#core/sqlite/sqlite-error.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const newPath = (): string => join(temporaryFolder(), 'lcm.db')
const ADD = `INSERT INTO conversations (session_id, created_at, updated_at) VALUES (hex(randomblob(8)), 1, 1)`

function errorOf(body: () => unknown): LcmError {
  try {
    body()
  } catch (error) {
    if (error instanceof LcmError) return error
    throw error
  }
  throw new Error('no error')
}

describe('an error of SQLite', () => {
  it('is a retryable conflict when another writer is at work', () => {
    const path = newPath()
    using writer = openNative(path)
    using other = openNative(path)
    other.exec('PRAGMA busy_timeout = 0')
    writer.transaction(() => {
      const error = errorOf(() => other.transaction(() => other.run(ADD)))
      expect(error).toMatchObject({ code: 'locked', retryable: true, details: { sqlite: 'SQLITE_BUSY' } })
      expect(error.message).toContain(path)
    })
  })

  it('is a full disk, and nothing of the step is kept', () => {
    using db = openNative(newPath())
    const pages = db.value<number>('PRAGMA page_count') ?? 0
    db.exec(`PRAGMA max_page_count = ${pages}`)
    const fill = (): void =>
      db.transaction(() => {
        for (let n = 0; n < 1000; n += 1) db.run(ADD)
      })
    expect(errorOf(fill).code).toBe('disk_full')
    expect(db.value('SELECT count(*) FROM conversations')).toBe(0)
  })

  it('is a read-only file when writing is not allowed', () => {
    const path = newPath()
    openNative(path).close()
    const db = wrapConnection(new Database(path, { readonly: true }), path)
    expect(errorOf(() => db.run(ADD)).code).toBe('read_only_file')
    db.close()
  })

  it('keeps SQLite’s words and the original as its cause when a constraint fails', () => {
    using db = openNative(newPath())
    const error = errorOf(() => db.run(`INSERT INTO conversations (session_id) VALUES ('s')`))
    expect(error).toMatchObject({ code: 'sqlite_failed', details: { sqlite: 'SQLITE_CONSTRAINT_NOTNULL' } })
    expect(error.message).toMatch(/NOT NULL constraint failed/)
    expect(error.cause).toBeInstanceOf(Database.SqliteError)
  })

  it('leaves our own errors and bugs unchanged, also out of a transaction', () => {
    using db = openNative(newPath())
    const ours = new LcmError('not_found', 'nothing')
    expect(errorOf(() => db.transaction(() => raise(ours)))).toBe(ours)
    const bug = new TypeError('a bug')
    expect(translateSqliteError(bug, 'x')).toBe(bug)
    expect(sqliteCode(bug)).toBeNull()
    expect(sqliteCode('text')).toBeNull()
  })
})

function raise(error: Error): never {
  throw error
}
