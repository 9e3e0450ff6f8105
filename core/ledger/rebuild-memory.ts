import { stat } from 'node:fs/promises'
import type { JobProgress } from '../contract/job.ts'
import type { LedgerFiles, LedgerRebuild } from '../contract/ledger.ts'
import { LcmError } from '../errors.ts'
import { sha256, startSha256 } from '../hashing.ts'
import { indexInSteps } from '../ingest/index-in-steps.ts'
import { fillSummaryHashes } from '../ingest/summary-hashes.ts'
import type { RebuildRequest } from '../ledger-keeper.ts'
import { makeNativeFile } from '../sqlite/new-file.ts'
import type { ReadDb, SqlParams, WriteDb } from '../sqlite/read-db.ts'
import { takeTriggers } from '../sqlite/take-triggers.ts'
import { ForeignEvents } from './foreign-events.ts'
import type { LedgerEvent } from './ledger-line.ts'
import { LostConversations } from './lost-conversations.ts'
import { columnsOf, type Entry, entriesOf, keyOf, OWN_META_PREFIX, type Row, TABLES } from './tables.ts'
import { Failures, readLedgerEvents, requireLedger } from './verify-ledger.ts'

const queries = {
  emptyMeta: /* sql */ `DELETE FROM lcm_meta`,
  largeFiles: /* sql */ `SELECT count(*) AS count, coalesce(sum(byte_size), 0) AS bytes FROM large_files`,
}

/**
 * Rebuilds a memory from a ledger alone: one of ours with summaries, windows and runs, one of another system with a
 * message for every line, also when a content is repeated. Lines that cannot be relied on are reported and skipped. The
 * file appears at `to` when it is complete.
 * @throws LcmError not_a_memory for what is no ledger, before anything is written; invalid_argument when something is
 * at `to`, file_missing, file_is_folder, file_not_readable, cancelled, disk_full
 */
export async function* rebuildMemory(
  request: RebuildRequest,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, LedgerRebuild> {
  yield* requireLedger(request.ledger, signal)
  return yield* makeNativeFile(request.to, (db) => replay(db, request, signal))
}

async function* replay(
  db: WriteDb,
  { ledger, to, estimator }: RebuildRequest,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, LedgerRebuild> {
  const failures = new Failures()
  // An undone transplant deletes its copies, which `*_undeletable` would prevent.
  const putBack = takeTriggers(db, ['*_index_*', '*_undeletable'])
  db.exec(queries.emptyMeta)
  const lost = new LostConversations()
  const builder = new Builder(db, failures, new ForeignEvents(db, estimator), lost)
  const total = await stat(ledger).then(
    ({ size }) => size,
    () => 0,
  )
  let events = 0
  for await (const block of readLedgerEvents(ledger, failures, signal)) {
    db.transaction(() => {
      for (const { line, event } of block.events) builder.apply(line, event)
    })
    events += block.events.length
    yield { done: block.bytes, total, unit: 'bytes', note: 'replaying the ledger' }
  }
  // Data that a complete ledger lacks was missing from the memory as well.
  if (failures.count > 0) db.transaction(() => lost.restore(db, failures))
  yield* indexInSteps(db, signal)
  putBack()
  db.transaction(() => fillSummaryHashes(db))
  const count = (table: string): number => db.value<number>(/* sql */ `SELECT count(*) FROM ${table}`) ?? 0
  return {
    path: to,
    ok: failures.count === 0,
    events,
    messages: count('messages'),
    summaries: count('summaries'),
    largeFiles: db.get<LedgerFiles>(queries.largeFiles) ?? { count: 0, bytes: 0 },
    failures: failures.list,
    failureCount: failures.count,
    contentHash: ledgerContentHash(db),
  }
}

/** Hashes every row that a ledger records, table by table in the order of their keys. */
export function ledgerContentHash(db: ReadDb): string {
  const hash = startSha256()
  for (const table of TABLES) {
    const columns = columnsOf(db, table)
    if (columns.length === 0) continue
    hash.update(`\n${table}`)
    const guard = table === 'lcm_meta' ? `WHERE key NOT LIKE '${OWN_META_PREFIX}%'` : ''
    const sql = /* sql */ `SELECT ${columns.toSorted().join(', ')} FROM main.${table} ${guard} ORDER BY ${keyOf(table).join(', ')}`
    for (const row of db.iterateRows(sql)) hash.update(`\n${JSON.stringify(row)}`)
  }
  return hash.digest('hex')
}

/** Applies events to a memory, one after the other. */
class Builder {
  readonly #db: WriteDb
  readonly #failures: Failures
  readonly #others: ForeignEvents
  readonly #lost: LostConversations
  readonly #columns = new Map<string, readonly string[]>()

  constructor(db: WriteDb, failures: Failures, others: ForeignEvents, lost: LostConversations) {
    this.#db = db
    this.#failures = failures
    this.#others = others
    this.#lost = lost
    for (const table of TABLES) this.#columns.set(table, columnsOf(db, table))
  }

  apply(line: number, event: LedgerEvent): void {
    const own = event.metadata.lcm
    try {
      if (typeof own !== 'object' || own === null) this.#others.add(event)
      else if (event.kind === 'event') for (const entry of entriesOf(event.content)) this.#change(entry)
      else {
        const hash = sha256(event.content)
        // A changed text is not the message any more, so it is left out.
        if (hash !== event.content_hash) return
        this.#lost.note(event, (own as Row).conversation_id)
        this.#insert('messages', { ...(own as Row), content: event.content, content_hash: hash })
      }
    } catch (error) {
      if (!(error instanceof LcmError) && !(error instanceof SyntaxError)) throw error
      if (error instanceof LcmError && error.code === 'disk_full') throw error
      this.#failures.add(line, 'ledger_behind', `event ${event.event_id} cannot be replayed: ${error.message}`)
    }
  }

  #change([table, op, key, row]: Entry): void {
    if (!TABLES.includes(table)) return
    if (op === 'insert' && row) {
      this.#insert(table, row)
      return
    }
    const where = keyOf(table).map((column, index) => `${column} IS :key${index}`)
    const params: SqlParams = Object.fromEntries(key.map((value, index) => [`key${index}`, value]))
    if (op === 'delete') {
      this.#db.run(/* sql */ `DELETE FROM ${table} WHERE ${where.join(' AND ')}`, params)
      return
    }
    const columns = this.#known(table, row ?? {})
    if (columns.length === 0) return
    const set = columns.map((column) => `${column} = :${column}`).join(', ')
    this.#db.run(/* sql */ `UPDATE ${table} SET ${set} WHERE ${where.join(' AND ')}`, {
      ...pick(row ?? {}, columns),
      ...params,
    })
  }

  #insert(table: string, row: Row): void {
    const columns = this.#known(table, row)
    const names = columns.join(', ')
    const values = columns.map((column) => `:${column}`).join(', ')
    this.#db.run(/* sql */ `INSERT INTO ${table} (${names}) VALUES (${values})`, pick(row, columns))
  }

  /** A later version may have written columns that this version does not know. */
  #known(table: string, row: Row): string[] {
    return (this.#columns.get(table) ?? []).filter((column) => row[column] !== undefined)
  }
}

const pick = (row: Row, columns: readonly string[]): SqlParams =>
  Object.fromEntries(columns.map((column) => [column, row[column] ?? null]))
