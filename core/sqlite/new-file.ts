import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readdirSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { LcmError } from '../errors.ts'
import { fileError, pathExists } from './memory-file.ts'
import { openNative } from './native.ts'
import type { WriteDb } from './read-db.ts'

/**
 * Nobody needs a file in the making after a crash, so that nothing of it is synced before it is whole, and its journal,
 * by which a failed statement is taken back, stays in memory. See docs/decisions/0032-files-in-the-making.md.
 */
const UNSYNCED = 'PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -32000'
const AT_REST = 'PRAGMA journal_mode = WAL'

/**
 * Makes a native file beside its place, under a name of its own, and gives it its name when it is whole: whatever ends
 * the making, nothing half written stands at `to`, and what somebody else has put there meanwhile stays. Inside `make`
 * neither references nor checks are enforced: what is damaged is taken over as it is, for the checks to find.
 * @throws LcmError invalid_argument when something is at `to`; file_missing, file_not_readable, disk_full; whatever
 * `make` throws
 */
export async function* makeNativeFile<P, T>(
  to: string,
  make: (db: WriteDb) => AsyncGenerator<P, T>,
): AsyncGenerator<P, T> {
  if (pathExists(to)) throw takenError(to)
  if (!pathExists(dirname(to))) {
    throw new LcmError('file_missing', `${to} cannot be made: its folder does not exist. Make the folder first.`, {
      path: to,
    })
  }
  const partial = partialPath(to)
  try {
    const db = openNative(partial)
    try {
      db.exec(`PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; ${UNSYNCED}`)
      const result = yield* make(db)
      // The log is empty, and closing removes it: only the file gets the name.
      db.exec(AT_REST)
      db.close()
      sync(partial)
      giveName(partial, to)
      return result
    } finally {
      db.close()
    }
  } catch (error) {
    throw toldOf(to, partial, error)
  } finally {
    removeDatabase(partial)
  }
}

/** The name must never stand for a file whose pages a power cut has lost. */
function sync(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Removes a database and what SQLite keeps beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true })
}

/**
 * A name beside `to` that no other process and no other job has, for a file in the making. What processes that are gone
 * have left of the same file is removed.
 * @throws LcmError file_not_readable
 */
export function partialPath(to: string): string {
  const folder = dirname(to)
  const prefix = `${basename(to)}.partial-`
  try {
    for (const name of readdirSync(folder)) {
      const owner = name.startsWith(prefix) ? /^(\d+)-/.exec(name.slice(prefix.length))?.[1] : undefined
      if (owner !== undefined && !isAlive(Number(owner))) rmSync(join(folder, name), { force: true })
    }
  } catch (error) {
    throw fileError(error, folder)
  }
  return join(folder, `${prefix}${process.pid}-${randomBytes(3).toString('hex')}`)
}

/** An error on a file in the making, told of the file that it was to become, which is the one that people know. */
export function toldOf(to: string, partial: string, error: unknown): unknown {
  if (error instanceof Error && 'syscall' in error) return fileError(error, to)
  if (!(error instanceof LcmError) || !error.message.includes(partial)) return error
  const message = error.message.replaceAll(partial, () => to)
  return new LcmError(error.code, message, error.details && { ...error.details, path: to }, { cause: error })
}

/**
 * Gives a finished file its name, unless something has that name by now.
 * @throws LcmError invalid_argument, file_not_readable, disk_full
 */
export function giveName(partial: string, to: string): void {
  try {
    // Unlike a renaming it fails where something is.
    linkSync(partial, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw takenError(to)
    // A file system without links.
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

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
