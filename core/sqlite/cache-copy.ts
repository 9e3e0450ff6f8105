import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { copyFileUnderLocks } from './copy-file.ts'
import { fileStamp } from './file-stamp.ts'
import { fileError, type MemoryFile } from './memory-file.ts'
import { makeProcessFolder } from './process-folder.ts'
import { wrapConnection } from './read-db.ts'
import { translating } from './sqlite-error.ts'
import type { ReadOnlyConnection } from './uri-db.ts'

const PREFIX = 'look-'

export type CacheCopy = { readonly path: string; remove(): void }

/**
 * Copies a database and the files beside it unchanged into the app's cache. Before that, it removes copies of processes
 * that have ended.
 * @returns null when the file was changed while it was copied
 * @throws LcmError disk_full, file_not_readable
 */
export async function copyToCache(file: MemoryFile, cacheDir: string): Promise<CacheCopy | null> {
  const siblings = ['', ...(file.hasWal ? ['-wal'] : []), ...(file.hasJournal ? ['-journal'] : [])]
  const stamp = (): string => siblings.map((sibling) => fileStamp(`${file.realPath}${sibling}`)).join(' ')
  const before = stamp()
  const copy = newCopy(file.realPath, cacheDir)
  try {
    for (const sibling of siblings) {
      await copyFileUnderLocks(`${file.realPath}${sibling}`, `${copy.path}${sibling}`)
      chmodSync(`${copy.path}${sibling}`, 0o600)
    }
  } catch (error) {
    copy.remove()
    // The log may have been checkpointed meanwhile. The file can then be read by another route.
    if (stamp() !== before) return null
    throw fileError(error, file.realPath)
  }
  if (stamp() === before) return copy
  copy.remove()
  return null
}

/**
 * Reads the copy instead of the file. SQLite recovers what it can from the log or journal of the copy. Closing removes
 * the copy.
 */
export function connectToCopy(file: MemoryFile, copy: CacheCopy): ReadOnlyConnection {
  try {
    const db = translating(file.path, () => wrapConnection(new Database(copy.path), file.path))
    return {
      db,
      access: 'cache_copy',
      close: () => {
        db.close()
        copy.remove()
      },
    }
  } catch (error) {
    copy.remove()
    throw error
  }
}

/** Returns a path for a copy, in a folder of its own. */
function newCopy(realPath: string, cacheDir: string): CacheCopy {
  try {
    const folder = makeProcessFolder(cacheDir, PREFIX)
    return { path: join(folder, 'lcm.db'), remove: () => rmSync(folder, { recursive: true, force: true }) }
  } catch (error) {
    throw fileError(error, realPath)
  }
}
