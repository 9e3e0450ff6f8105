import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { holdLock, openCacheDb, removeUnusedDb } from '#core/sqlite/cache-db.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const toClose: { close(): void }[] = []
afterEach(() => {
  for (const one of toClose.splice(0)) one.close()
})
function connect(path: string): Database.Database {
  const db = new Database(path)
  toClose.push(db)
  return db
}

describe('the lock of a cache file', () => {
  it('is held by one connection at a time', () => {
    const path = join(temporaryFolder(), 'lock')
    const unlock = holdLock(path)
    expect(holdLock(path)).toBeNull()
    unlock?.()
    const again = holdLock(path)
    expect(again).not.toBeNull()
    again?.()
  })

  it('is given to one of two that try at once, and a read transaction does not prevent it', () => {
    const path = join(temporaryFolder(), 'lock')
    connect(path).exec('BEGIN; SELECT * FROM sqlite_schema')
    const unlock = holdLock(path)
    expect(unlock).not.toBeNull()
    unlock?.()
  })
})

describe('a database in the cache', () => {
  it('can be read while another connection creates it, and is not changed by that', () => {
    const path = join(temporaryFolder(), 'cache.db')
    const maker = connect(path)
    const looker = openCacheDb(path, { create: false })
    toClose.push(looker)
    expect(looker.value('SELECT count(*) FROM sqlite_schema')).toBe(0)
    expect(maker.pragma('journal_mode', { simple: true })).toBe('delete')
  })

  it('is removed only when no connection has it open', () => {
    const path = join(temporaryFolder(), 'cache.db')
    const one = openCacheDb(path, { create: true })
    one.exec('CREATE TABLE t (x)')
    expect(removeUnusedDb(path)).toBe(false)
    one.close()
    expect(removeUnusedDb(path)).toBe(true)
    expect(existsSync(path)).toBe(false)
  })
})
