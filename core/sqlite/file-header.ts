import { execFile } from 'node:child_process'
import { closeSync, existsSync, openSync, readSync } from 'node:fs'

const MAGIC = 'SQLite format 3\0'
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
 * A file with a `-shm` beside it may be open as a database in this process. Closing any descriptor of such a file drops
 * all POSIX locks that this process holds on it, those of an open SQLite connection included, and a memory without its
 * locks can lose commits
 * (https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_). So this
 * process never opens it with `fs`, except on Windows, which has no such rule.
 */
export const mayBeOpenHere = (path: string): boolean => process.platform !== 'win32' && existsSync(`${path}-shm`)

/** The first 100 bytes of a file, fewer when it is shorter. Another process reads a file that may be open in this one. */
export async function readStart(path: string): Promise<Buffer> {
  return (mayBeOpenHere(path) && (await startByOther(path))) || startOfFile(path)
}

/** null where it cannot be read in this way. */
function startByOther(path: string): Promise<Buffer | null> {
  return new Promise((done) => {
    execFile('head', ['-c', String(HEADER_BYTES), path], { encoding: 'buffer' }, (error, start) =>
      done(error === null ? start : null),
    )
  })
}

/** The same of a file that is not open as a database in this process. */
export function startOfFile(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(HEADER_BYTES)
    return start.subarray(0, readSync(file, start, 0, HEADER_BYTES, 0))
  } finally {
    closeSync(file)
  }
}

/** Only a database has a `-shm`: such a file is not read. @throws what reading a file throws */
export const isDatabase = (path: string): boolean =>
  mayBeOpenHere(path) || startOfFile(path).toString('latin1', 0, MAGIC.length) === MAGIC

/** What is there of a header begins as one. */
export const isCutHeader = (start: Buffer): boolean => MAGIC.startsWith(start.toString('latin1', 0, MAGIC.length))

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
