import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyFileUnderLocks, copyFileUnderLocksLater } from './copy-file.ts'
import { fileStamp } from './file-guard.ts'
import { fileError, type MemoryFile } from './memory-file.ts'
import { isAlive } from './new-file.ts'

const PREFIX = 'look-'

export type CacheCopy = { readonly path: string; remove(): void }

/** A copy that was made before its file is opened. It is used once or not at all. */
export type PreparedCopy = {
  /** For whoever opens the file and removes the copy then; null when the file has changed since, or it was taken. */
  take(stamp: string): CacheCopy | null
  /** Removes what was not taken. */
  drop(): void
}

type Sibling = '-wal' | '-journal'

/** Of what a copy consists besides the file. */
export const siblingsOf = (file: MemoryFile): readonly Sibling[] => [
  ...(file.hasWal ? ['-wal' as const] : []),
  ...(file.hasJournal ? ['-journal' as const] : []),
]

/** Changes when anything that is copied does. */
export const copyStamp = (file: MemoryFile): string =>
  ['', ...siblingsOf(file)].map((sibling) => fileStamp(`${file.realPath}${sibling}`)).join(' ')

/**
 * Copies a database and the siblings that belong to it into the app's cache; a clone that takes no room where the file
 * system can do that. Copies of processes that are gone are removed on the way.
 * @throws LcmError disk_full, file_not_readable
 */
export function copyToCache(realPath: string, siblings: readonly Sibling[], cacheDir: string): CacheCopy {
  const copy = newCopy(realPath, cacheDir)
  try {
    for (const sibling of ['', ...siblings]) {
      copyFileUnderLocks(`${realPath}${sibling}`, `${copy.path}${sibling}`)
      chmodSync(`${copy.path}${sibling}`, 0o600)
    }
    return copy
  } catch (error) {
    copy.remove()
    throw fileError(error, realPath)
  }
}

/** The same without blocking this thread. */
export async function copyToCacheLater(
  realPath: string,
  siblings: readonly Sibling[],
  cacheDir: string,
): Promise<CacheCopy> {
  const copy = newCopy(realPath, cacheDir)
  try {
    for (const sibling of ['', ...siblings]) {
      await copyFileUnderLocksLater(`${realPath}${sibling}`, `${copy.path}${sibling}`)
      chmodSync(`${copy.path}${sibling}`, 0o600)
    }
    return copy
  } catch (error) {
    copy.remove()
    throw fileError(error, realPath)
  }
}

/** A place for a copy, in a folder of its own. */
function newCopy(realPath: string, cacheDir: string): CacheCopy {
  try {
    mkdirSync(cacheDir, { recursive: true })
    removeStaleCopies(cacheDir)
    const folder = mkdtempSync(join(cacheDir, `${PREFIX}${process.pid}-`))
    return { path: join(folder, 'lcm.db'), remove: () => rmSync(folder, { recursive: true, force: true }) }
  } catch (error) {
    throw fileError(error, realPath)
  }
}

function removeStaleCopies(cacheDir: string): void {
  for (const name of readdirSync(cacheDir)) {
    const owner = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : Number.NaN
    if (Number.isInteger(owner) && !isAlive(owner)) rmSync(join(cacheDir, name), { recursive: true, force: true })
  }
}
