import { rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { type WriteDb, wrapConnection } from './read-db.ts'
import { sqliteCode, translating } from './sqlite-error.ts'

/** Another process may commit a step of its own meanwhile; more than a moment nobody waits for a cache. */
const BUSY_TIMEOUT_MS = 1000

/**
 * Opens a database of the app's own in its cache folder, which may be thrown away at any time.
 * @throws LcmError file_not_readable, file_corrupt, locked, disk_full, read_only_file
 */
export function openCacheDb(path: string, { create }: { readonly create: boolean }): WriteDb {
  return translating(path, () => {
    const connection = new Database(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: !create })
    try {
      connection.pragma('trusted_schema = OFF')
      // Whoever only opens one that is being made must not change it as well: one of the two would be refused.
      if (create) connection.pragma('journal_mode = WAL')
      connection.pragma('synchronous = NORMAL')
      return wrapConnection(connection, path)
    } catch (error) {
      connection.close()
      throw error
    }
  })
}

/**
 * Holds a lock that ends with this process at the latest, however it ends. The file stays, empty.
 * @returns what lets go of it; null while somebody else has it
 * @throws LcmError file_not_readable, disk_full, read_only_file
 */
export function holdLock(path: string): (() => void) | null {
  return translating(path, () => {
    const connection = new Database(path, { timeout: 0 })
    try {
      // The right to write, which exactly one of several gets. EXCLUSIVE also waits for the readers to go, and each of two
      // who begin at once is such a reader to the other: both would be refused. https://www.sqlite.org/lockingv3.html
      connection.exec('BEGIN IMMEDIATE')
    } catch (error) {
      connection.close()
      if (sqliteCode(error)?.startsWith('SQLITE_BUSY')) return null
      throw error
    }
    return () => {
      connection.exec('ROLLBACK')
      connection.close()
    }
  })
}

/** Removes a database of the cache unless somebody has it open. @returns whether it is gone */
export function removeUnusedDb(path: string): boolean {
  try {
    const connection = new Database(path, { timeout: 0, fileMustExist: true })
    try {
      // Leaving the write-ahead log takes the whole file for oneself: it is refused while anybody else has it open.
      // https://www.sqlite.org/wal.html#persistence_of_wal_mode
      if (connection.pragma('journal_mode = DELETE', { simple: true }) !== 'delete') return false
    } finally {
      connection.close()
    }
  } catch (error) {
    const code = sqliteCode(error)
    if (code?.startsWith('SQLITE_BUSY') || code?.startsWith('SQLITE_LOCKED')) return false
    // Damaged, or gone: nobody can be using it.
  }
  try {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true })
    return true
  } catch {
    // The system does not let go of it; the next tidying will.
    return false
  }
}
