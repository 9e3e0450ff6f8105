import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '#core/hashing.ts'
import { holdLock, openCacheDb, removeUnusedDb } from '#core/sqlite/cache-db.ts'
import { fileError, pathExists } from '#core/sqlite/memory-file.ts'

const queries = {
  meta: /* sql */ `SELECT key, value FROM meta`,
}

/** The size limit of all search indexes together. */
export const FOLDER_LIMIT_BYTES = 2 * 1024 ** 3
/** An unfinished index that was not continued for this long is removed. */
const UNFINISHED_LIMIT_MS = 24 * 3600_000

const KEY_LENGTH = 24

/** Returns the folder of the search indexes of other systems' files. Nothing is written beside those files. */
export const indexFolder = (cacheDir: string): string => join(cacheDir, 'search-indexes')

/** Returns the key of one file of another system, from its path without symbolic links. */
export const keyOf = (realPath: string): string => sha256(realPath).slice(0, KEY_LENGTH)

/**
 * Returns a new path. No path is used twice, so that a process that still has an old index open never sees a new one.
 */
export const newIndexPath = (folder: string, key: string): string =>
  join(folder, `${key}-${randomBytes(4).toString('hex')}.db`)

/** Returns the indexes that were made for a file of another system, the last used first. There is usually one. */
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
 * Takes the lock under which the index of a file is written. Returns null while another process or thread has it.
 * @throws LcmError when the folder cannot be written
 */
export const lockIndex = (folder: string, key: string): (() => void) | null =>
  // A few lock files serve all keys, so they need not be removed.
  holdLock(join(folder, `lock-${key.slice(0, 2)}`))

type IndexFile = {
  readonly path: string
  readonly key: string
  readonly bytes: number
  readonly usedAtMs: number
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // The folder does not exist yet or cannot be read.
    return []
  }
}

function listIndexes(folder: string): IndexFile[] {
  return namesIn(folder)
    .filter((name) => /^[0-9a-f]{24}-[0-9a-f]{8}\.db$/.test(name))
    .flatMap((name): IndexFile[] => {
      const path = join(folder, name)
      const file = statSync(path, { throwIfNoEntry: false })
      const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
      if (!file) return []
      const bytes = file.size + (log?.size ?? 0)
      return [{ path, key: name.slice(0, KEY_LENGTH), bytes, usedAtMs: file.mtimeMs }]
    })
    .sort((a, b) => b.usedAtMs - a.usedAtMs)
}

/**
 * Removes indexes that are of no use (their file is gone, they are damaged, or were never finished), and then those
 * that were not used for longest, until the others fit. An index that any process has open, and those that belong to
 * `keep`, stay.
 * @returns how many bytes are left
 */
export function tidyFolder(folder: string, keep: ReadonlySet<string>, limitBytes = FOLDER_LIMIT_BYTES): number {
  const all = listIndexes(folder)
  let bytes = all.filter(({ key }) => keep.has(key)).reduce((sum, index) => sum + index.bytes, 0)
  for (const index of all) {
    if (!keep.has(index.key) && !removeUnwanted(folder, index, limitBytes - bytes)) bytes += index.bytes
  }
  return bytes
}

/** @returns whether the index was removed */
function removeUnwanted(folder: string, index: IndexFile, roomBytes: number): boolean {
  // For a moment, an index that is being made is not open to anybody and looks useless, so the lock is taken.
  const unlock = lockIndex(folder, index.key)
  if (!unlock) return false
  const isWanted = index.bytes <= roomBytes && isUseful(index)
  const isGone = !isWanted && removeUnusedDb(index.path)
  unlock()
  return isGone
}

/** Whether the file for which the index was made still exists. */
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
