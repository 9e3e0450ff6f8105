import { renameSync, rmSync } from 'node:fs'
import type { JobProgress } from '../contract/job.ts'
import type { MemoryInfo } from '../contract/memory.ts'
import type { CopyReport } from '../contract/working-copy.ts'
import { pathExists } from '../db/memory-file.ts'
import { openNative } from '../db/native.ts'
import type { ReadDb, SqlParams, SqlValue, WriteDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'
import {
  columnsOf,
  indexEverything,
  insertInto,
  TABLES,
  type Table,
  toNative,
  withOwnSession,
  withoutIndexing,
} from './native-rows.ts'
import { fillSummaryHashes } from './summary-hashes.ts'
import { verifyCopy } from './verify-copy.ts'

const BATCH_ROWS = 2000

export type CopyRequest = { readonly from: { readonly read: ReadDb; readonly info: MemoryInfo }; readonly to: string }

/**
 * Makes a working copy: a native memory with the same ids, order, times, lineage and window, damage included, so that
 * it can be compacted and repaired while the original stays as it is. The file appears at `to` when it is whole and
 * verified, not before.
 * @throws LcmError invalid_argument when something is at `to`, cancelled, disk_full, sqlite_failed
 */
export async function* copyMemory(
  { from, to }: CopyRequest,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, CopyReport> {
  if (pathExists(to))
    throw new LcmError('invalid_argument', `${to} exists already: choose a path where nothing is.`, { path: to })
  const partial = `${to}.partial`
  removeFile(partial)
  const db = openNative(partial)
  try {
    // What is damaged is carried over as it is: the checks of the copy find it again.
    db.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON')
    for (const table of TABLES) yield* copyTable(from.read, db, table, signal)
    db.transaction(() => fillSummaryHashes(db))
    db.exec('PRAGMA ignore_check_constraints = OFF; PRAGMA foreign_keys = ON')
    const report = verifyCopy(from.read, db)
    db.close()
    renameSync(partial, to)
    return report
  } catch (error) {
    db.close()
    removeFile(partial)
    throw error
  }
}

async function* copyTable(
  from: ReadDb,
  to: WriteDb,
  table: Table,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, void> {
  const columns = columnsOf(table)
  const insert = insertInto(table)
  const total = from.value<number>(`SELECT count(*) FROM ${table}`) ?? 0
  let done = 0
  let batch: SqlParams[] = []
  const sessions = new Set<string>()
  const flush = (): void => {
    const rows = batch
    batch = []
    const write = (): void => {
      for (const row of rows) to.run(insert, row)
    }
    to.transaction(() => (table === 'messages' || table === 'message_parts' ? withoutIndexing(to, write) : write()))
    done += rows.length
  }
  for (const row of from.iterate<Record<string, SqlValue>>(`SELECT ${columns.join(', ')} FROM ${table}`)) {
    const native = toNative(table, row)
    batch.push(table === 'conversations' ? withOwnSession(native, sessions) : native)
    if (batch.length < BATCH_ROWS) continue
    flush()
    yield { done, total, unit: 'messages', note: table }
    await new Promise((resume) => setImmediate(resume))
    if (signal.aborted) throw new LcmError('cancelled', 'Copying was cancelled; no copy was made.')
  }
  flush()
  if (table === 'message_parts') to.transaction(() => indexEverything(to))
  yield { done, total, unit: 'messages', note: table }
}

function removeFile(path: string): void {
  for (const name of [path, `${path}-wal`, `${path}-shm`]) rmSync(name, { force: true })
}
