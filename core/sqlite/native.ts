// Why it is so: docs/decisions/0003-native-schema.md

import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { LcmError } from '../errors.ts'
import { type FileHeader, mayBeOpenHere, parseHeader, startOfFile } from './file-header.ts'
import { SCHEMA_V2, SCHEMA_V3, SCHEMA_V5, VIEWS_ON_V1, VIEWS_ON_V2 } from './later-versions.ts'
import { requireNativeSchema, strangeTriggers, wrongVersion } from './native-schema.ts'
import { type LooseTable, looseTables } from './native-values.ts'
import { OWN_VIEWS } from './own-views.ts'
import { type WriteDb, wrapConnection } from './read-db.ts'
import { APPLICATION_ID, SCHEMA_V1 } from './schema.ts'
import { SEARCH_V1, SEARCH_V4, VOCABULARY } from './search-schema.ts'
import { sqliteCode, translateSqliteError } from './sqlite-error.ts'

const queries = {
  hasTables: /* sql */ `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'compaction_runs'`,
  anyTable: /* sql */ `SELECT 1 FROM sqlite_schema`,
  ownChanges: /* sql */ `SELECT total_changes()`,
}

/** One entry for each version: `migrations[n]` takes a file from `user_version` n to n + 1 in one transaction. */
export const migrations: readonly string[] = [SCHEMA_V1 + SEARCH_V1, SCHEMA_V2, SCHEMA_V3, SEARCH_V4, SCHEMA_V5]
export const NATIVE_VERSION = migrations.length

/** By version: the TEMP views for reading an older file without a migration. Undefined when that is impossible. */
export const readingViews: readonly (string | undefined)[] = [undefined, VIEWS_ON_V1 + VIEWS_ON_V2, VIEWS_ON_V2, '', '']

/** How long a connection waits for another writer. */
const BUSY_TIMEOUT_MS = 5000

export type OpenNativeOptions = {
  /** The header of the file, if it was read before because the file may be open. */
  readonly header?: FileHeader | null
  /** How long opening waits for another writer. */
  readonly waitMs?: number
}

/**
 * Opens a native memory for writing, and creates it when the path does not exist. Closing it checkpoints the log.
 * @throws LcmError newer_version, not_a_memory, locked, read_only_file, disk_full, file_corrupt, file_not_readable
 */
export function openNative(
  path: string,
  { header = headerAtRest(path), waitMs = BUSY_TIMEOUT_MS }: OpenNativeOptions = {},
): WriteDb {
  refuseOthers(path, header)
  let connection: Database.Database | null = null
  try {
    connection = new Database(path, { timeout: waitMs })
    connection.pragma('trusted_schema = OFF')
    connection.pragma('foreign_keys = ON')
    connection.pragma('synchronous = NORMAL')
    markNew(connection, path)
    refuseNewer(connection, path)
    // Version and tables are read from one state of the file, because another process may be migrating it.
    connection.transaction(refuseStrange).deferred(connection, path)
    connection.pragma('journal_mode = WAL')
    migrate(connection, path)
    // A statement of a batch notes the pages that it changes, to undo them if it fails. In a temporary file that took a
    // tenth of an import. https://www.sqlite.org/tempfiles.html#statement_journal_files
    connection.pragma('temp_store = MEMORY')
    connection.exec(OWN_VIEWS + VOCABULARY)
    connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
  } catch (error) {
    connection?.close()
    throw translateSqliteError(error, path)
  }
  const db = wrapConnection(connection, path)
  const opened = connection
  return {
    ...db,
    close: () => {
      if (opened.open) foldLog(opened)
      db.close()
    },
  }
}

function tablesMissingError(path: string): LcmError {
  return new LcmError(
    'file_corrupt',
    `${path} is marked as a memory of LCM Inspector, but its tables are missing: restore it from a backup.`,
    { path },
  )
}

export function newerVersionError(path: string, version: number): LcmError {
  return new LcmError(
    'newer_version',
    `${path} was written by a newer LCM Inspector (schema ${version}, this one knows ${NATIVE_VERSION}): update the app, or open the file read-only.`,
    { path, version, known: NATIVE_VERSION },
  )
}

/**
 * Opening a file in WAL mode for writing creates a log beside it, or recovers the log of a killed writer, before a row
 * is read. So files of other systems are recognised by their header, without opening them.
 */
function refuseOthers(path: string, header: FileHeader | null): void {
  if (header?.isWal && header.applicationId !== APPLICATION_ID) throw notOursError(path)
}

function headerAtRest(path: string): FileHeader | null {
  try {
    return existsSync(path) && !mayBeOpenHere(path) ? parseHeader(startOfFile(path)) : null
  } catch {
    // The file cannot be read. Opening it reports why.
    return null
  }
}

const notOursError = (path: string): LcmError =>
  new LcmError('not_a_memory', `${path} is not a memory of LCM Inspector and is not changed: choose another file.`, {
    path,
  })

function refuseNewer(connection: Database.Database, path: string): void {
  const version = connection.pragma('user_version', { simple: true }) as number
  if (version > NATIVE_VERSION) throw newerVersionError(path, version)
}

const WHY_LOOSE: Readonly<Record<LooseTable['why'], (tables: string) => string>> = {
  remade: (tables) => `Another program made tables of the file anew (${tables}), so that any value may stand in them.`,
  forbidden: (tables) => `Values that its tables forbid stand in the file (${tables}).`,
  unnamed: (tables) =>
    `Another program stored rows whose id is empty, or too long or too large to be shown (${tables}).`,
}

/**
 * The mark of a native file can be made by anyone, so nothing of the file is executed before its schema is verified.
 * @throws LcmError file_corrupt, read_only_file
 */
function refuseStrange(connection: Database.Database, path: string): void {
  const version = connection.pragma('user_version', { simple: true }) as number
  const made = migrations.slice(0, version)
  const db = wrapConnection(connection, path)
  requireNativeSchema(db, path, made)
  const loose = looseTables(db, made)
  if (loose.length > 0) {
    const why = (['remade', 'forbidden', 'unnamed'] as const).find((one) => loose.some((table) => table.why === one))
    const tables = loose.filter((table) => table.why === why).slice(0, 4)
    const reason = `${WHY_LOOSE[why ?? 'remade'](tables.map(({ table }) => table).join(', '))} Repair a copy: "lcm salvage".`
    throw new LcmError('read_only_file', `${path} is not changed. ${reason}`, { path, reason })
  }
  const triggers = strangeTriggers(db, made)
  if (triggers.length === 0) return
  const names = triggers.slice(0, 4).map((name) => name.slice(0, 60))
  const reason = `The file has triggers that LCM Inspector did not make (${names.join(', ')}); they would run with every change. Drop them to write to it.`
  throw new LcmError('read_only_file', `${path} is not changed. ${reason}`, { path, reason })
}

/** The mark is written before the log exists, so that it is in the file itself, where readers of the header find it. */
function markNew(connection: Database.Database, path: string): void {
  const isOurs = (): boolean => {
    if (connection.pragma('application_id', { simple: true }) === APPLICATION_ID) return true
    if (connection.prepare(queries.anyTable).get() === undefined) return false
    throw notOursError(path)
  }
  // Both values come from one state of the file, because another process may be creating it.
  if (connection.transaction(isOurs).deferred()) return
  connection.transaction(() => isOurs() || connection.pragma(`application_id = ${APPLICATION_ID}`)).immediate()
}

function migrate(connection: Database.Database, path: string): void {
  // Two processes may open a new file at once, so the version is read again inside the transaction.
  const step = connection.transaction((): boolean => {
    const from = connection.pragma('user_version', { simple: true }) as number
    const sql = migrations[from]
    if (sql === undefined) return false
    if (from > 0 && connection.prepare(queries.hasTables).get() === undefined) throw tablesMissingError(path)
    try {
      connection.exec(sql)
    } catch (error) {
      // The file already contains something of the next version.
      throw sqliteCode(error) === 'SQLITE_ERROR' ? wrongVersion(path, from) : error
    }
    connection.pragma(`user_version = ${from + 1}`)
    return true
  })
  const version = connection.pragma('user_version', { simple: true }) as number
  if (version >= NATIVE_VERSION) return
  while (step.immediate());
}

/** A reader in another thread may keep the log in use. The last connection to close checkpoints it then. */
function foldLog(connection: Database.Database): void {
  // A connection that only read has nothing to checkpoint, and watchers of the file would take a checkpoint for a
  // change.
  if (connection.prepare(queries.ownChanges).pluck().get() === 0) return
  connection.pragma('busy_timeout = 0')
  try {
    connection.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    // Nothing is lost: committed data stays in the log. An error here would hide the first one.
    if (sqliteCode(error) === null) throw error
  }
}
