import { LcmError } from '#core/errors.ts'
import { changedMeanwhile } from '#core/sqlite/file-stamp.ts'
import { IdleConnection } from '#core/sqlite/idle-connection.ts'
import { connectOursInPlace } from '#core/sqlite/in-place.ts'
import { laterColumns } from '#core/sqlite/later-versions.ts'
import { inspectAtRest, lookAgain, type MemoryFile } from '#core/sqlite/memory-file.ts'
import { migrations, NATIVE_VERSION, readingViews } from '#core/sqlite/native.ts'
import { requireNativeSchema } from '#core/sqlite/native-schema.ts'
import { looseTables, typedViews } from '#core/sqlite/native-values.ts'
import { OWN_VIEWS } from '#core/sqlite/own-views.ts'
import { connectReadOnly, type TakeCopy } from '#core/sqlite/route.ts'
import { VOCABULARY } from '#core/sqlite/search-schema.ts'
import type { ReadOnlyConnection } from '#core/sqlite/uri-db.ts'
import type { OpenedReadOnly } from './open-foreign.ts'

type PreparedConnection = ReadOnlyConnection & { readonly version: number }

/**
 * Opens one of our own files for reading only. Beside its writer it is let go whenever nobody reads.
 * @throws LcmError read_only_file for an older version that cannot be read as it is, file_corrupt, and what reading throws
 */
export function readOurs(
  file: MemoryFile,
  takeCopy: TakeCopy,
): Omit<OpenedReadOnly, 'facts'> & { readonly version: number } {
  const first = prepare(file, connect(file, takeCopy))
  const { access, version } = first
  if (access !== 'in_place') {
    return { access, version, read: first.db, isOutdated: () => false, close: () => first.close() }
  }
  const idle = new IdleConnection({
    file,
    companions: [],
    first,
    isLive: (now) => now.hasWal && now.hasShm,
    open: () => {
      const again = prepare(file, connectAgain(file))
      return { ...again, hasSameStructure: again.version === version }
    },
  })
  return { access, version, read: idle.db, isOutdated: () => idle.isOutdated(), close: () => idle.db.close() }
}

/** Closes `connection` when it throws. */
function prepare(file: MemoryFile, connection: ReadOnlyConnection): PreparedConnection {
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
    const loose = looseTables(db, made).filter(({ table }) => !views.includes(` main.${table};`))
    db.exec(typedViews(loose, laterColumns(version)))
    db.exec(views)
    db.exec(OWN_VIEWS + VOCABULARY)
    db.exec('COMMIT')
    db.exec('PRAGMA query_only = ON')
    return { ...connection, version }
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Another thread may have it open for writing: two SQLite libraries in one process would undo each other's locks. */
function connect(file: MemoryFile, takeCopy: TakeCopy): ReadOnlyConnection {
  const copy = takeCopy()
  if (copy || !file.hasWal || !file.hasShm) return connectReadOnly(file, () => copy)
  const connection = connectOursInPlace(file)
  if (connection === null) throw changedMeanwhile(file.path)
  return connection
}

function connectAgain(before: MemoryFile): ReadOnlyConnection {
  const file = lookAgain(before) ?? inspectAtRest(before.path)
  if (file === null) throw changedMeanwhile(before.path)
  return connect(file, () => null)
}
