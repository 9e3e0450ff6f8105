import { renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { JobProgress } from '../contract/job.ts'
import type { SalvagedTable, SalvageReport } from '../contract/salvage.ts'
import { pathExists } from '../db/memory-file.ts'
import { openNative } from '../db/native.ts'
import { openMemory } from '../db/open-memory.ts'
import type { ReadDb, WriteDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'
import {
  columnsOf,
  indexEverything,
  insertInto,
  type Table,
  toNative,
  withoutIndexing,
} from '../working-copy/native-rows.ts'
import { fillSummaryHashes } from '../working-copy/summary-hashes.ts'
import { type Hole, isDamage, joinHoles, type Row, readableRows, type Source } from './readable-rows.ts'
import { copySource } from './salvage-copy.ts'

const BATCH_ROWS = 1000
const MAX_LISTED = 100

export type SalvageRequest = {
  /** The damaged file; read only. */
  readonly from: string
  /** Where the copy goes; nothing may be there. */
  readonly to: string
}

/**
 * Makes a native memory of everything that can still be read in a damaged file, row by row, and says what cannot. The
 * copy is not repaired: what lost rows leave behind (links and window entries that lead nowhere) is there for the
 * checks to find. The file appears at `to` when it is whole; the original stays as it is.
 * @throws LcmError invalid_argument when something is at `to`, not_a_database, not_a_memory; file_corrupt when not even
 * the table of contents can be read; cancelled, disk_full
 */
export async function* salvageMemory(
  request: SalvageRequest,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, SalvageReport> {
  const startedAt = performance.now()
  const [from, to] = [resolve(request.from), resolve(request.to)]
  if (pathExists(to)) {
    throw new LcmError('invalid_argument', `${to} exists already: choose a path where nothing is.`, { path: to })
  }
  const partial = `${to}.partial`
  removeDatabase(partial)
  yield { done: 0, total: 0, unit: 'bytes', note: 'copying the file' }
  const source = copySource(from, `${to}.source`)
  try {
    const memory = openSource(source.path, from)
    try {
      const db = openNative(partial)
      try {
        db.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON')
        const tables = yield* salvageTables(memory.read, db, signal)
        db.transaction(() => indexEverything(db))
        db.transaction(() => fillSummaryHashes(db))
        db.exec('PRAGMA ignore_check_constraints = OFF; PRAGMA foreign_keys = ON')
        const isSound = db.value<string>('PRAGMA quick_check(1)') === 'ok'
        db.close()
        renameSync(partial, to)
        return {
          from,
          to,
          system: memory.info.system,
          tables,
          isWhole: tables.every((table) => table.lostRanges === 0 && table.refused === 0),
          isSound,
          missingBytes: source.missingBytes,
          durationMs: performance.now() - startedAt,
        }
      } catch (error) {
        db.close()
        throw error
      }
    } finally {
      memory.close()
    }
  } finally {
    removeDatabase(partial)
    source.remove()
  }
}

function openSource(copy: string, from: string): ReturnType<typeof openMemory> {
  try {
    return openMemory(copy, { readOnly: true, allowNewer: true })
  } catch (error) {
    if (!isDamage(error) || namesTables(error)) throw error
    throw new LcmError(
      'file_corrupt',
      `Nothing can be salvaged from ${from}: its table of contents, which says where every table begins, is damaged.`,
      { path: from },
      { cause: error },
    )
  }
}

/** It could be read, and lacks what a memory is made of: the error says which tables. */
const namesTables = (error: unknown): boolean => error instanceof LcmError && error.details?.sqlite === undefined

async function* salvageTables(
  from: ReadDb,
  to: WriteDb,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, SalvagedTable[]> {
  const tables: SalvagedTable[] = []
  const whole = (table: Table, key: string, name: (key: number) => string) =>
    salvageTable(from, to, table, [{ key, name }], signal)
  const asMessage = (key: number): string => `msg_${key}`
  tables.push(yield* whole('conversations', 'conversation_id', String))
  tables.push(yield* whole('messages', 'message_id', asMessage))
  tables.push(yield* whole('message_parts', 'message_id', asMessage))
  tables.push(yield* whole('summaries', 'summary_rowid', (key) => `row ${key}`))

  const summaries = to.column<string>('SELECT summary_id FROM summaries ORDER BY summary_rowid')
  for (const table of ['summary_messages', 'summary_sources'] as const) {
    const stretches = summaries.map((id) => ({
      key: 'ordinal',
      where: 'summary_id = :id',
      params: { id },
      name: (key: number) => `${id} ordinal ${key}`,
    }))
    tables.push(yield* salvageTable(from, to, table, stretches, signal))
  }
  const conversations = to.column<number>('SELECT conversation_id FROM conversations ORDER BY 1')
  const inConversation = (key: string) =>
    conversations.map((id) => ({
      key,
      where: 'conversation_id = CAST(:id AS INTEGER)',
      params: { id },
      name: (at: number) => `conversation ${id} ${key} ${at}`,
    }))
  tables.push(yield* salvageTable(from, to, 'context_items', inConversation('ordinal'), signal))
  tables.push(yield* salvageTable(from, to, 'large_files', inConversation('created_at'), signal))
  return tables
}

type Stretch = Pick<Source, 'key' | 'where' | 'params'> & { name(key: number): string }

async function* salvageTable(
  from: ReadDb,
  to: WriteDb,
  table: Table,
  stretches: readonly Stretch[],
  signal: AbortSignal,
): AsyncGenerator<JobProgress, SalvagedTable> {
  const insert = insertInto(table, true)
  const columns = columnsOf(table)
  const lost: { from: string; to: string }[] = []
  let [read, refused, lostRanges] = [0, 0, 0]
  let batch: Row[] = []
  const flush = (): void => {
    const rows = batch
    batch = []
    const write = (): void => {
      for (const row of rows) {
        try {
          const kept = Object.fromEntries(columns.map((column) => [column, row[column] ?? null]))
          read += to.run(insert, toNative(table, kept))
        } catch (error) {
          if (!(error instanceof LcmError) || error.code === 'disk_full') throw error
          refused += 1
        }
      }
    }
    to.transaction(() => (table === 'messages' || table === 'message_parts' ? withoutIndexing(to, write) : write()))
  }
  for (const { key, where, params, name } of stretches) {
    const holes: Hole[] = []
    const source: Source = { columns, table, key, ...(where ? { where } : {}), ...(params ? { params } : {}) }
    for (const row of readableRows(from, source, holes)) {
      batch.push(row)
      if (batch.length < BATCH_ROWS) continue
      flush()
      yield { done: read, total: 0, unit: 'messages', note: table }
      await breathe(signal)
    }
    for (const hole of joinHoles(holes)) {
      lostRanges += 1
      if (lost.length < MAX_LISTED) lost.push(nameHole(hole, name))
    }
  }
  flush()
  yield { done: read, total: 0, unit: 'messages', note: table }
  await breathe(signal)
  return { table, read, refused, lost, lostRanges }
}

/** What reaches to where no row can be goes from the first or to the last. */
const nameHole = (hole: Hole, name: (key: number) => string): { from: string; to: string } => ({
  from: hole.from <= -Number.MAX_SAFE_INTEGER ? 'the first' : name(hole.from),
  to: hole.to >= Number.MAX_SAFE_INTEGER ? 'the last' : name(hole.to),
})

async function breathe(signal: AbortSignal): Promise<void> {
  await new Promise((resume) => setImmediate(resume))
  if (signal.aborted) throw new LcmError('cancelled', 'Salvaging was cancelled; no copy was made.')
}

function removeDatabase(path: string): void {
  for (const name of [path, `${path}-wal`, `${path}-shm`]) rmSync(name, { force: true })
}
