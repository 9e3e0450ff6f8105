import { rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { type WriteDb, wrapConnection } from './read-db.ts'
import { sqliteCode, translating } from './sqlite-error.ts'

/** How long a connection waits while another process commits. A cache is not worth a longer wait. */
const BUSY_TIMEOUT_MS = 1000

/**
 * Opens one of the app's own databases in the cache folder. The user may delete such a file at any time.
 * @throws LcmError file_not_readable, file_corrupt, locked, disk_full, read_only_file
 */
export function openCacheDb(path: string, { create }: { readonly create: boolean }): WriteDb {
  return translating(path, () => {
    const connection = new Database(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: !create })
    try {
      connection.pragma('trusted_schema = OFF')
      // Only the process that creates the file sets its mode. If a second one did so at the same time, one of them
      // would fail.
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
 * Holds a lock that ends with this process at the latest, even if the process is killed. The empty lock file stays.
 * @returns a function that releases the lock, or null while another process holds it
 * @throws LcmError file_not_readable, disk_full, read_only_file
 */
export function holdLock(path: string): (() => void) | null {
  return translating(path, () => {
    const connection = new Database(path, { timeout: 0 })
    try {
      // Takes the RESERVED lock, which only one connection can hold. BEGIN EXCLUSIVE would also wait for readers, and
      // two processes that begin at once are readers to each other: both would fail.
      // https://www.sqlite.org/lockingv3.html
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

/**
 * Removes a database of the cache unless a process has it open.
 * @returns whether it was removed
 */
export function removeUnusedDb(path: string): boolean {
  try {
    const connection = new Database(path, { timeout: 0, fileMustExist: true })
    try {
      // Changing the journal mode needs exclusive access, so it fails while another connection is open.
      // https://www.sqlite.org/wal.html#persistence_of_wal_mode
      if (connection.pragma('journal_mode = DELETE', { simple: true }) !== 'delete') return false
    } finally {
      connection.close()
    }
  } catch (error) {
    const code = sqliteCode(error)
    if (code?.startsWith('SQLITE_BUSY') || code?.startsWith('SQLITE_LOCKED')) return false
    // The file is damaged or gone, so no process can be using it.
  }
  try {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true })
    return true
  } catch {
    // The operating system still holds the file. The next cleanup will remove it.
    return false
  }
}
