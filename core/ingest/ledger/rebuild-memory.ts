import { stat } from 'node:fs/promises'
import type { JobProgress } from '../../contract/job.ts'
import type { LedgerRebuild } from '../../contract/ledger.ts'
import { LcmError } from '../../errors.ts'
import { sha256 } from '../../hashing.ts'
import type { TokenEstimator } from '../../models/token-estimator.ts'
import { makeNativeFile } from '../../sqlite/new-file.ts'
import type { SqlParams, WriteDb } from '../../sqlite/read-db.ts'
import { takeTriggers } from '../../sqlite/take-triggers.ts'
import { indexInSteps } from '../index-in-steps.ts'
import { fillSummaryHashes } from '../summary-hashes.ts'
import { ledgerContentHash } from './content-hash.ts'
import { FromOthers } from './from-others.ts'
import type { LedgerEvent } from './ledger-line.ts'
import { LostConversations } from './lost-conversations.ts'
import { columnsOf, keyOf, type Row, TABLES } from './tables.ts'
import { Failures, readLedgerEvents, requireLedger } from './verify-ledger.ts'

const queries = {
  emptyMeta: /* sql */ `DELETE FROM lcm_meta`,
}

type Request = { readonly ledger: string; readonly to: string; readonly estimator: TokenEstimator }
type Entry = readonly [table: string, op: string, key: readonly (string | number | null)[], row: Row | null]

/**
 * Makes a memory from a ledger alone: ours with summaries, windows and runs as they were; another system's with its
 * messages, every line of them, also where one content stands in several. Lines that cannot be relied on are reported
 * and passed over. The file appears at `to` when it is whole.
 * @throws LcmError not_a_memory for what is no ledger, before anything is written; invalid_argument when something is at
 * `to`, file_missing, file_is_folder, file_not_readable, cancelled, disk_full
 */
export async function* rebuildMemory(
  request: Request,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, LedgerRebuild> {
  yield* requireLedger(request.ledger, signal)
  return yield* makeNativeFile(request.to, (db) => replay(db, request, signal))
}

async function* replay(
  db: WriteDb,
  { ledger, to, estimator }: Request,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, LedgerRebuild> {
  const failures = new Failures()
  // An undone transplant takes its copies back.
  const putBack = takeTriggers(db, ['*_index_*', '*_undeletable'])
  db.exec(queries.emptyMeta)
  const lost = new LostConversations()
  const builder = new Builder(db, failures, new FromOthers(db, estimator), lost)
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
  // What a whole ledger does not have, the memory did not have either.
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
    failures: failures.list,
    failureCount: failures.count,
    contentHash: ledgerContentHash(db),
  }
}

/** Applies events to a memory, one after the other. */
class Builder {
  readonly #db: WriteDb
  readonly #failures: Failures
  readonly #others: FromOthers
  readonly #lost: LostConversations
  readonly #columns = new Map<string, readonly string[]>()

  constructor(db: WriteDb, failures: Failures, others: FromOthers, lost: LostConversations) {
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
        // A changed text is no longer the message: what is not true is not put into a memory.
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

  /** A later version may have written columns that this one does not know. */
  #known(table: string, row: Row): string[] {
    return (this.#columns.get(table) ?? []).filter((column) => row[column] !== undefined)
  }
}

function entriesOf(content: string): readonly Entry[] {
  const value = JSON.parse(content) as { changes?: unknown }
  return Array.isArray(value.changes) ? (value.changes as Entry[]) : []
}

const pick = (row: Row, columns: readonly string[]): SqlParams =>
  Object.fromEntries(columns.map((column) => [column, row[column] ?? null]))
