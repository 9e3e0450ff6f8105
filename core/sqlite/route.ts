import { setTimeout as wait } from 'node:timers/promises'
import { LcmError } from '../errors.ts'
import { type CacheCopy, connectToCopy, copyToCache } from './cache-copy.ts'
import { changedMeanwhile } from './file-stamp.ts'
import { connectImage } from './image.ts'
import { connectImmutable } from './immutable.ts'
import { connectInPlace } from './in-place.ts'
import { inspectAtRest, inspectFile, lookAgain, type MemoryFile } from './memory-file.ts'
import { isBusy } from './sqlite-error.ts'
import { canOpenUris, type ReadOnlyConnection } from './uri-db.ts'

/** Up to here a file at rest is read into memory. */
export const IMAGE_LIMIT_BYTES = 32 * 1024 * 1024

/** `copy`: an image that stands in the cache, for what only a writer could bring in order. */
type Route = 'image' | 'copy' | 'immutable' | 'in_place'

/**
 * Decides how a file is read so that nothing changes beside it.
 *
 * With something in its `-wal` the data is in both files: where a `-shm` stands too they are read in place; without one
 * SQLite would have to make it, so a copy is read. Everything else is at rest, also beside an empty log, which a writer
 * that is idle has and one that was killed leaves: when it grows, the file is opened anew. Read in place, SQLite could
 * not trust the index of such a log, and would call the file changed at every look.
 */
export function routeOf(file: MemoryFile, hasUris = canOpenUris()): Route {
  if (file.walBytes > 0) return file.hasShm ? 'in_place' : 'copy'
  // A rollback journal belongs to a writer (then we wait for it) or to a crash (then reading fails and a copy helps).
  if (file.hasJournal) return 'in_place'
  if (file.bytes <= IMAGE_LIMIT_BYTES && !mayLoseLocks(file)) return 'image'
  // In rollback-journal mode a plain reader leaves nothing and is never shown half a commit.
  if (!file.header.isWal) return 'in_place'
  return hasUris ? 'immutable' : 'copy'
}

/** Reading it with `fs` could drop the locks of a connection that another thread has to it (see `mayBeOpenHere`). */
const mayLoseLocks = ({ hasShm, header }: MemoryFile): boolean => hasShm && header.isWal && process.platform !== 'win32'

const CONNECT: Readonly<Record<Exclude<Route, 'copy'>, (file: MemoryFile) => ReadOnlyConnection | null>> = {
  image: connectImage,
  immutable: connectImmutable,
  in_place: connectInPlace,
}

/** Gives the copy of a file away, to be removed by whoever takes it; null when there is none. */
export type TakeCopy = () => CacheCopy | null

/**
 * Opens a file for reading, in one attempt, and leaves no trace: after `close` its folder holds the same names and the
 * same bytes.
 * @throws LcmError locked when the file is in the hands of a writer, has changed since it was inspected, or can only be
 * read as a copy and there is none: then `openPatiently` tries again; file_corrupt, file_not_readable
 */
export function connectReadOnly(file: MemoryFile, takeCopy: TakeCopy): ReadOnlyConnection {
  const copy = takeCopy()
  if (copy) return connectToCopy(file, copy)
  const route = routeOf(file)
  const connection = route === 'copy' ? null : CONNECT[route](file)
  if (connection === null) throw changedMeanwhile(file.path)
  return connection
}

/**
 * The same file some time after it was read in place: quickly while that is still the way, else as if for the first time.
 * @throws LcmError what `inspectFile` and `connectReadOnly` throw
 */
export function reconnect(before: MemoryFile): ReadOnlyConnection {
  const now = lookAgain(before)
  const file = now && routeOf(now) === 'in_place' ? now : (inspectAtRest(before.path) ?? now)
  // Another file took its place, and may be open in this process.
  if (file === null) throw changedMeanwhile(before.path)
  return connectReadOnly(file, () => null)
}

const PAUSE_MS = 20
/** A writer that has the whole file for itself is waited for. */
const LONGEST_WAIT_MS = 5000
/** A writer that comes or goes shows its files half made for a moment; what stays like that, a crash has left. */
const MOMENTS = 2

/**
 * Opens a file in as many attempts as it needs, and lets others have their turn between them and while it is copied.
 * @param open makes one attempt
 * @throws LcmError what `inspectFile` and `open` throw, disk_full; `locked` only after five seconds
 */
export async function openPatiently<T>(
  path: string,
  cacheDir: string,
  open: (file: MemoryFile, takeCopy: TakeCopy) => T | Promise<T>,
): Promise<T> {
  const until = Date.now() + LONGEST_WAIT_MS
  for (let failures = 0; ; ) {
    const file = await inspectFile(path)
    const isCopied = failures >= MOMENTS || (failures > 0 && routeOf(file) === 'copy')
    let copy = isCopied ? await copyToCache(file, cacheDir) : null
    try {
      return await open(file, () => {
        const taken = copy
        copy = null
        return taken
      })
    } catch (error) {
      if (!(error instanceof LcmError) || error.code !== 'locked' || Date.now() >= until) throw error
      if (!isBusy(error)) failures += 1
    } finally {
      copy?.remove()
    }
    await wait(PAUSE_MS)
  }
}
