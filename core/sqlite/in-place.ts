import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { LcmError } from '../errors.ts'
import { isWholeLogHeader } from './log-header.ts'
import type { MemoryFile } from './memory-file.ts'
import { wrapConnection } from './read-db.ts'
import { translating } from './sqlite-error.ts'
import { canOpenUris, openByUri, type PreparableDb, type ReadOnlyConnection } from './uri-db.ts'

const queries = {
  schemaCount: /* sql */ `SELECT count(*) FROM sqlite_schema`,
}

/** From the second read on, a writer that has the whole file for itself for a moment is waited for. */
const BUSY_TIMEOUT_MS = 5000

/**
 * Reads another system's file beside its writer, or one in rollback-journal mode. Without URIs the writer's `-shm` may
 * get a read mark, which is all that a reader ever writes.
 * @returns null when the file is not to be read in this way (any more)
 * @throws LcmError locked while a writer has the file for itself; what reading throws
 */
export function connectInPlace(file: MemoryFile): ReadOnlyConnection | null {
  // Of a log that is none, and that no writer has open, SQLite waits ten seconds for one, and cannot be interrupted.
  if (file.walBytes > 0 && !isWholeLogHeader(`${file.realPath}-wal`)) return null
  return readInPlace(file, canOpenUris() ? openByUri(file.realPath, 'mode=ro&readonly_shm=1') : openHere(file.realPath))
}

/** The same for a file of ours, by the driver that also writes: two of them in one process undo each other's locks. */
export const connectOursInPlace = (file: MemoryFile): ReadOnlyConnection | null =>
  readInPlace(file, openHere(file.realPath))

/** Takes a connection in place by its first read; from then on the file's log stays where it is. */
function readInPlace(file: MemoryFile, db: PreparableDb): ReadOnlyConnection | null {
  try {
    // Whoever waits here for a writer that puts its log away this moment would make that log anew.
    db.exec('PRAGMA busy_timeout = 0')
    if (!file.hasWal || ['-wal', '-shm'].every((suffix) => existsSync(`${file.realPath}${suffix}`))) {
      db.value(queries.schemaCount)
      db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
      return { db, access: 'in_place', close: () => db.close() }
    }
    db.close()
    return null
  } catch (error) {
    db.close()
    if (isUnreadableHere(error)) return null
    throw error
  }
}

/** Also of a log or journal that only a writer could bring in order. */
function isUnreadableHere(error: unknown): boolean {
  if (!(error instanceof LcmError)) return false
  return String(error.details?.sqlite).startsWith('SQLITE_READONLY') || error.code === 'file_not_readable'
}

/** A plain read-only connection of the driver that also writes. */
export function openHere(realPath: string): PreparableDb {
  return translating(realPath, () =>
    wrapConnection(new Database(realPath, { readonly: true, fileMustExist: true }), realPath),
  )
}
