import Database from 'better-sqlite3'
import { LcmError } from '../errors.ts'
import { type WriteDb, wrapConnection } from './read-db.ts'
import { APPLICATION_ID, MESSAGE_INDEX_TRIGGERS, SCHEMA_V1, SEARCH_V1 } from './schema.ts'

/** One entry a version: `migrations[n]` takes a file from `user_version` n to n + 1, in one transaction. */
export const migrations: readonly string[] = [SCHEMA_V1 + SEARCH_V1 + MESSAGE_INDEX_TRIGGERS]
export const NATIVE_VERSION = migrations.length

/**
 * Open a native memory for writing, creating it when the path does not exist.
 * @throws LcmError newer_version, and what `openMemory` throws for files that are something else
 */
export function openNative(path: string): WriteDb {
  const connection = new Database(path)
  connection.pragma('busy_timeout = 5000')
  connection.pragma('trusted_schema = OFF')
  connection.pragma('foreign_keys = ON')
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = NORMAL')
  migrate(connection, path)
  return wrapConnection(connection, path)
}

function migrate(connection: Database.Database, path: string): void {
  const version = connection.pragma('user_version', { simple: true }) as number
  if (version > NATIVE_VERSION) {
    connection.close()
    throw new LcmError(
      'newer_version',
      `${path} was written by a newer LCM Inspector (schema ${version}, this one knows ${NATIVE_VERSION}): update the app, or open the file read-only.`,
      { version, known: NATIVE_VERSION },
    )
  }
  for (let from = version; from < NATIVE_VERSION; from += 1) {
    const step = migrations[from]
    if (step === undefined) break
    connection
      .transaction(() => {
        connection.pragma(`application_id = ${APPLICATION_ID}`)
        connection.exec(step)
        connection.pragma(`user_version = ${from + 1}`)
      })
      .immediate()
  }
}
