import { readFileSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { MemoryInfo } from '../contract/memory.ts'
import { LcmError } from '../errors.ts'
import { copyToCache } from './cache-copy.ts'
import { fileError, inspectFile, type MemoryFile } from './memory-file.ts'
import { wrapConnection } from './read-db.ts'
import { translating } from './sqlite-error.ts'
import { canOpenUris, openByUri, type PreparableDb } from './uri-db.ts'

/** Up to here a file at rest is read into memory, which nobody can change under us; larger ones stay where they are. */
export const IMAGE_LIMIT_BYTES = 32 * 1024 * 1024

export type ReadOnlyConnection = {
  readonly db: PreparableDb
  readonly access: MemoryInfo['access']
  close(): void
}

export type Route = 'image' | 'at_rest' | 'live' | 'copy'

const ATTEMPTS = 3

/**
 * Decides how a file is reached so that nothing changes beside it.
 *
 * With a `-wal` the data is in both files: where a `-shm` stands too they are read in place; without one SQLite would
 * have to make it, so a copy is read. Everything else is at rest.
 */
export function routeOf(file: MemoryFile, hasUris: boolean): Route {
  if (file.hasWal && file.hasShm) return 'live'
  if (file.walBytes > 0) return 'copy'
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
 * @throws LcmError locked, file_corrupt, file_not_readable, disk_full
 */
export function connectReadOnly(file: MemoryFile, cacheDir: string): ReadOnlyConnection {
  for (let attempt = 1; ; attempt += 1) {
    const seen = attempt === 1 ? file : inspectFile(file.path)
    const connection = attempt < ATTEMPTS ? tryRoute(seen, cacheDir) : connectCopy(seen, cacheDir)
    if (connection) return connection
  }
}

/** null when the file is not any more as it was seen, or cannot be read in place. */
function tryRoute(file: MemoryFile, cacheDir: string): ReadOnlyConnection | null {
  switch (routeOf(file, canOpenUris())) {
    case 'image':
      return connectImage(file)
    case 'at_rest':
      return plain(openByUri(file.realPath, 'immutable=1'), 'at_rest')
    case 'live':
      return connectLive(file)
    case 'copy':
      return connectCopy(file, cacheDir)
  }
}

/** Beside a writer. Without URIs the writer's `-shm` may get a read mark, which is all that a reader ever writes. */
function connectLive(file: MemoryFile): ReadOnlyConnection | null {
  const db = canOpenUris() ? openByUri(file.realPath, 'mode=ro&readonly_shm=1') : openHere(file.realPath)
  try {
    db.value('SELECT count(*) FROM sqlite_schema')
    return plain(db, 'in_place')
  } catch (error) {
    db.close()
    if (error instanceof LcmError && (error.code === 'read_only_file' || error.code === 'file_not_readable'))
      return null
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
    connection.pragma('busy_timeout = 5000')
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
    const image = readFileSync(file.realPath)
    const after = statSync(file.realPath)
    const wal = statSync(`${file.realPath}-wal`, { throwIfNoEntry: false })
    const isSame = after.size === file.bytes && Math.round(after.mtimeMs) === file.modifiedAtMs && !wal?.size
    return isSame ? image : null
  } catch (error) {
    throw fileError(error, file.path)
  }
}

function connectCopy(file: MemoryFile, cacheDir: string): ReadOnlyConnection {
  const siblings = [...(file.hasWal ? ['-wal' as const] : []), ...(file.hasJournal ? ['-journal' as const] : [])]
  const copy = copyToCache(file.realPath, siblings, cacheDir)
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
