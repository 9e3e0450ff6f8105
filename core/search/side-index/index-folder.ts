import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../hashing.ts'
import { holdLock, openCacheDb, removeUnusedDb } from '../../sqlite/cache-db.ts'
import { fileError, pathExists } from '../../sqlite/memory-file.ts'

const queries = {
  meta: /* sql */ `SELECT key, value FROM meta`,
}

/** All search indexes together. */
export const FOLDER_LIMIT_BYTES = 2 * 1024 ** 3
/** What was begun and not gone on with for so long is not waited for. */
const UNFINISHED_LIMIT_MS = 24 * 3600_000

const KEY_LENGTH = 24

/** Where the search indexes of foreign files are kept: never beside those files. */
export const indexFolder = (cacheDir: string): string => join(cacheDir, 'search-indexes')

/** Stands for one file of another system, by its path without links. */
export const keyOf = (realPath: string): string => sha256(realPath).slice(0, KEY_LENGTH)

/** A path is used once only: what another process still has open under an old one can never meet what comes next. */
export const newIndexPath = (folder: string, key: string): string =>
  join(folder, `${key}-${randomBytes(4).toString('hex')}.db`)

/** Indexes made for a file, last used first; usually one. */
export function indexesOf(folder: string, key: string): string[] {
  return listIndexes(folder)
    .filter((index) => index.key === key)
    .map(({ path }) => path)
}

/** @throws LcmError file_not_readable, disk_full */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw fileError(error, folder)
  }
}

/**
 * The right to write the index of a file; null while another process or thread has it.
 * @throws LcmError when the folder cannot be written
 */
export const lockIndex = (folder: string, key: string): (() => void) | null =>
  // Few lock files for all keys, which therefore can stay.
  holdLock(join(folder, `lock-${key.slice(0, 2)}`))

type IndexFile = { readonly path: string; readonly key: string; readonly bytes: number; readonly usedAtMs: number }

function listIndexes(folder: string): IndexFile[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    // There is no folder yet, or none that can be read.
    return []
  }
  return names
    .filter((name) => /^[0-9a-f]{24}-[0-9a-f]{8}\.db$/.test(name))
    .flatMap((name): IndexFile[] => {
      const path = join(folder, name)
      const file = statSync(path, { throwIfNoEntry: false })
      const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
      if (!file) return []
      return [{ path, key: name.slice(0, KEY_LENGTH), bytes: file.size + (log?.size ?? 0), usedAtMs: file.mtimeMs }]
    })
    .sort((a, b) => b.usedAtMs - a.usedAtMs)
}

/**
 * Removes indexes that serve nobody (their file is gone, they are damaged, or were never finished), then those not used
 * for longest until the rest fits. What any process has open, and what belongs to `keep`, stays.
 * @returns bytes that are left
 */
export function tidyFolder(folder: string, keep: string, limitBytes = FOLDER_LIMIT_BYTES): number {
  const all = listIndexes(folder)
  let bytes = all.filter(({ key }) => key === keep).reduce((sum, index) => sum + index.bytes, 0)
  for (const index of all) {
    if (index.key !== keep && !removeUnwanted(folder, index, limitBytes - bytes)) bytes += index.bytes
  }
  return bytes
}

/** @returns whether it is gone */
function removeUnwanted(folder: string, index: IndexFile, roomBytes: number): boolean {
  // One that is being made is not open to anybody yet for a moment, and seems to be for nothing.
  const unlock = lockIndex(folder, index.key)
  if (!unlock) return false
  const isWanted = index.bytes <= roomBytes && isUseful(index)
  const isGone = !isWanted && removeUnusedDb(index.path)
  unlock()
  return isGone
}

/** Whether there is still a file that it can serve. */
function isUseful({ path, usedAtMs }: IndexFile): boolean {
  try {
    const db = openCacheDb(path, { create: false })
    try {
      const meta = new Map(db.all<{ key: string; value: string }>(queries.meta).map((row) => [row.key, row.value]))
      const isFinished = meta.has('state') || Date.now() - usedAtMs < UNFINISHED_LIMIT_MS
      return isFinished && pathExists(meta.get('source') ?? '')
    } finally {
      db.close()
    }
  } catch {
    return false
  }
}
