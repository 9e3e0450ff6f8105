import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyFileUnderLocks } from './copy-file.ts'
import { fileError } from './memory-file.ts'
import { isAlive } from './new-file.ts'

const PREFIX = 'look-'

export type CacheCopy = { readonly path: string; remove(): void }

/**
 * Copies a database and the siblings that belong to it into the app's cache; a clone that takes no room where the file
 * system can do that. Copies of processes that are gone are removed on the way.
 * @throws LcmError disk_full, file_not_readable
 */
export function copyToCache(realPath: string, siblings: readonly ('-wal' | '-journal')[], cacheDir: string): CacheCopy {
  let folder: string | null = null
  try {
    mkdirSync(cacheDir, { recursive: true })
    removeStaleCopies(cacheDir)
    folder = mkdtempSync(join(cacheDir, `${PREFIX}${process.pid}-`))
    const path = join(folder, 'lcm.db')
    for (const sibling of ['', ...siblings]) {
      copyFileUnderLocks(`${realPath}${sibling}`, `${path}${sibling}`)
      chmodSync(`${path}${sibling}`, 0o600)
    }
    const made = folder
    return { path, remove: () => rmSync(made, { recursive: true, force: true }) }
  } catch (error) {
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
    throw fileError(error, realPath)
  }
}

function removeStaleCopies(cacheDir: string): void {
  for (const name of readdirSync(cacheDir)) {
    const owner = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : Number.NaN
    if (Number.isInteger(owner) && !isAlive(owner)) rmSync(join(cacheDir, name), { recursive: true, force: true })
  }
}
