// Why it is so: docs/decisions/0011-working-copies.md

import { CompactionReason } from '#core/contract/compaction.ts'
import type { JobProgress } from '#core/contract/job.ts'
import type { MemoryInfo } from '#core/contract/memory.ts'
import type { CopyReport } from '#core/contract/working-copy.ts'
import { indexInSteps } from '#core/ingest/index-in-steps.ts'
import { columnsOf, TABLES, type Table } from '#core/ingest/native-rows.ts'
import { readRecordedEstimator, recordEstimator } from '#core/ingest/recorded-estimator.ts'
import { fillSummaryHashes } from '#core/ingest/summary-hashes.ts'
import { makeNativeFile } from '#core/sqlite/new-file.ts'
import type { ReadDb, SqlParams, SqlValue, WriteDb } from '#core/sqlite/read-db.ts'
import { takeTriggers } from '#core/sqlite/take-triggers.ts'
import { CANONICAL } from '#core/systems/deriving/canonical.ts'
import { isNative } from '#core/systems/native/native.ts'
import { storeOrigin } from '#core/systems/opening/copied-from.ts'
import { inSlices, yieldToOthers } from '#core/yielding.ts'
import { recordDifferences } from '../scan/copy-differences.ts'
import { recordBaseline } from '../scan/record-baseline.ts'
import { finishTimes, RowFitter } from './fit-rows.ts'
import { type MoveOptions, moveLargeTexts } from './move-large-texts.ts'
import { verifyCopy } from './verify-copy.ts'

const BATCH_ROWS = 2000
/** After COPIED of the work all rows are stored, and after INDEXED they are indexed. The rest is comparing. */
const COPIED = 0.4
const INDEXED = 0.7
const COMPARED = 0.9

export type CopyRequest = {
  readonly from: { readonly read: ReadDb; readonly info: MemoryInfo }
  readonly to: string
  /** Given when large texts are moved into files of the copy. */
  readonly largeTexts?: MoveOptions | null
}

const queries = {
  hold: /* sql */ 'SELECT rootpage FROM main.sqlite_schema',
  count: (table: Table) => /* sql */ `SELECT count(*) FROM ${table}`,
}

/**
 * Makes a working copy: a native memory with the same ids, order, times, lineage, window and compaction history,
 * including damage, so that it can be compacted and repaired while the original is not changed. A window that its
 * system derives by a rule is stored as that rule gives it. The copy shows the original at one moment, even if it is
 * written to meanwhile. The file appears at `to` when it is complete and verified.
 * @throws LcmError invalid_argument when something is at `to`, cancelled, disk_full, sqlite_failed
 */
export async function* copyMemory(
  { from, to, largeTexts = null }: CopyRequest,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, CopyReport> {
  // While this statement is open, all reads see one state of the file, until the last row is compared.
  const held = from.read.iterate(queries.hold)
  let isMade = false
  try {
    held.next()
    const report = yield* makeNativeFile(
      to,
      (db) => fill(db, from, largeTexts, signal),
      () => largeTexts?.store.placeAll(),
    )
    isMade = true
    return report
  } finally {
    held.return?.()
    if (!isMade) largeTexts?.store.removeAll()
  }
}

async function* fill(
  db: WriteDb,
  { read, info }: CopyRequest['from'],
  largeTexts: MoveOptions | null,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, CopyReport> {
  const putBack = takeTriggers(db, ['messages_*', 'message_parts_*', 'summaries_*'])
  const fitter = new RowFitter(read, db)
  const rows = new Map(TABLES.map((table) => [table, read.value<number>(queries.count(table)) ?? 0]))
  const all = rows.values().reduce((sum, count) => sum + count, 0)
  let before = 0
  for (const table of TABLES) {
    const upTo = before + (rows.get(table) ?? 0)
    const share = { from: COPIED * (before / Math.max(1, all)), to: COPIED * (upTo / Math.max(1, all)) }
    yield* inShare(copyTable(read, db, fitter, table, upTo - before, signal), share)
    before = upTo
  }
  db.transaction(() => finishTimes(db, fitter))
  db.transaction(() => copyRecords(read, db, fitter))
  db.transaction(() => {
    storeOrigin(db, info)
    const countedBy = isNative(info) ? readRecordedEstimator(read) : undefined
    if (typeof countedBy === 'string') recordEstimator(db, countedBy)
  })
  yield* inShare(indexInSteps(db, signal), { from: COPIED, to: INDEXED })
  putBack()
  db.transaction(() => fillSummaryHashes(db))
  yield { done: INDEXED, total: 1, unit: 'steps', note: 'looking at it' }
  await inSlices(recordBaseline({ read, info }, db), signal)
  await inSlices(recordDifferences({ read, info }, db), signal)
  const verified = yield* inShare(verifyCopy({ original: read, info, copy: db, fitter, rows: all }, signal), {
    from: INDEXED,
    to: largeTexts === null ? 1 : COMPARED,
  })
  if (largeTexts === null) return verified
  const moved = yield* inShare(moveLargeTexts(db, largeTexts, signal), { from: COMPARED, to: 1 })
  return { ...verified, largeTexts: moved }
}

async function* copyTable(
  from: ReadDb,
  to: WriteDb,
  fitter: RowFitter,
  table: Table,
  total: number,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, void> {
  let done = 0
  let batch: Record<string, SqlValue>[] = []
  const flush = (): void => {
    const rows = batch
    batch = []
    to.transaction(() => {
      for (const row of rows) fitter.add(table, row)
    })
    done += rows.length
  }
  // Entries of a window are read in order, because an entry with an ordinal in use is moved behind the last one.
  const order = table === 'context_items' ? 'ORDER BY conversation_id, ordinal' : ''
  const sql = /* sql */ `SELECT ${columnsOf(table).join(', ')} FROM ${table} ${order}`
  for (const row of from.iterate<Record<string, SqlValue>>(sql)) {
    batch.push(row)
    if (batch.length < BATCH_ROWS) continue
    flush()
    yield { done, total, unit: 'messages', note: table }
    await yieldToOthers(signal, 'Copying was cancelled; no copy was made.')
  }
  flush()
  yield { done, total, unit: 'messages', note: table }
}

/** A part of the whole work, as fractions of 1. */
type Share = { readonly from: number; readonly to: number }

/** Reports the progress of one part as progress of the whole. It never goes back. */
async function* inShare<T>(part: AsyncGenerator<JobProgress, T>, { from, to }: Share): AsyncGenerator<JobProgress, T> {
  for (;;) {
    const step = await part.next()
    if (step.done) return step.value
    const { done, total } = step.value
    const share = total > 0 ? Math.min(1, done / total) : 0
    yield { ...step.value, done: from + (to - from) * share, total: 1, unit: 'steps' }
  }
}

/**
 * Records of compactions and of changes by hand. Locks belong to the process that holds them, so they are not copied.
 */
const RECORDS = ['compaction_runs', 'compaction_events', 'surgery_events'] as const
type Records = (typeof RECORDS)[number]

/**
 * Returns the reason for a run in the words of native files. When another system does not record it, it is maintenance.
 */
const reasonOf = (reason: SqlValue | undefined) => CompactionReason.catch('maintenance').parse(reason)

/** Copies the history of compactions, so that time travel reaches as far back in the copy. */
function copyRecords(from: ReadDb, to: WriteDb, fitter: RowFitter): void {
  for (const table of RECORDS) {
    const columns = (CANONICAL[table] ?? []).join(', ')
    const values = (CANONICAL[table] ?? []).map((column) => `:${column}`).join(', ')
    const insert = /* sql */ `INSERT OR IGNORE INTO ${table} (${columns}) VALUES (${values})`
    for (const row of from.iterate<Record<string, SqlValue>>(/* sql */ `SELECT ${columns} FROM ${table}`)) {
      to.run(insert, withDefaults(table, row, fitter))
    }
  }
}

/** Adds values that a native row needs and other systems do not record. */
function withDefaults(table: Records, row: Readonly<Record<string, SqlValue>>, fitter: RowFitter): SqlParams {
  // When messages got another `seq`, a recorded range does not tell any more what was compacted.
  const newest = fitter.renumbered.has(Number(row.conversation_id)) ? null : (row.newest_seq ?? null)
  switch (table) {
    case 'compaction_runs':
      return {
        ...row,
        reason: reasonOf(row.reason),
        started_at: row.started_at ?? 0,
        tokens_before: row.tokens_before ?? 0,
        model_input_tokens: row.model_input_tokens ?? 0,
        model_output_tokens: row.model_output_tokens ?? 0,
      }
    case 'compaction_events':
      return { ...row, newest_seq: newest, at: row.at ?? 0, attempts: row.attempts ?? '[]' }
    case 'surgery_events':
      return { ...row, newest_seq: newest }
  }
}
