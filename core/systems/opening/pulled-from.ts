import { basename } from 'node:path'
import { PulledFrom } from '#core/contract/memory.ts'
import { isHash } from '#core/hashing.ts'
import type { ReadDb, WriteDb } from '#core/sqlite/read-db.ts'
import type { StoredFileRow } from '../records/files.ts'
import { metaValue, parsedValue, storeMetaValue } from '../records/meta-values.ts'

const KEY = 'pulled_from'

const queries = {
  isThere: /* sql */ `SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = 'pulled_rows'`,
  hasMessage: /* sql */ `
    SELECT 1 FROM pulled_rows WHERE table_name = 'messages' AND unit = '' || CAST(:messageId AS INTEGER)`,
}

export const storePulledFrom = (db: WriteDb, origin: PulledFrom): void =>
  storeMetaValue(db, KEY, JSON.stringify(origin))

/** Returns from where a file was pulled; null for any other file, and for one that does not say so legibly. */
export function readPulledFrom(db: ReadDb): PulledFrom | null {
  try {
    const stored = metaValue(db, KEY)
    return stored === undefined || db.value(queries.isThere) === undefined ? null : parsedValue(PulledFrom, stored)
  } catch {
    // The note may have been written by anyone, and a file whose own notes are damaged is opened all the same.
    return null
  }
}

/** Whether a message came from PostgreSQL or was pushed there, where messages never change. */
export const isOnServer = (db: ReadDb, messageId: number): boolean =>
  db.value(queries.isThere) !== undefined && db.value(queries.hasMessage, { messageId }) !== undefined

const PLAIN_NAME = /^[A-Za-z0-9_-]{1,100}(\.[A-Za-z0-9_-]{1,20})?$/

/**
 * The name in the folder beside the memory for a file whose content the server keeps; null where only its row is there.
 * Ours are kept under their hashes. Another system keeps the content of some of its files, and those are named by their
 * place in that folder.
 */
export function nameOnServer(
  { uri, hash, bytes, conversationId }: StoredFileRow,
  { system }: Pick<PulledFrom, 'system'>,
): string | null {
  // A row that was written by hand may say nothing of a path.
  const name = basename((uri ?? '').replaceAll('\\', '/'))
  const isKept = system === undefined ? isHash(hash) && bytes !== null : uri === `lcm-files/${conversationId}/${name}`
  return isKept && PLAIN_NAME.test(name) ? name : null
}

/** Whether the content of a file that is not here was left on the server when the memory was pulled. */
export function contentsOnServer(db: ReadDb): (row: StoredFileRow) => boolean {
  const origin = readPulledFrom(db)
  return (row) => origin?.contents === 'on_demand' && nameOnServer(row, origin) !== null
}
