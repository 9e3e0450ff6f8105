import { resolve } from 'node:path'
import type { JobProgress } from '#core/contract/job.ts'
import type { SalvagedTable, SalvageReport } from '#core/contract/salvage.ts'
import { LcmError } from '#core/errors.ts'
import { indexInSteps } from '#core/ingest/index-in-steps.ts'
import { columnsOf, TABLES, type Table } from '#core/ingest/native-rows.ts'
import { readRecordedEstimator, recordEstimator } from '#core/ingest/recorded-estimator.ts'
import { fillSummaryHashes } from '#core/ingest/summary-hashes.ts'
import { pathExists } from '#core/sqlite/memory-file.ts'
import { errorAboutTarget, makeNativeFile, partialPath, takenError } from '#core/sqlite/new-file.ts'
import type { WriteDb } from '#core/sqlite/read-db.ts'
import { takeTriggers } from '#core/sqlite/take-triggers.ts'
import { isNative } from '#core/systems/native/native.ts'
import { yieldToOthers } from '#core/yielding.ts'
import { MAX_LISTED, withMissingMessages } from './missing-messages.ts'
import { type DamagedMemory, openByPages, openDamaged } from './open-damaged.ts'
import { type Hole, isDamage, joinHoles, Looks, type Row, readableRows, type Source } from './readable-rows.ts'
import { RowKeeper } from './row-keeper.ts'
import { copySource, type SourceCopy } from './salvage-copy.ts'

const queries = {
  summaryIds: /* sql */ `SELECT summary_id FROM summaries`,
  conversationIds: /* sql */ `SELECT conversation_id FROM conversations`,
}

const CANCELLED = 'Salvaging was cancelled; no copy was made.'
const BATCH_ROWS = 1000

export type SalvageRequest = {
  /** The damaged file, which is only read. */
  readonly from: string
  /** The path of the copy. Nothing may exist there. */
  readonly to: string
}

/**
 * Makes a native memory of everything that can still be read in a damaged file, row by row, and reports what cannot be
 * read. The copy is not repaired: links and window entries whose target is lost stay, so that the integrity checks find
 * them. The file appears at `to` when it is complete. The original is not changed.
 * @throws LcmError invalid_argument when something is at `to`, not_a_database, not_a_memory; file_corrupt when not even
 * the table of contents of another system's file can be read; cancelled, disk_full
 */
export async function* salvageMemory(
  request: SalvageRequest,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, SalvageReport> {
  const startedAt = performance.now()
  const [from, to] = [resolve(request.from), resolve(request.to)]
  if (pathExists(to)) throw takenError(to)
  yield { done: 0, total: 0, unit: 'bytes', note: 'copying the file' }
  const aside = partialPath(to)
  const source = await copySource(from, aside).catch((error: unknown) => {
    throw errorAboutTarget(to, aside, error)
  })
  try {
    const memory = await openDamaged(source, from, signal)
    try {
      const saved = yield* makeNativeFile(to, (db) => fill({ source, memory, to: db, signal }))
      return {
        from,
        to,
        system: memory.info.system,
        ...saved,
        byPages: memory.lost !== null,
        isWhole: memory.lost === null && saved.tables.every((table) => table.lostRanges === 0 && table.refused === 0),
        missingBytes: source.missingBytes,
        durationMs: performance.now() - startedAt,
      }
    } finally {
      memory.close()
    }
  } finally {
    source.remove()
  }
}

async function* fill(
  work: Work & { readonly source: SourceCopy },
): AsyncGenerator<JobProgress, Pick<SalvageReport, 'tables' | 'isSound'>> {
  const { to, signal } = work
  const putBack = takeTriggers(to, ['*_index_*'])
  const tables = yield* salvageAll(work)
  const { read, info } = work.memory
  const countedBy = isNative(info) ? readRecordedEstimator(read) : undefined
  if (typeof countedBy === 'string') recordEstimator(to, countedBy)
  yield* indexInSteps(to, signal)
  putBack()
  to.transaction(() => fillSummaryHashes(to))
  return { tables, isSound: to.value<string>('PRAGMA quick_check(1)') === 'ok' }
}

type Work = { readonly memory: DamagedMemory; readonly to: WriteDb; readonly signal: AbortSignal }

/** In a native file, rows that SQLite does not reach are searched for page by page. */
async function* salvageAll(work: Work & { readonly source: SourceCopy }): AsyncGenerator<JobProgress, SalvagedTable[]> {
  const { source, memory, signal } = work
  const tables = yield* salvageTables(work, () => true)
  const damaged = new Set(tables.filter(({ lostRanges }) => lostRanges > 0).map(({ table }) => table))
  if (memory.lost !== null) return withMissingMessages(tables, work.to)
  if (!source.isOurs || damaged.size === 0) return tables
  const byPages = await openByPages(source, signal)
  if (!byPages) return tables
  try {
    const found = yield* salvageTables({ ...work, memory: byPages }, (table) => damaged.has(table))
    const more = new Map(found.map(({ table, read }) => [table, read]))
    const all = tables.map((table) => ({ ...table, read: table.read + (more.get(table.table) ?? 0) }))
    return damaged.has('messages') ? withMissingMessages(all, work.to) : all
  } finally {
    byPages.close()
  }
}

async function* salvageTables(
  work: Work,
  isWanted: (table: Table) => boolean,
): AsyncGenerator<JobProgress, SalvagedTable[]> {
  const { memory, to } = work
  const asMessage = (key: number): string => `msg_${key}`
  const ofSummaries = (table: Table): Parts => {
    const { owners, isWhole } = ownersOf(memory, table, 'summary_id', to.column<string>(queries.summaryIds))
    const ranges = owners.map((id) => ({
      key: 'ordinal',
      where: 'summary_id = :id',
      params: { id },
      name: (key: number) => `${id} ordinal ${key}`,
    }))
    return { ranges, unknown: isWhole ? null : 'links of summaries that are lost themselves' }
  }
  const ofConversations = (table: Table, key: string, isShared = false): Parts => {
    const saved = to.column<number>(queries.conversationIds)
    const { owners, isWhole } = ownersOf(memory, table, 'conversation_id', saved)
    const ranges = owners.map((id) => ({
      key,
      isShared,
      where: 'conversation_id = CAST(:id AS INTEGER)',
      params: { id },
      name: (at: number) => `conversation ${id} ${key} ${at}`,
    }))
    return { ranges, unknown: isWhole ? null : 'what conversations had that are lost themselves' }
  }
  const all = (range: RowRange): Parts => ({ ranges: [range], unknown: null })
  const partsOf: Readonly<Record<Table, () => Parts>> = {
    conversations: () => all({ key: 'conversation_id', name: String }),
    messages: () => all({ key: 'message_id', name: asMessage }),
    message_parts: () => all({ key: 'message_id', isShared: true, name: asMessage }),
    summaries: () => all({ key: 'summary_rowid', name: (key) => `row ${key}` }),
    summary_messages: () => ofSummaries('summary_messages'),
    summary_sources: () => ofSummaries('summary_sources'),
    context_items: () => ofConversations('context_items', 'ordinal'),
    large_files: () => ofConversations('large_files', 'created_at', true),
  }
  const tables: SalvagedTable[] = []
  for (const table of TABLES) {
    if (isWanted(table)) tables.push(yield* salvageTable(work, table, partsOf[table]()))
  }
  return tables
}

type RowRange = Pick<Source, 'key' | 'where' | 'params' | 'isShared'> & { name(key: number): string }

/** The rows of a table, by owner. `unknown` describes rows whose owner is not known, if there may be any. */
type Parts = { readonly ranges: readonly RowRange[]; readonly unknown: string | null }

/**
 * Returns the owners of a table's rows: those that were saved, and those that the table names although they are lost.
 */
function ownersOf<Id extends string | number>(
  { read }: DamagedMemory,
  table: Table,
  column: string,
  saved: readonly Id[],
): { readonly owners: readonly Id[]; readonly isWhole: boolean } {
  const owners = new Set(saved)
  let isWhole = true
  try {
    const distinct = /* sql */ `SELECT DISTINCT ${column} AS id FROM ${table}`
    for (const { id } of read.iterate<{ id: Id | null }>(distinct)) {
      if (id !== null) owners.add(id)
    }
  } catch (error) {
    if (!isDamage(error)) throw error
    isWhole = false
  }
  return { owners: [...owners], isWhole }
}

async function* salvageTable(
  { memory, to, signal }: Work,
  table: Table,
  { ranges, unknown }: Parts,
): AsyncGenerator<JobProgress, SalvagedTable> {
  const columns = columnsOf(table)
  const known = [...(memory.lost?.get(table) ?? []), ...(unknown === null ? [] : [unknown])]
  const lost = known.slice(0, MAX_LISTED).map((name) => ({ from: name, to: name }))
  let [read, refused, lostRanges] = [0, 0, known.length]
  const keeper = new RowKeeper(memory, to, table)
  const looks = new Looks()
  let batch: Row[] = []
  const flush = (): void => {
    const rows = batch
    batch = []
    to.transaction(() => {
      for (const row of rows) {
        try {
          if (keeper.add(row)) read += 1
          else refused += 1
        } catch (error) {
          if (!(error instanceof LcmError) || error.code === 'disk_full') throw error
          refused += 1
        }
      }
    })
  }
  for (const { name, ...range } of ranges) {
    const holes: Hole[] = []
    const source: Source = { columns, table, ...range }
    for (const row of readableRows(memory.read, source, holes, looks)) {
      batch.push(row)
      if (batch.length < BATCH_ROWS) continue
      flush()
      yield { done: read, total: 0, unit: 'messages', note: table }
      await yieldToOthers(signal, CANCELLED)
    }
    for (const hole of joinHoles(holes)) {
      lostRanges += 1
      if (lost.length < MAX_LISTED) lost.push(nameHole(hole, name))
    }
  }
  flush()
  yield { done: read, total: 0, unit: 'messages', note: table }
  await yieldToOthers(signal, CANCELLED)
  return { table, read, refused, lost, lostRanges }
}

/** A hole that reaches beyond every possible key begins at the first row or ends at the last one. */
const nameHole = (hole: Hole, name: (key: number) => string): { from: string; to: string } => ({
  from: hole.from <= -Number.MAX_SAFE_INTEGER ? 'the first' : name(hole.from),
  to: hole.to >= Number.MAX_SAFE_INTEGER ? 'the last' : name(hole.to),
})
