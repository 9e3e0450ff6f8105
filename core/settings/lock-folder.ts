import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { LcmError } from '../errors.ts'
import { holdLock } from '../sqlite/cache-db.ts'
import { fileError } from '../sqlite/memory-file.ts'

const LOOK_MS = 5

/**
 * Waits until no other process holds the lock of a folder, which is made if it is missing, and holds it.
 * @returns a function that releases the lock
 * @throws LcmError locked, file_not_readable, disk_full, read_only_file
 */
export async function lockFolder(folder: string, waitMs: number): Promise<() => void> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw fileError(error, folder)
  }
  const path = join(folder, 'files.lock')
  const endMs = performance.now() + waitMs
  for (;;) {
    const release = holdLock(path)
    if (release !== null) return release
    if (performance.now() >= endMs)
      throw new LcmError('locked', `Another program holds ${path}: try again in a moment.`, { path })
    await wait(LOOK_MS)
  }
}
