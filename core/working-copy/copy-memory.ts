import { renameSync, rmSync } from 'node:fs'
import type { JobProgress } from '../contract/job.ts'
import type { MemoryInfo } from '../contract/memory.ts'
import { indexAtOnce } from '../conversations/ingest-index.ts'
import { contentHash } from '../conversations/ingest-rows.ts'
import { CANONICAL } from '../db/dialects/canonical.ts'
import { pathExists } from '../db/memory-file.ts'
import { openNative } from '../db/native.ts'
import type { ReadDb, SqlParams, SqlValue, WriteDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'
import { fillSummaryHashes } from './summary-hashes.ts'
import { verifyCopy } from './verify-copy.ts'

/** In the order in which references allow. Runs, events and locks belong to the process that made them and stay behind. */
const TABLES = [
  'conversations',
  'messages',
  'message_parts',
  'summaries',
  'summary_messages',
  'summary_sources',
  'context_items',
  'large_files',
] as const
type Table = (typeof TABLES)[number]

const BATCH_ROWS = 2000

export type CopyReport = {
  readonly messages: number
  readonly summaries: number
  readonly edges: number
  readonly contextItems: number
  /** Counts, contents, lineage and window were compared row by row. */
  readonly verified: true
}
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
  const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((column) => `:${column}`).join(', ')})`
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

/** `summary_rowid` is the copy's own. */
function columnsOf(table: Table): string[] {
  return (CANONICAL[table] ?? []).filter((column) => column !== 'summary_rowid')
}

/** What the native schema wants and another system does not record. */
function toNative(table: Table, row: Readonly<Record<string, SqlValue>>): SqlParams {
  switch (table) {
    case 'messages':
      return {
        ...row,
        created_at: row.created_at ?? 0,
        content: row.content ?? '',
        content_hash: contentHash(String(row.content ?? '')),
      }
    case 'summaries':
      return {
        ...row,
        created_at: row.created_at ?? row.latest_at ?? 0,
        source_token_count: row.source_token_count ?? 0,
        descendant_count: row.descendant_count ?? 0,
        level: row.level ?? 'unknown',
        file_ids: row.file_ids ?? '[]',
        summary_hash: row.summary_hash ?? '',
      }
    case 'conversations':
      return {
        ...row,
        importer: row.importer ?? 'copy',
        created_at: row.created_at ?? 0,
        updated_at: row.updated_at ?? row.created_at ?? 0,
      }
    case 'message_parts':
      return { ...row, session_id: row.session_id ?? '' }
    case 'context_items':
    case 'large_files':
      return { ...row, created_at: row.created_at ?? 0 }
    default:
      return row
  }
}

/** Some systems use a session's id for several conversations; ours tell them apart by who imported them. */
function withOwnSession(row: SqlParams, seen: Set<string>): SqlParams {
  const session = JSON.stringify([row.importer, row.session_id])
  const isNew = !seen.has(session)
  seen.add(session)
  return isNew ? row : { ...row, importer: `${row.importer}, conversation ${row.conversation_id}` }
}

function withoutIndexing(db: WriteDb, body: () => void): void {
  db.exec('DROP TRIGGER IF EXISTS messages_index_insert; DROP TRIGGER IF EXISTS message_parts_index_insert')
  body()
}

/** Messages and parts are all there: index them at once and put the triggers back. */
function indexEverything(db: WriteDb): void {
  db.exec(
    "INSERT INTO messages_fts (messages_fts) VALUES ('rebuild'); INSERT INTO messages_trigram (messages_trigram) VALUES ('rebuild')",
  )
  indexAtOnce(db, () => undefined)
}

function removeFile(path: string): void {
  for (const name of [path, `${path}-wal`, `${path}-shm`]) rmSync(name, { force: true })
}
