import { accessSync, constants } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Capabilities, MemoryInfo } from '../contract/memory.ts'
import { LcmError } from '../errors.ts'
import { userFolders } from '../machine/user-folders.ts'
import { type Derivation, keepDerived } from './derived-db.ts'
import { emptyViews } from './dialects/canonical.ts'
import type { Reader } from './dialects/dialect.ts'
import { lostOfLossless } from './dialects/lossless-tables.ts'
import { detectDialect } from './dialects/registry.ts'
import { inspectFile, isMissingOrEmpty, type MemoryFile, measureFile, pathExists } from './memory-file.ts'
import { NATIVE_VERSION, newerVersionError, openNative, readingViews, tablesMissingError } from './native.ts'
import { OWN_VIEWS } from './own-views.ts'
import type { ReadDb, WriteDb } from './read-db.ts'
import { connectReadOnly, openHere, type ReadOnlyConnection } from './read-only-connection.ts'
import { APPLICATION_ID } from './schema.ts'
import { probeSchema, type SchemaProbe } from './schema-probe.ts'

export type OpenMemoryOptions = {
  /** Make a native file where nothing stands yet, or an empty file; its folder must exist. */
  readonly create?: boolean
  /** Open a native file for reading only. */
  readonly readOnly?: boolean
  /** Open a native file of a newer version, for reading only. */
  readonly allowNewer?: boolean
  /** Where copies go that are needed to leave no trace. Default: the user's cache folder. */
  readonly cacheDir?: string
}

export type OpenedMemory = {
  readonly info: MemoryInfo
  readonly read: ReadDb
  /** null when the file must not or cannot be written; `info.readOnlyReason` says why. */
  readonly write: WriteDb | null
  close(): void
}

/** Of our own files. */
export const NATIVE_CAPABILITIES: Capabilities = {
  parts: true,
  files: true,
  runs: true,
  storedWindow: true,
  levels: true,
  fullTextIndex: true,
  substringIndex: true,
}

/** `readOnlyReason` of a file that could be written, but was asked for with `readOnly`. */
export const READ_ONLY_BY_CHOICE = 'The file was opened for reading only.'

/**
 * Opens a memory file of any known system. Native files are opened for writing where that is possible; files of other
 * systems are read through views with our names, and neither they nor their folder are changed.
 * @throws LcmError file_missing, file_is_folder, file_not_readable, file_empty, file_truncated, file_corrupt,
 * not_a_database, not_a_memory, newer_version, locked, disk_full, invalid_argument
 */
export function openMemory(path: string, options: OpenMemoryOptions = {}): OpenedMemory {
  const absolute = resolve(path)
  if (options.create && isMissingOrEmpty(absolute)) return create(absolute)

  const file = inspectFile(absolute)
  const cacheDir = options.cacheDir ?? userFolders(process.env).cache
  if (file.header.applicationId === APPLICATION_ID) return openOurs(file, options, cacheDir)

  const connection = connectReadOnly(file, cacheDir)
  try {
    // The mark of a file that was made this moment may still be in its log.
    if (connection.db.value('PRAGMA application_id') !== APPLICATION_ID) return openForeign(file, connection)
  } catch (error) {
    connection.close()
    throw error
  }
  connection.close()
  return openOurs(file, options, cacheDir)
}

function create(path: string): OpenedMemory {
  if (!pathExists(dirname(path))) {
    throw new LcmError('file_missing', `${path} cannot be created: its folder does not exist. Make the folder first.`, {
      path,
    })
  }
  return asWritable(openNative(path), path)
}

function openOurs(file: MemoryFile, options: OpenMemoryOptions, cacheDir: string): OpenedMemory {
  const version = file.header.userVersion
  if (version > NATIVE_VERSION && !options.allowNewer) throw newerVersionError(file.path, version)
  const reason = readOnlyReason(file, options)
  if (reason === null) {
    try {
      return asWritable(openNative(file.realPath), file.path)
    } catch (error) {
      if (!(error instanceof LcmError) || error.code !== 'read_only_file') throw error
    }
  }
  return openOursReadOnly(file, reason ?? 'The file cannot be written by this user.', cacheDir)
}

function asWritable(db: WriteDb, path: string): OpenedMemory {
  try {
    requireOurTables(probeSchema(db), path)
    const info = describe(path, {
      system: 'native',
      systemLabel: 'LCM Inspector',
      systemVersion: String(NATIVE_VERSION),
      readOnly: false,
      readOnlyReason: null,
      access: 'in_place',
      capabilities: NATIVE_CAPABILITIES,
    })
    return { info, read: db, write: db, close: () => db.close() }
  } catch (error) {
    db.close()
    throw error
  }
}

function openOursReadOnly(file: MemoryFile, reason: string, cacheDir: string): OpenedMemory {
  // Another thread may have it open for writing: two SQLite libraries in one process would undo each other's locks.
  const connection: ReadOnlyConnection =
    file.hasWal && file.hasShm ? hereConnection(file) : connectReadOnly(file, cacheDir)
  try {
    connection.db.exec('PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY')
    const version = connection.db.value<number>('PRAGMA user_version') ?? 0
    const views = version >= NATIVE_VERSION ? '' : readingViews[version]
    if (views === undefined) {
      throw new LcmError(
        'read_only_file',
        `${file.path} is of an older version (schema ${version}) and must be brought up to date, but it cannot be written: copy it to a folder of yours and open the copy.`,
        { path: file.path, version },
      )
    }
    requireOurTables(probeSchema(connection.db), file.path)
    connection.db.exec(views)
    connection.db.exec(OWN_VIEWS)
    connection.db.exec('PRAGMA query_only = ON')
    return asReadOnly(file, connection, {
      system: 'native',
      systemLabel: 'LCM Inspector',
      systemVersion: String(version),
      readOnlyReason: reason,
      capabilities: NATIVE_CAPABILITIES,
    })
  } catch (error) {
    connection.close()
    throw error
  }
}

function hereConnection(file: MemoryFile): ReadOnlyConnection {
  const db = openHere(file.realPath)
  return { db, access: 'in_place', close: () => db.close() }
}

function openForeign(file: MemoryFile, connection: ReadOnlyConnection): OpenedMemory {
  const { db } = connection
  const probe = probeSchema(db)
  const dialect = detectDialect(probe)
  if (!dialect) throw notAMemory(file, probe)
  const systemLabel = dialect.label(probe)
  db.exec('PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY')
  const { reader } = dialect
  db.exec(reader.views(probe))
  db.exec(emptyViews(db.column<string>("SELECT name FROM temp.sqlite_schema WHERE type = 'view'")))
  db.exec('PRAGMA query_only = ON')
  const isStill = connection.access !== 'in_place'
  const derivation = derivationOf(reader, probe, file.realPath)
  const read = derivation ? { ...connection, db: keepDerived(db, { ...derivation, isStill }) } : connection
  const source = { realPath: file.realPath, probe, db }
  const lacks = lacksOf(reader, source)
  return asReadOnly(file, read, {
    system: dialect.system,
    systemLabel,
    systemVersion: reader.version(probe, source),
    readOnlyReason: `The file belongs to ${systemLabel} and is never changed.`,
    capabilities: reader.capabilities(probe),
    project: dialect.project?.(db) ?? null,
    ...(lacks ? { lacks: [...lacks] } : {}),
  })
}

/** What a damaged page hides must not keep the rest from being looked at. */
function lacksOf(reader: Reader, source: Parameters<NonNullable<Reader['lacks']>>[1]): readonly string[] | undefined {
  try {
    return reader.lacks?.(source.probe, source)
  } catch (error) {
    if (!(error instanceof LcmError) || error.code !== 'file_corrupt') throw error
    return ['Damaged: pages of the file cannot be read, and what stands on them is not shown.']
  }
}

/** null for a system whose files have all that the views need. */
function derivationOf(reader: Reader, probe: SchemaProbe, realPath: string): Omit<Derivation, 'isStill'> | null {
  const script = reader.derived?.(probe)
  if (script === undefined && !reader.prepare) return null
  return {
    companions: reader.companions?.(realPath) ?? [],
    build: (db) => {
      reader.prepare?.({ realPath, probe, db })
      if (script !== undefined) db.exec(script)
    },
  }
}

function asReadOnly(
  file: MemoryFile,
  connection: ReadOnlyConnection,
  facts: Pick<
    MemoryInfo,
    'system' | 'systemLabel' | 'systemVersion' | 'readOnlyReason' | 'capabilities' | 'project' | 'lacks'
  >,
): OpenedMemory {
  const info = describe(file.path, { ...facts, readOnly: true, access: connection.access })
  return { info, read: connection.db, write: null, close: () => connection.close() }
}

function describe(path: string, facts: Omit<MemoryInfo, 'path' | 'fileName' | 'bytes' | 'modifiedAtMs'>): MemoryInfo {
  return { ...measureFile(path), fileName: basename(path), ...facts }
}

function requireOurTables(probe: SchemaProbe, path: string): void {
  if (probe.has('conversations') && probe.has('messages') && probe.has('context_items')) return
  throw tablesMissingError(path)
}

function notAMemory(file: MemoryFile, probe: SchemaProbe): LcmError {
  const lost = lostOfLossless(probe)
  if (lost !== null) {
    return new LcmError(
      'file_corrupt',
      `${file.path} is damaged: it has lost ${listed(lost)}, without which a memory of lossless-claw cannot be read. Restore it from a backup.`,
      { path: file.path, lost },
    )
  }
  const tables = [...probe.tables.keys()].sort()
  const seen = tables.length === 0 ? 'it has no tables' : `its tables are ${listed(tables)}`
  return new LcmError(
    'not_a_memory',
    `${file.path} is a database of something else (${seen}): choose a memory file of an LCM system, often lcm.db.`,
    { path: file.path, tables: tables.slice(0, 50) },
  )
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 8).map((name) => name.slice(0, 60))
  const more = names.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

/** null when nothing speaks against writing. */
function readOnlyReason(file: MemoryFile, options: OpenMemoryOptions): string | null {
  if (file.header.userVersion > NATIVE_VERSION) {
    return `The file was written by a newer version (schema ${file.header.userVersion}); this one may only look.`
  }
  if (!isWritable(file.realPath)) return 'The file is write-protected.'
  if (!isWritable(dirname(file.realPath))) return 'The folder of the file is write-protected.'
  return options.readOnly ? READ_ONLY_BY_CHOICE : null
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
