// Why it is so: docs/decisions/0021-three-routes.md

import { setTimeout as wait } from 'node:timers/promises'
import { LcmError } from '../errors.ts'
import { hasPosixLocks } from '../platform.ts'
import { type CacheCopy, connectToCopy, copyToCache } from './cache-copy.ts'
import { changedMeanwhile } from './file-stamp.ts'
import { connectImage } from './image.ts'
import { connectImmutable } from './immutable.ts'
import { connectInPlace } from './in-place.ts'
import { inspectAtRest, inspectFile, lookAgain, type MemoryFile } from './memory-file.ts'
import { isBusy } from './sqlite-error.ts'
import { canOpenUris, type ReadOnlyConnection } from './uri-db.ts'

/** Files without a writer are read into memory up to this size. */
export const IMAGE_LIMIT_BYTES = 32 * 1024 * 1024

/** `copy` is an image in the cache, for a file whose log or journal only a writer could recover. */
type Route = 'image' | 'copy' | 'immutable' | 'in_place'

/**
 * Decides how a file is read so that nothing changes beside it.
 *
 * If the `-wal` has content, the data is in both files. With a `-shm` they are read in place. Without a `-shm` SQLite
 * would have to create it, so a copy is read. All other files are treated as files without a writer, also those with an
 * empty log: an idle writer has one, and a killed writer leaves one. When the log grows, the file is opened again. In
 * place, SQLite could not trust the index of such a log and would report a change at every check.
 */
export function routeOf(file: MemoryFile, hasUris = canOpenUris()): Route {
  if (file.walBytes > 0) return file.hasShm ? 'in_place' : 'copy'
  // A rollback journal belongs to a writer, which is waited for, or to a crash. After a crash reading fails, and a copy
  // is read.
  if (file.hasJournal) return 'in_place'
  if (file.bytes <= IMAGE_LIMIT_BYTES && !mayLoseLocks(file)) return 'image'
  // In rollback-journal mode a plain reader leaves no trace and never sees half a commit.
  if (!file.header.isWal) return 'in_place'
  return hasUris ? 'immutable' : 'copy'
}

/** Reading the file with `fs` could drop the locks of a connection in another thread (see `mayBeOpenHere`). */
const mayLoseLocks = ({ hasShm, header }: MemoryFile): boolean => hasShm && header.isWal && hasPosixLocks()

const CONNECT: Readonly<Record<Exclude<Route, 'copy'>, (file: MemoryFile) => ReadOnlyConnection | null>> = {
  image: connectImage,
  immutable: connectImmutable,
  in_place: connectInPlace,
}

/** Hands over the copy of a file, which the caller has to remove, or returns null when there is none. */
export type TakeCopy = () => CacheCopy | null

/**
 * Opens a file for reading in one attempt, without a trace: after `close` its folder has the same names and bytes.
 * @throws LcmError locked when a writer uses the file, when it has changed since it was inspected, or when it can only
 * be read as a copy and there is none, so that `openPatiently` tries again; file_corrupt, file_not_readable
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
 * Opens a file again that was read in place before: quickly if the route still holds, otherwise as if for the first
 * time.
 * @throws LcmError what `inspectFile` and `connectReadOnly` throw
 */
export function reconnect(before: MemoryFile): ReadOnlyConnection {
  const now = lookAgain(before)
  const file = now && routeOf(now) === 'in_place' ? now : (inspectAtRest(before.path) ?? now)
  // Another file has taken its place, and this process may have that one open.
  if (file === null) throw changedMeanwhile(before.path)
  return connectReadOnly(file, () => null)
}

const PAUSE_MS = 20
/** How long opening waits for a writer with an exclusive lock. */
const LONGEST_WAIT_MS = 5000
/**
 * A writer that starts or ends leaves its files in an odd state for a moment. A state that lasts is the result of a
 * crash.
 */
const MOMENTS = 2

/**
 * Opens a file in as many attempts as it needs. It yields between attempts and while the file is copied.
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
