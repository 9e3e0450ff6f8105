import { existsSync, readFileSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { MemoryInfo } from '../contract/memory.ts'
import { assertNever, LcmError } from '../errors.ts'
import { blockThread } from '../yielding.ts'
import { type CacheCopy, copyStamp, copyToCache, type PreparedCopy, siblingsOf } from './cache-copy.ts'
import { changedMeanwhile, fileStamp, guardFile } from './file-guard.ts'
import { hasSoundIndex } from './log-index.ts'
import { fileError, inspectFile, lookAgain, type MemoryFile } from './memory-file.ts'
import { wrapConnection } from './read-db.ts'
import { translating } from './sqlite-error.ts'
import { canOpenUris, openByUri, type PreparableDb } from './uri-db.ts'
import { beginsAsLog } from './write-ahead-log.ts'

const queries = {
  schemaCount: /* sql */ `SELECT count(*) FROM sqlite_schema`,
}

/** Up to here a file at rest is read into memory, which nobody can change under us; larger ones stay where they are. */
export const IMAGE_LIMIT_BYTES = 32 * 1024 * 1024

export type ReadOnlyConnection = {
  readonly db: PreparableDb
  readonly access: MemoryInfo['access']
  close(): void
}

export type Route = 'image' | 'at_rest' | 'live' | 'copy'

const ATTEMPTS = 5
const PAUSE_MS = 20
/** A writer that has the whole file for itself for a moment is waited for. */
const BUSY_TIMEOUT_MS = 5000

/**
 * Decides how a file is reached so that nothing changes beside it.
 *
 * With something in its `-wal` the data is in both files: where a `-shm` stands too they are read in place; without one
 * SQLite would have to make it, so a copy is read. Everything else is at rest, also beside an empty log, which a writer
 * that is idle has and one that was killed leaves: when it grows, the file is opened anew. Read in place, SQLite could
 * not trust the index of such a log, and would call the file changed at every look.
 */
export function routeOf(file: MemoryFile, hasUris: boolean): Route {
  if (file.walBytes > 0) return file.hasShm ? 'live' : 'copy'
  // A rollback journal belongs to a writer (then we wait for it) or to a crash (then reading fails and a copy helps).
  if (file.hasJournal) return 'live'
  if (file.bytes <= IMAGE_LIMIT_BYTES) return 'image'
  // In rollback-journal mode a plain reader leaves nothing and is never shown half a commit.
  if (!file.header.isWal) return 'live'
  return hasUris ? 'at_rest' : 'copy'
}

/**
 * Opens a file for reading and leaves no trace: after `close` its folder holds the same names and the same bytes.
 * A writer that comes or goes meanwhile changes the route, so it is chosen anew a few times.
 * @param prepared a copy of the file that was made beforehand, for when only a copy can be read
 * @throws LcmError locked, file_corrupt, file_not_readable, disk_full
 */
export function connectReadOnly(
  file: MemoryFile,
  cacheDir: string,
  prepared: PreparedCopy | null = null,
): ReadOnlyConnection {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const seen = attempt === 1 ? file : inspectFile(file.path)
    const connection = tryRoute(seen, { cacheDir, prepared }, attempt)
    if (connection) return connection
    blockThread(PAUSE_MS)
  }
  throw changedMeanwhile(file.path)
}

/** Where copies go, and the one that was made beforehand. */
type Copies = { readonly cacheDir: string; readonly prepared: PreparedCopy | null }

/** null when the file is not any more as it was seen, or cannot be read in this way. */
function tryRoute(file: MemoryFile, copies: Copies, attempt: number): ReadOnlyConnection | null {
  const route = routeOf(file, canOpenUris())
  switch (route) {
    case 'image':
      return connectImage(file)
    case 'at_rest':
      return connectAtRest(file)
    case 'live':
      // A crash in rollback-journal mode leaves what no reader can read in place.
      if (attempt >= 3) return connectCopy(file, copies)
      return isReadableLog(file) ? connectLive(file) : null
    case 'copy':
      // A log without its -shm is also what a writer that is just closing shows for a moment.
      return attempt === 1 && file.walBytes > 0 && !copies.prepared ? null : connectCopy(file, copies)
    default:
      return assertNever(route)
  }
}

/** A log that is none has a reader wait for ten seconds, unless its index is sound and therefore right. */
const isReadableLog = ({ walBytes, realPath }: MemoryFile): boolean =>
  walBytes === 0 || beginsAsLog(`${realPath}-wal`) || hasSoundIndex(realPath)

function connectAtRest(file: MemoryFile): ReadOnlyConnection | null {
  const stamp = fileStamp(file.realPath)
  const log = statSync(`${file.realPath}-wal`, { throwIfNoEntry: false })
  if (log && log.size > 0) return null
  return plain(guardFile(openByUri(file.realPath, 'immutable=1'), file.realPath, stamp), 'at_rest')
}

/**
 * The same file some time after it was read in place: quickly while that is still the way, else as if for the first time.
 * @throws LcmError what `inspectFile` and `connectReadOnly` throw
 */
export function reconnect(before: MemoryFile, cacheDir: string): ReadOnlyConnection {
  const now = lookAgain(before)
  const connection = now && routeOf(now, canOpenUris()) === 'live' ? connectLive(now) : null
  return connection ?? connectReadOnly(inspectFile(before.path), cacheDir)
}

/** Beside a writer. Without URIs the writer's `-shm` may get a read mark, which is all that a reader ever writes. */
function connectLive(file: MemoryFile): ReadOnlyConnection | null {
  return readInPlace(file, canOpenUris() ? openByUri(file.realPath, 'mode=ro&readonly_shm=1') : openHere(file.realPath))
}

/**
 * Takes a connection in place by its first read; from then on the file's log stays where it is.
 * @returns null when the file is not to be read in this way (any more)
 */
export function readInPlace(file: MemoryFile, db: PreparableDb): ReadOnlyConnection | null {
  try {
    // A log that a writer puts away this moment would be made anew by whoever waits for that writer.
    if (file.hasWal) db.exec('PRAGMA busy_timeout = 0')
    for (const until = Date.now() + BUSY_TIMEOUT_MS; ; blockThread(PAUSE_MS)) {
      if (file.hasWal && !['-wal', '-shm'].every((suffix) => existsSync(`${file.realPath}${suffix}`))) break
      if (!isBusy(db, until)) {
        db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
        return plain(db, 'in_place')
      }
    }
    db.close()
    return null
  } catch (error) {
    db.close()
    if (error instanceof LcmError && (isReadonly(error) || error.code === 'file_not_readable')) return null
    throw error
  }
}

/** SQLite also says so of a log that only a writer could recover. */
const isReadonly = ({ details }: LcmError): boolean => String(details?.sqlite).startsWith('SQLITE_READONLY')

/** @throws LcmError what reading throws; `locked` only after `until` */
function isBusy(db: PreparableDb, until: number): boolean {
  try {
    db.value(queries.schemaCount)
    return false
  } catch (error) {
    if (error instanceof LcmError && error.code === 'locked' && !isReadonly(error) && Date.now() < until) return true
    throw error
  }
}

const plain = (db: PreparableDb, access: MemoryInfo['access']): ReadOnlyConnection => ({
  db,
  access,
  close: () => db.close(),
})

/** A plain read-only connection of the driver that also writes. */
export function openHere(realPath: string): PreparableDb {
  return translating(realPath, () => {
    const connection = new Database(realPath, { readonly: true, fileMustExist: true })
    connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
    return wrapConnection(connection, realPath)
  })
}

/** null when the file changed while it was read: then somebody writes after all. */
function connectImage(file: MemoryFile): ReadOnlyConnection | null {
  const image = readImage(file)
  if (image === null) return null
  // The image has no log beside it; a header that asks for one would make SQLite look for it.
  image[18] = 1
  image[19] = 1
  return translating(file.path, () => plain(wrapConnection(new Database(image), file.path), 'memory_image'))
}

function readImage(file: MemoryFile): Buffer | null {
  try {
    const before = fileStamp(file.realPath)
    const image = readFileSync(file.realPath)
    const log = statSync(`${file.realPath}-wal`, { throwIfNoEntry: false })
    const isWhole = image.length === file.bytes && fileStamp(file.realPath) === before
    return isWhole && !log?.size ? image : null
  } catch (error) {
    throw fileError(error, file.path)
  }
}

/** A copy of the file and what stands beside it, as it is. @throws LcmError locked, disk_full, file_not_readable */
export function connectToCopy(file: MemoryFile, cacheDir: string): ReadOnlyConnection {
  const connection = connectCopy(file, { cacheDir, prepared: null })
  if (connection === null) throw changedMeanwhile(file.path)
  return connection
}

/** null when the file was changed while it was copied. */
function connectCopy(file: MemoryFile, { cacheDir, prepared }: Copies): ReadOnlyConnection | null {
  const before = copyStamp(file)
  const copy =
    prepared?.take(before) ??
    copyUnlessChanged(
      () => copyToCache(file.realPath, siblingsOf(file), cacheDir),
      () => copyStamp(file) !== before,
    )
  if (!copy) return null
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

function copyUnlessChanged(copy: () => CacheCopy, isChanged: () => boolean): CacheCopy | null {
  let made: CacheCopy | null = null
  try {
    made = copy()
  } catch (error) {
    // A log that was folded in meanwhile is gone: then there is another way.
    if (!isChanged()) throw error
  }
  if (!isChanged()) return made
  made?.remove()
  return null
}
