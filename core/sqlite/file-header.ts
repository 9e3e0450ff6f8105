import { execFile } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { hasPosixLocks } from '../platform.ts'
import { readAt } from '../read-at.ts'

const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100

/** Fields of the database header. https://www.sqlite.org/fileformat2.html#the_database_header */
export type FileHeader = {
  readonly pageSize: number
  /** The number of pages, or null when the last writer did not store it. */
  readonly pageCount: number | null
  /** True for write-ahead logging, false for a rollback journal. */
  readonly isWal: boolean
  readonly userVersion: number
  readonly applicationId: number
}

/**
 * Tells whether this process may have the file open as a database: a file with a `-shm` beside it may be. Closing any
 * descriptor of such a file drops all POSIX locks that this process holds on it, including those of an open SQLite
 * connection, and a database without its locks can lose commits
 * (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_). So this
 * process never opens such a file with `fs`. Windows does not have this rule.
 */
export const mayBeOpenHere = (path: string): boolean => hasPosixLocks() && existsSync(`${path}-shm`)

/**
 * Returns the first 100 bytes of a file, or fewer when it is shorter. If the file may be open in this process, another
 * process reads it.
 */
export async function readStart(path: string): Promise<Buffer> {
  return (mayBeOpenHere(path) && (await startByOther(path))) || startOfFile(path)
}

/** Returns null when the file cannot be read by another process. */
function startByOther(path: string): Promise<Buffer | null> {
  return new Promise((done) => {
    execFile('head', ['-c', String(HEADER_BYTES), path], { encoding: 'buffer' }, (error, start) =>
      done(error === null ? start : null),
    )
  })
}

/** Does the same as `readStart` for a file that this process does not have open as a database. */
export function startOfFile(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    return readAt(file, 0, HEADER_BYTES)
  } finally {
    closeSync(file)
  }
}

/**
 * Tells whether the file is a database. A file with a `-shm` is one, and is not read.
 * @throws any error of reading the file
 */
export const isDatabase = (path: string): boolean =>
  mayBeOpenHere(path) || startOfFile(path).toString('latin1', 0, MAGIC.length) === MAGIC

/** True when the bytes are the beginning of a header that was cut off. */
export const isCutHeader = (start: Buffer): boolean => MAGIC.startsWith(start.toString('latin1', 0, MAGIC.length))

/** Returns null when the bytes are not a complete SQLite header. */
export function parseHeader(start: Buffer): FileHeader | null {
  if (start.length < HEADER_BYTES || start.toString('latin1', 0, 16) !== MAGIC) return null
  const storedPageSize = start.readUInt16BE(16)
  const pageCount = start.readUInt32BE(28)
  const isCountValid = pageCount > 0 && start.readUInt32BE(24) === start.readUInt32BE(92)
  return {
    pageSize: storedPageSize === 1 ? 65536 : storedPageSize,
    pageCount: isCountValid ? pageCount : null,
    isWal: start[18] === 2 || start[19] === 2,
    userVersion: start.readInt32BE(60),
    applicationId: start.readUInt32BE(68),
  }
}
