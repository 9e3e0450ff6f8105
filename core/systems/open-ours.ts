import { LcmError } from '../errors.ts'
import { IdleConnection } from '../sqlite/idle-connection.ts'
import { inspectFile, lookAgain, type MemoryFile } from '../sqlite/memory-file.ts'
import { migrations, NATIVE_VERSION, readingViews } from '../sqlite/native.ts'
import { requireNativeSchema } from '../sqlite/native-schema.ts'
import { looseTables, typedViews } from '../sqlite/native-values.ts'
import { OWN_VIEWS } from '../sqlite/own-views.ts'
import {
  connectReadOnly,
  connectToCopy,
  openHere,
  type ReadOnlyConnection,
  readInPlace,
} from '../sqlite/read-only-connection.ts'
import type { OpenedReadOnly } from './open-foreign.ts'

type Prepared = ReadOnlyConnection & { readonly version: number }

/**
 * Opens one of our own files for reading only. Beside its writer it is let go whenever nobody reads.
 * @throws LcmError read_only_file for an older version that cannot be read as it is, file_corrupt, and what reading throws
 */
export function readOurs(
  file: MemoryFile,
  cacheDir: string,
): Omit<OpenedReadOnly, 'facts'> & { readonly version: number } {
  const began = performance.now()
  const first = prepare(file, cacheDir)
  const { access, version } = first
  if (access !== 'in_place') {
    return { access, version, read: first.db, isOutdated: () => false, close: () => first.close() }
  }
  const idle = new IdleConnection({
    path: file.path,
    realPath: file.realPath,
    companions: [],
    first,
    firstMs: performance.now() - began,
    isLive: () => isBesideWriter(file),
    open: () => {
      const again = prepare(lookAgain(file) ?? inspectFile(file.path), cacheDir)
      return { ...again, isAsTold: again.version === version }
    },
  })
  return { access, version, read: idle.db, isOutdated: () => idle.isOutdated(), close: () => idle.db.close() }
}

function prepare(file: MemoryFile, cacheDir: string): Prepared {
  const connection = connect(file, cacheDir)
  const { db } = connection
  try {
    // A condition in the file may be one that takes for ever; a connection that cannot write asks none of them anyway.
    db.exec('PRAGMA trusted_schema = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA temp_store = MEMORY')
    // Its version and its tables from one state of the file: another process may be bringing it up to date.
    db.exec('BEGIN')
    const version = db.value<number>('PRAGMA user_version') ?? 0
    const views = version >= NATIVE_VERSION ? '' : readingViews[version]
    if (version === 0) {
      throw new LcmError(
        'file_empty',
        `${file.path} holds nothing: its creation was cut off before anything was stored. Open it once where it can be written, which completes it, or delete it.`,
        { path: file.path },
      )
    }
    if (views === undefined) {
      requireNativeSchema(db, file.path, [])
      throw new LcmError(
        'read_only_file',
        `${file.path} is of an older version (schema ${version}) and must be brought up to date, but it cannot be written: copy it to a folder of yours and open the copy.`,
        { path: file.path, version },
      )
    }
    const made = migrations.slice(0, version)
    requireNativeSchema(db, file.path, made)
    db.exec(typedViews(looseTables(db, made).filter(({ table }) => !views.includes(` main.${table};`))))
    db.exec(views)
    db.exec(OWN_VIEWS)
    db.exec('COMMIT')
    db.exec('PRAGMA query_only = ON')
    return { ...connection, version }
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Another thread may have it open for writing: two SQLite libraries in one process would undo each other's locks. */
function connect(file: MemoryFile, cacheDir: string): ReadOnlyConnection {
  if (!file.hasWal || !file.hasShm) return connectReadOnly(file, cacheDir)
  const inPlace = readInPlace(file, openHere(file.realPath))
  if (inPlace) return inPlace
  // Its writer went this moment.
  const now = inspectFile(file.path)
  // Or what stands beside it is of no writer: a copy is read, in which SQLite makes of it what can be made.
  if (now.hasWal && now.hasShm) return connectToCopy(now, cacheDir)
  return connectReadOnly(now, cacheDir)
}

function isBesideWriter(file: MemoryFile): boolean {
  try {
    const now = lookAgain(file)
    return (now?.hasWal && now.hasShm) ?? false
  } catch {
    // Its folder cannot be entered any more.
    return false
  }
}
