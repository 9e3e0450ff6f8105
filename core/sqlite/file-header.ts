import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readSync } from 'node:fs'

export const MAGIC = 'SQLite format 3\0'
const HEADER_BYTES = 100

/** The fields of a database header that tell what a file is. https://www.sqlite.org/fileformat2.html#the_database_header */
export type FileHeader = {
  readonly pageSize: number
  /** null when the last writer left the count unset. */
  readonly pageCount: number | null
  /** The file's own mode: write-ahead log or rollback journal. */
  readonly isWal: boolean
  readonly userVersion: number
  readonly applicationId: number
}

/**
 * The first 100 bytes of a file, fewer when it is shorter. A file with a `-shm` may be open in another thread of this
 * process: see `startByOther`.
 */
export function readStart(path: string): Buffer {
  return (existsSync(`${path}-shm`) && startByOther(path, HEADER_BYTES)) || startOfFile(path, HEADER_BYTES)
}

/**
 * The first bytes of a file that may be open as a database in this process, or of its `-shm`. Closing any descriptor of
 * a file drops all POSIX locks that this process holds on it, those of an open SQLite connection included, and a memory
 * without its locks can lose commits
 * (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_). So another
 * process reads it for us, except on Windows, which has no such rule.
 * @returns null where it cannot be read in this way
 */
export function startByOther(path: string, bytes: number): Buffer | null {
  if (process.platform === 'win32') return startOfFile(path, bytes)
  const head = spawnSync('head', ['-c', String(bytes), path], { stdio: ['ignore', 'pipe', 'ignore'] })
  return head.status === 0 ? head.stdout : null
}

function startOfFile(path: string, bytes: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(bytes)
    return start.subarray(0, readSync(file, start, 0, bytes, 0))
  } finally {
    closeSync(file)
  }
}

/** null when the bytes are no complete SQLite header. */
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
