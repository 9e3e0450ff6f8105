import { LcmError } from '../errors.ts'
import { isOutOfRoom } from './disk-space.ts'

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

/** A reader that may not recover a log finds one that its writer has just left or is just making. */
const LOG_NOT_READY: Readonly<Record<number, string>> = {
  264: 'SQLITE_READONLY_RECOVERY',
  520: 'SQLITE_READONLY_CANTLOCK',
  1288: 'SQLITE_READONLY_CANTINIT',
}

/** What becomes of EFBIG, EDQUOT and of ENOSPC outside a plain write. https://www.sqlite.org/rescode.html#ioerr_write */
const WRITE_FAILURES = ['WRITE', 'FSYNC', 'DIR_FSYNC', 'TRUNCATE', 'SHMOPEN', 'SHMSIZE', 'SHMMAP'].map(
  (what) => `SQLITE_IOERR_${what}`,
)

/** SQLite's own result code as text (extended where known), or null when the error is not SQLite's. */
export function sqliteCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  if (code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number') {
    return LOG_NOT_READY[errcode] ?? PRIMARY_CODES[errcode & 0xff] ?? `SQLITE_${errcode}`
  }
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : null
}

/**
 * The one place where SQLite's codes become ours. What is not SQLite's (ours already, or a bug) comes back as it is.
 * @returns LcmError locked, disk_full, file_corrupt, read_only_file, file_not_readable or sqlite_failed; the original
 * is its `cause` and `details.sqlite` is SQLite's code
 */
export function translateSqliteError(error: unknown, path: string): unknown {
  const sqlite = sqliteCode(error)
  if (sqlite === null) return error
  const text = error instanceof Error ? error.message : String(error)
  const make = (code: LcmError['code'], message: string): LcmError =>
    new LcmError(code, message, { path, sqlite }, { cause: error })
  const is = (...codes: readonly string[]): boolean =>
    codes.some((code) => sqlite === code || sqlite.startsWith(`${code}_`))

  if (is('SQLITE_BUSY', 'SQLITE_LOCKED', ...Object.values(LOG_NOT_READY))) {
    return make('locked', `${path} is locked by another program that is writing to it: try again in a moment.`)
  }
  if (is('SQLITE_FULL') || (is(...WRITE_FAILURES) && isOutOfRoom(path))) {
    return make(
      'disk_full',
      `The disk of ${path} is full, or files may not become larger: nothing of this step was written. Free some space, try again.`,
    )
  }
  // A format byte of the header that SQLite knows nothing of is told with its most general code.
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

/** Runs `body`; errors of SQLite leave it translated. */
export function translating<T>(path: string, body: () => T): T {
  try {
    return body()
  } catch (error) {
    throw translateSqliteError(error, path)
  }
}

/** The log of the file is just being made or left, so it cannot be read in this moment. */
export const isLogNotReady = (error: unknown): boolean => Object.values(LOG_NOT_READY).includes(sqliteCode(error) ?? '')

/** Another connection has the file for itself, and gives it back by itself. */
export const isBusy = (error: unknown): boolean =>
  error instanceof LcmError && /^SQLITE_(BUSY|LOCKED)/.test(String(error.details?.sqlite))
