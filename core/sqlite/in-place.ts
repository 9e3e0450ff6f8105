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

/** From the second read on, a read waits this long for a writer with an exclusive lock. */
const BUSY_TIMEOUT_MS = 5000

/**
 * Reads another system's file that has a writer, or one in rollback-journal mode. Without URI support the connection
 * may set a read mark in the writer's `-shm`, which is all that readers ever write.
 * @returns null when this route does not suit the file (any more)
 * @throws LcmError locked while a writer has an exclusive lock; any error of reading
 */
export function connectInPlace(file: MemoryFile): ReadOnlyConnection | null {
  // If the log is invalid and no writer has it open, SQLite waits ten seconds for a writer and cannot be interrupted.
  if (file.walBytes > 0 && !isWholeLogHeader(`${file.realPath}-wal`)) return null
  return readInPlace(file, canOpenUris() ? openByUri(file.realPath, 'mode=ro&readonly_shm=1') : openHere(file.realPath))
}

/**
 * Does the same for one of our files, with the driver that also writes. Two drivers in one process would drop each
 * other's locks.
 */
export const connectOursInPlace = (file: MemoryFile): ReadOnlyConnection | null =>
  readInPlace(file, openHere(file.realPath))

/** Confirms the route with a first read. From then on SQLite keeps the log where it is. */
function readInPlace(file: MemoryFile, db: PreparableDb): ReadOnlyConnection | null {
  try {
    // If this connection waited while a writer removes its log, it would create the log again.
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

/** True also when only a writer could recover the log or journal. */
function isUnreadableHere(error: unknown): boolean {
  if (!(error instanceof LcmError)) return false
  return String(error.details?.sqlite).startsWith('SQLITE_READONLY') || error.code === 'file_not_readable'
}

/** Opens a plain read-only connection with the driver that also writes. */
export function openHere(realPath: string): PreparableDb {
  return translating(realPath, () =>
    wrapConnection(new Database(realPath, { readonly: true, fileMustExist: true }), realPath),
  )
}
