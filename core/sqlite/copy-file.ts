import { execFile } from 'node:child_process'
import { constants, existsSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { hasPosixLocks } from '../platform.ts'

/** Messages of `cp` in the C locale, with the error codes of the operating system. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/No such file or directory/, 'ENOENT'],
  [/Permission denied|Operation not permitted/, 'EACCES'],
  [/No space left on device|Disk quota exceeded/, 'ENOSPC'],
  [/File too large/, 'EFBIG'],
]

/**
 * Copies a database file or one of the files beside it. If this process may have the file open as a database, another
 * process makes the copy, so that no lock is lost (see `mayBeOpenHere`). Where the file system supports it, the copy is
 * a clone that uses no space.
 * @throws Error with the code of the operating system
 */
export async function copyFileUnderLocks(from: string, to: string): Promise<void> {
  if (!mayBeLocked(from)) return await copyFile(from, to, constants.COPYFILE_FICLONE)
  await new Promise<void>((done, fail) => {
    execFile('cp', [from, to], { env: { ...process.env, LC_ALL: 'C' } }, (error, _, said) => {
      if (error === null) done()
      else fail(typeof error.code === 'string' ? error : copyError(said, error.signal))
    })
  })
}

/**
 * Paths are absolute, so that `cp` takes none for an option. On Windows locks are not lost, and SQLite never locks the
 * log.
 */
const mayBeLocked = (path: string): boolean => hasPosixLocks() && !/-(wal|journal)$/.test(path) && existsSync(path)

/** Where the size of files is limited, a signal ends `cp` before it can print a message. */
function copyError(said: string, signal: NodeJS.Signals | null | undefined): Error {
  const code = signal === 'SIGXFSZ' ? 'EFBIG' : (REASONS.find(([words]) => words.test(said))?.[1] ?? 'EIO')
  return Object.assign(new Error(said.trim() || 'the file could not be copied'), { code })
}
