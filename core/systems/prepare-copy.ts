import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { LcmError } from '../errors.ts'
import { type CacheCopy, copyStamp, copyToCacheLater, type PreparedCopy, siblingsOf } from '../sqlite/cache-copy.ts'
import { inspectFile, type MemoryFile } from '../sqlite/memory-file.ts'
import { routeOf } from '../sqlite/read-only-connection.ts'
import { APPLICATION_ID } from '../sqlite/schema.ts'
import { canOpenUris } from '../sqlite/uri-db.ts'

/** A writer that is just closing leaves its log for a moment without what belongs to it. */
const PAUSE_MS = 20

/**
 * Copies a file that can be looked at only as a copy, as one whose writer has crashed, and lets others have their turn
 * while that goes on; opening it without would copy it in one go. null for any other file, and for one that cannot be
 * copied, of which opening it says why.
 */
export async function prepareCopy(path: string, cacheDir: string): Promise<PreparedCopy | null> {
  try {
    // Beside a writer it is read in place; its header would have to be read by another process.
    if (canOpenUris() && existsSync(`${path}-shm`)) return null
    if (!isReadAsCopy(inspectFile(path))) return null
    await wait(PAUSE_MS)
    const file = inspectFile(path)
    if (!isReadAsCopy(file)) return null
    const before = copyStamp(file)
    return prepared(before, await copyToCacheLater(file.realPath, siblingsOf(file), cacheDir))
  } catch (error) {
    if (error instanceof LcmError) return null
    throw error
  }
}

function prepared(before: string, made: CacheCopy): PreparedCopy {
  let copy: CacheCopy | null = made
  const handOver = (): CacheCopy | null => {
    const here = copy
    copy = null
    return here
  }
  return {
    take: (stamp) => (stamp === before ? handOver() : null),
    drop: () => handOver()?.remove(),
  }
}

/** Our own files are mostly written, and opened in another way. */
const isReadAsCopy = (file: MemoryFile): boolean =>
  file.header.applicationId !== APPLICATION_ID && routeOf(file, canOpenUris()) === 'copy'
