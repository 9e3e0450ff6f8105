import { execFile } from 'node:child_process'
import { constants, existsSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'

/** What `cp` says, in the C locale, and what the system calls it. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/No such file or directory/, 'ENOENT'],
  [/Permission denied|Operation not permitted/, 'EACCES'],
  [/No space left on device|Disk quota exceeded/, 'ENOSPC'],
  [/File too large/, 'EFBIG'],
]

/**
 * Copies a database file, or one that belongs to it, that may be open in this process: where it may be, another process
 * does it, so that no lock is lost (see `mayBeOpenHere`). A clone that takes no room where the file system can do that.
 * @throws Error with the system's code
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

/** Paths are absolute: none can be taken for an option. Windows has no such rule, and the log is never locked. */
const mayBeLocked = (path: string): boolean =>
  process.platform !== 'win32' && !/-(wal|journal)$/.test(path) && existsSync(path)

/** Where files may not become larger, a signal ends the command before it can say so. */
function copyError(said: string, signal: NodeJS.Signals | null | undefined): Error {
  const code = signal === 'SIGXFSZ' ? 'EFBIG' : (REASONS.find(([words]) => words.test(said))?.[1] ?? 'EIO')
  return Object.assign(new Error(said.trim() || 'the file could not be copied'), { code })
}
