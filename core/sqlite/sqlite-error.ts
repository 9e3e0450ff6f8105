import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { LcmError } from '../errors.ts'

/** Primary result codes by number, for the driver that reports numbers. https://www.sqlite.org/rescode.html */
const PRIMARY_CODES: Readonly<Record<number, string>> = {
  3: 'SQLITE_PERM',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  19: 'SQLITE_CONSTRAINT',
  26: 'SQLITE_NOTADB',
}

/** Codes of a reader that must not recover a log, and finds one that its writer is just creating or leaving. */
const LOG_NOT_READY: Readonly<Record<number, string>> = {
  264: 'SQLITE_READONLY_RECOVERY',
  520: 'SQLITE_READONLY_CANTLOCK',
  1288: 'SQLITE_READONLY_CANTINIT',
}

/**
 * SQLite's codes for EFBIG and EDQUOT, and for ENOSPC outside a plain write. A backup tells the general code only.
 * https://www.sqlite.org/rescode.html#ioerr_write
 */
const WRITE_FAILURES = ['WRITE', 'FSYNC', 'DIR_FSYNC', 'TRUNCATE', 'SHMOPEN', 'SHMSIZE', 'SHMMAP'].map(
  (what) => `SQLITE_IOERR_${what}`,
)

/** Returns SQLite's own result code as text, extended where known, or null when the error is not from SQLite. */
export function sqliteCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  if (code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number') {
    return LOG_NOT_READY[errcode] ?? PRIMARY_CODES[errcode & 0xff] ?? `SQLITE_${errcode}`
  }
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : null
}

/** What better-sqlite3 says when its connection was closed. */
const CLOSED = 'The database connection is not open'

/** For a call that was under way when its memory was closed. The next call opens the memory anew, if anything may. */
export const closedMeanwhile = (path: string): LcmError =>
  new LcmError('locked', `${path} was closed while it was read: try again.`, { path })

/**
 * Translates SQLite's codes to ours, in this place only. Any other error, one of ours or a bug, is returned unchanged.
 * @returns LcmError locked, disk_full, file_corrupt, read_only_file, file_not_readable or sqlite_failed; the original
 * is its `cause` and `details.sqlite` is SQLite's code. `locked` also for a connection that was closed
 */
export function translateSqliteError(error: unknown, path: string): unknown {
  const sqlite = sqliteCode(error)
  if (sqlite === null) return error instanceof TypeError && error.message === CLOSED ? closedMeanwhile(path) : error
  const text = error instanceof Error ? error.message : String(error)
  const make = (code: LcmError['code'], message: string): LcmError =>
    new LcmError(code, message, { path, sqlite }, { cause: error })
  const is = (...codes: readonly string[]): boolean =>
    codes.some((code) => sqlite === code || sqlite.startsWith(`${code}_`))

  if (is('SQLITE_BUSY', 'SQLITE_LOCKED', ...Object.values(LOG_NOT_READY))) {
    return make('locked', `${path} is locked by another program that is writing to it: try again in a moment.`)
  }
  if (is('SQLITE_FULL') || ((is(...WRITE_FAILURES) || sqlite === 'SQLITE_IOERR') && isOutOfRoom(path))) {
    return make(
      'disk_full',
      `The disk of ${path} is full, or files may not become larger: nothing of this step was written. Free some space, try again.`,
    )
  }
  // SQLite reports an unknown format byte in the header with its most general code.
  if (is('SQLITE_CORRUPT', 'SQLITE_NOTADB') || text === 'unsupported file format') {
    return make(
      'file_corrupt',
      `${path} is damaged (${text}): restore it from a backup, or save what can still be read with "lcm salvage".`,
    )
  }
  if (is('SQLITE_READONLY')) {
    return make(
      'read_only_file',
      `${path} cannot be written (${text}): check the permissions of the file and its folder.`,
    )
  }
  if (is('SQLITE_CANTOPEN', 'SQLITE_PERM')) {
    return make(
      'file_not_readable',
      `${path} cannot be opened (${text}): check the permissions of the file and its folder.`,
    )
  }
  return make('sqlite_failed', `SQLite refused an operation on ${path}: ${text} (${sqlite}).`)
}

/** Runs `body` and translates the SQLite errors that it throws. */
export function translating<T>(path: string, body: () => T): T {
  try {
    return body()
  } catch (error) {
    throw translateSqliteError(error, path)
  }
}

/** The writer is just creating or leaving the log of the file, so it cannot be read at this moment. */
export const isLogNotReady = (error: unknown): boolean => Object.values(LOG_NOT_READY).includes(sqliteCode(error) ?? '')

/** Another connection has an exclusive lock, which will end by itself. */
export const isBusy = (error: unknown): boolean =>
  error instanceof LcmError && /^SQLITE_(BUSY|LOCKED)/.test(String(error.details?.sqlite))

/** SQLite writes several pages at once, so a disk with less free space counts as full. */
const LEAST_BYTES = 1024 * 1024
/** SQLite may already have shortened the file when its error arrives, by as much as one of our transactions adds. */
const TAKEN_BACK_BYTES = 64 * 1024 * 1024

/**
 * Tells whether a database cannot grow. SQLite does not report why a write failed, so this looks at the free space
 * afterwards. It writes no test file, because the folder may belong to another system.
 */
function isOutOfRoom(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    if (bavail * bsize < LEAST_BYTES) return true
  } catch {
    // The file system does not report its free space.
  }
  const limit = fileSizeLimit()
  return limit !== null && ['', '-wal', '-journal', '-shm'].some((suffix) => isNear(`${path}${suffix}`, limit))
}

function isNear(path: string, limit: number): boolean {
  try {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) + TAKEN_BACK_BYTES > limit
  } catch {
    return false
  }
}

/** Returns the largest size that this process may give to a file, or null when only the disk limits it. */
function fileSizeLimit(): number | null {
  type Report = { readonly userLimits?: { readonly file_size_blocks?: { readonly soft?: number | string } } }
  const { userLimits } = process.report.getReport() as Report
  const limit = Number(userLimits?.file_size_blocks?.soft)
  return Number.isFinite(limit) ? limit : null
}
