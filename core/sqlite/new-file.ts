import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readdirSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { LcmError } from '../errors.ts'
import { fileError, pathExists } from './memory-file.ts'
import { openNative } from './native.ts'
import { isAlive } from './process-mark.ts'
import type { WriteDb } from './read-db.ts'

/**
 * An unfinished file is useless after a crash. So nothing is synced until it is complete, and its journal, which undoes
 * a failed statement, stays in memory. See docs/decisions/0011-working-copies.md.
 */
const UNSYNCED = 'PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -32000'
const AT_REST = 'PRAGMA journal_mode = WAL'

/**
 * Makes a native file under a temporary name beside `to`, and renames it when it is complete. However the work ends, no
 * unfinished file stands at `to`, and a file that another process has put there is kept. Inside `make` neither foreign
 * keys nor CHECK constraints are enforced: damaged rows are copied unchanged, so that the integrity checks find them.
 * @param beforeNamed is called when the file is complete and synced, right before it gets its name
 * @throws LcmError invalid_argument when something is at `to`; file_missing, file_not_readable, disk_full; whatever
 * `make` throws
 */
export async function* makeNativeFile<P, T>(
  to: string,
  make: (db: WriteDb) => AsyncGenerator<P, T>,
  beforeNamed: () => void = () => undefined,
): AsyncGenerator<P, T> {
  requireFolderOf(to)
  // A process that ended right behind `giveName` has left the unfinished name beside the finished one.
  const partial = partialPath(to)
  if (pathExists(to)) throw takenError(to)
  try {
    const db = openNative(partial)
    try {
      db.exec(`PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; ${UNSYNCED}`)
      const result = yield* make(db)
      // The log is empty, and closing removes it, so only the file has to be renamed.
      db.exec(AT_REST)
      db.close()
      sync(partial)
      beforeNamed()
      giveName(partial, to)
      return result
    } finally {
      db.close()
    }
  } catch (error) {
    throw errorAboutTarget(to, partial, error)
  } finally {
    removeDatabase(partial)
  }
}

/** @throws LcmError file_missing when a new file has no folder to stand in */
export function requireFolderOf(to: string): void {
  if (pathExists(dirname(to))) return
  throw new LcmError('file_missing', `${to} cannot be made: its folder does not exist. Make the folder first.`, {
    path: to,
  })
}

/** The name must never stand for a file whose pages were lost in a power cut. */
function sync(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** The process that makes an unfinished file. */
const OWNER = /\.partial-(\d+)-[^/]*$/

/** Removes a database and the files that SQLite keeps beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true })
}

/**
 * Returns a name beside `to` for an unfinished file that no other process and no other job uses. Removes what ended
 * processes left of the same file.
 * @param beginning of the names of finished files, where not every attempt makes the same name
 * @throws LcmError file_not_readable
 */
export function partialPath(to: string, beginning = `${basename(to)}.partial-`): string {
  const folder = dirname(to)
  try {
    for (const name of readdirSync(folder)) {
      const owner = name.startsWith(beginning) ? OWNER.exec(name)?.[1] : undefined
      if (owner !== undefined && !isAlive(Number(owner))) rmSync(join(folder, name), { force: true })
    }
  } catch (error) {
    throw fileError(error, folder)
  }
  return join(folder, `${basename(to)}.partial-${process.pid}-${randomBytes(3).toString('hex')}`)
}

/**
 * Rewrites an error about an unfinished file to name the file that it was to become, which is the name that users know.
 */
export function errorAboutTarget(to: string, partial: string, error: unknown): unknown {
  if (error instanceof Error && 'syscall' in error) return fileError(error, to)
  if (!(error instanceof LcmError) || !error.message.includes(partial)) return error
  const message = error.message.replaceAll(partial, () => to)
  return new LcmError(error.code, message, error.details && { ...error.details, path: to }, { cause: error })
}

/**
 * Gives a finished file its name, unless the name is in use by now.
 * @throws LcmError invalid_argument, file_not_readable, disk_full
 */
export function giveName(partial: string, to: string): void {
  try {
    // A link fails when the name is in use; a rename would replace the file.
    linkSync(partial, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw takenError(to)
    // The file system has no links.
    if (pathExists(to)) throw takenError(to)
    rename(partial, to)
    return
  }
  unlinkSync(partial)
}

function rename(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    throw fileError(error, to)
  }
}

export const takenError = (path: string): LcmError =>
  new LcmError('invalid_argument', `${path} exists already: choose a path where nothing is.`, { path })
