import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { LcmError } from '../errors.ts'
import { fileError } from './memory-file.ts'
import { errorAboutTarget, partialPath, removeDatabase } from './new-file.ts'
import { type ReadDb, wrapConnection } from './read-db.ts'
import { translateSqliteError } from './sqlite-error.ts'

const queries = {
  schemaCount: /* sql */ `SELECT count(*) FROM sqlite_schema`,
}

/** Pages that are copied at a time. This is about 8 MB, so that a writer never waits long. */
const STEP_PAGES = 2000
const LOOK_MS = 20

export type BackupRequest = {
  /** The path of the file as it was opened. */
  readonly path: string
  /** The folder for the copy. By default, it is the folder of the file. */
  readonly folder?: string | undefined
  readonly nowMs: number
  /** Compares the original and the copy, each in one state. Returns a sentence about the difference, or null. */
  readonly verify: (original: ReadDb, copy: ReadDb) => Promise<string | null>
}

export type StoredBackup = { readonly path: string; readonly bytes: number; readonly atMs: number }

/**
 * Copies a native file page by page while others use it, and verifies the copy before it is named
 * `<file>.backup-<time>.db`. A copy that failed or was cancelled is removed, and what a killed process left of one. https://www.sqlite.org/backup.html
 * @throws LcmError cancelled, disk_full, file_not_readable, sqlite_failed
 */
export async function* backUp(
  request: BackupRequest,
  signal: AbortSignal,
): AsyncGenerator<{ readonly done: number; readonly total: number }, StoredBackup> {
  const source = realpathSync(request.path)
  const folder = resolve(request.folder ?? dirname(source))
  const path = freePath(folder, basename(source), request.nowMs)
  let partial = path
  let original: Database.Database | null = null
  try {
    mkdirSync(folder, { recursive: true })
    partial = partialPath(path, `${basename(source)}.backup-`)
    // The connection is not read-only, because such a connection skips CHECK constraints in its integrity check.
    original = new Database(source, { timeout: 5000 })
    // The transaction stays open until the copy is verified, so that the original does not change in between.
    original.exec('BEGIN')
    original.prepare(queries.schemaCount).get()
    yield* copyPages(original, partial, signal)
    const copy = new Database(partial, { timeout: 5000 })
    try {
      // The copy is one file without a log beside it.
      copy.pragma('journal_mode = DELETE')
      const difference = await request.verify(wrapConnection(original, source), wrapConnection(copy, partial))
      if (difference !== null) {
        throw new LcmError('sqlite_failed', `The backup is not the same as ${source} (${difference}) and was not kept.`)
      }
    } finally {
      copy.close()
    }
    renameSync(partial, path)
    return { path, bytes: statSync(path).size, atMs: request.nowMs }
  } catch (error) {
    // The size of what was copied tells a full disk from a broken one.
    const translated = errorAboutTarget(path, partial, translateSqliteError(error, partial))
    if (partial !== path) removeDatabase(partial)
    throw translated instanceof LcmError ? translated : fileError(translated, path)
  } finally {
    original?.close()
  }
}

async function* copyPages(original: Database.Database, to: string, signal: AbortSignal) {
  const progress = { done: 0, total: 0 }
  const copying = original.backup(to, {
    progress: ({ totalPages, remainingPages }) => {
      if (signal.aborted) throw new LcmError('cancelled', 'Cancelled while the backup was made. Nothing was changed.')
      progress.total = totalPages
      progress.done = totalPages - remainingPages
      return STEP_PAGES
    },
  })
  const ended = copying.then(() => true)
  ended.catch(() => undefined)
  for (;;) {
    const isDone = await Promise.race([ended, wait(LOOK_MS, false)])
    yield { ...progress }
    if (isDone) return
  }
}

const TIME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z(?:-\d+)?$/

function freePath(folder: string, name: string, nowMs: number): string {
  const stem = join(folder, `${name}.backup-${new Date(nowMs).toISOString().replace(/[-:.]/g, '')}`)
  for (let number = 1; ; number += 1) {
    const path = number === 1 ? `${stem}.db` : `${stem}-${number}.db`
    if (!existsSync(path)) return path
  }
}

/** Returns the backups beside a file, or in another folder, newest first. */
export function listBackups(path: string, folder?: string): StoredBackup[] {
  const file = existsSync(path) ? realpathSync(path) : resolve(path)
  const where = resolve(folder ?? dirname(file))
  const prefix = `${basename(file)}.backup-`
  if (!existsSync(where)) return []
  const found = readdirSync(where).flatMap((name): StoredBackup[] => {
    if (!name.startsWith(prefix) || !name.endsWith('.db')) return []
    const time = name.slice(prefix.length, -'.db'.length)
    const atMs = Date.parse(time.replace(TIME, '$1-$2-$3T$4:$5:$6.$7Z'))
    if (!TIME.test(time) || Number.isNaN(atMs)) return []
    return [{ path: join(where, name), bytes: statSync(join(where, name)).size, atMs }]
  })
  return found.toSorted((a, b) => b.atMs - a.atMs || (a.path < b.path ? 1 : -1))
}
