import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeFileSync } from 'node:fs'
import type { Clock } from '../clock.ts'
import type { LedgerState } from '../contract/ledger.ts'
import type { ReadDb, WriteDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'
import { parseLine, sha256, toLine } from './ledger-line.ts'
import { hasOutbox, installOutbox, removeOutbox } from './outbox.ts'
import { type Change, stamper, toEvents } from './to-events.ts'

/** Rows a batch: bounds memory and the time that other writers wait. */
const BATCH_ROWS = 4000
const TAIL_BYTES = 64 * 1024

const queries = {
  meta: /* sql */ `SELECT value FROM lcm_meta WHERE key = :key`,
  setMeta: /* sql */ `
    INSERT INTO lcm_meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  forget: /* sql */ `DELETE FROM lcm_meta WHERE key LIKE 'ledger_%'`,
  end: /* sql */ `
    SELECT max(outbox_id) FROM (SELECT outbox_id FROM ledger_outbox ORDER BY outbox_id LIMIT ${BATCH_ROWS})`,
  batch: /* sql */ `
    SELECT table_name AS "table", op, key, entry FROM ledger_outbox
    WHERE outbox_id <= CAST(:last AS INTEGER) ORDER BY outbox_id`,
  done: /* sql */ `DELETE FROM ledger_outbox WHERE outbox_id <= CAST(:last AS INTEGER)`,
  pending: /* sql */ `SELECT count(*) FROM ledger_outbox`,
}

type OutboxRow = { table: string; op: Change['op']; key: string; entry: string | null }

/**
 * Carries committed changes from the outbox of a memory into its ledger. The file name is the memory's own, so every
 * program that writes it feeds the same ledger. A batch is marked, appended and synced, and only then taken out of the
 * outbox: killed at any instant, the next run finds how much of the marked batch is in the ledger and goes on behind it.
 */
export class LedgerWriter {
  readonly #db: WriteDb
  readonly #clock: Clock

  constructor(db: WriteDb, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Begins a ledger with everything that the memory holds. Does nothing when it is kept at this path already. */
  enable(path: string): void {
    const db = this.#db
    const kept = this.path
    if (kept === path) return
    if (kept !== null)
      throw new LcmError('invalid_argument', `A ledger is kept already, at ${kept}: end that one first.`)
    if (existsSync(path)) {
      throw new LcmError('invalid_argument', `${path} exists already: a ledger begins in a file of its own.`, { path })
    }
    db.transaction(() => {
      installOutbox(db)
      db.run(queries.setMeta, { key: 'ledger_path', value: path })
      db.run(queries.setMeta, { key: 'ledger_bytes', value: '0' })
    })
  }

  /** Ends recording; the ledger stays as it is. */
  disable(): void {
    this.#db.transaction(() => {
      removeOutbox(this.#db)
      this.#db.run(queries.forget)
    })
  }

  /** Null: none is kept. */
  get path(): string | null {
    return hasOutbox(this.#db) ? (metaOf(this.#db, 'ledger_path') ?? null) : null
  }

  /**
   * Appends everything that is pending. Returns the number of events.
   * @throws LcmError file_truncated when the ledger is shorter than it was, disk_full, locked
   */
  drain(): number {
    const { path } = this
    if (path === null) return 0
    let events = 0
    for (;;) {
      const last = this.#mark()
      if (last === null) return events
      events += this.#append(path, last)
    }
  }

  /** Marks the next batch, or finds the one that was marked before a crash. Null: nothing is pending. */
  #mark(): number | null {
    const db = this.#db
    const marked = metaOf(this.#db, 'ledger_batch')
    if (marked !== undefined && marked !== '') return Number(marked)
    const last = db.value<number | null>(queries.end) ?? null
    if (last === null) return null
    return db.transaction(() => {
      const earlier = metaOf(this.#db, 'ledger_batch')
      if (earlier !== undefined && earlier !== '') return Number(earlier)
      db.run(queries.setMeta, { key: 'ledger_batch', value: String(last) })
      return last
    })
  }

  #append(path: string, last: number): number {
    const db = this.#db
    // Under the write lock: nobody else appends meanwhile.
    return db.transaction(() => {
      if (metaOf(this.#db, 'ledger_batch') !== String(last)) return 0
      const blocked = whyBlocked(db, path)
      if (blocked !== null) throw new LcmError('file_truncated', blocked, { path })
      const changes = db.all<OutboxRow>(queries.batch, { last }).map(
        ({ table, op, key, entry }): Change => ({
          table,
          op,
          key: JSON.parse(key) as Change['key'],
          row: entry === null ? null : (JSON.parse(entry) as Change['row']),
        }),
      )
      const file = openSync(path, 'a+')
      try {
        const tail = readTail(file, Number(metaOf(this.#db, 'ledger_bytes') ?? 0))
        const stamp = stamper(this.#clock, tail)
        let there = tail.hashes
        let count = 0
        for (const event of toEvents(db, changes)) {
          // What a killed run has appended of this batch is there already, in the same order.
          if (there.length > 0 && there[0] === sha256(event.content)) there = there.slice(1)
          // All of it, unlike `writeSync` on a disk that is nearly full: the outbox forgets it.
          else writeFileSync(file, toLine(stamp(event)))
          count += 1
        }
        fsyncSync(file)
        db.run(queries.setMeta, { key: 'ledger_bytes', value: String(fstatSync(file).size) })
        db.run(queries.setMeta, { key: 'ledger_batch', value: '' })
        db.run(queries.done, { last })
        return count
      } finally {
        closeSync(file)
      }
    })
  }
}

/** What a memory says of its ledger; of another system's file, that it keeps none. */
export function ledgerState(db: ReadDb): LedgerState {
  const path = hasOutbox(db) ? (metaOf(db, 'ledger_path') ?? null) : null
  if (path === null) return { path, pending: 0, bytes: 0, blocked: null }
  const pending = db.value<number>(queries.pending) ?? 0
  return { path, pending, bytes: Number(metaOf(db, 'ledger_bytes') ?? 0), blocked: whyBlocked(db, path) }
}

function whyBlocked(db: ReadDb, path: string): string | null {
  const known = Number(metaOf(db, 'ledger_bytes') ?? 0)
  const bytes = existsSync(path) ? sizeOf(path) : 0
  if (bytes >= known) return null
  return `The ledger ${path} has ${bytes} bytes where ${known} were written: it was cut off or replaced. Put the whole one back, or end it and export a new one. What is pending stays in the memory meanwhile.`
}

const metaOf = (db: ReadDb, key: string): string | undefined => db.value<string>(queries.meta, { key })

function sizeOf(path: string): number {
  const file = openSync(path, 'r')
  try {
    return fstatSync(file).size
  } finally {
    closeSync(file)
  }
}

/**
 * What was appended since the last batch that was finished: the hashes of whole lines, in order. Half a line at the end
 * is of a write that was cut off, and taken away: its changes are still in the outbox.
 */
function readTail(file: number, from: number): { readonly hashes: readonly string[]; readonly ts: string | null } {
  const size = fstatSync(file).size
  const added = read(file, from, size)
  const end = added.lastIndexOf(0x0a) + 1
  if (end < added.length) ftruncateSync(file, from + end)
  const hashes: string[] = []
  let ts: string | null = null
  for (const text of added.subarray(0, end).toString('utf8').split('\n')) {
    const event = text === '' ? null : parseLine(text)
    if (event === null || typeof event === 'string') continue
    hashes.push(event.content_hash)
    ts = event.ts
  }
  if (ts === null && from > 0) ts = lastTime(read(file, Math.max(0, from - TAIL_BYTES), from))
  return { hashes, ts }
}

/** Of the last line in the bytes; found without the line's beginning, since `ts` is its last key. */
function lastTime(bytes: Buffer): string | null {
  return /"ts":"(\d+Z)"\}\n$/.exec(bytes.toString('latin1'))?.[1] ?? null
}

function read(file: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, to - from))
  let done = 0
  while (done < bytes.length) {
    const count = readSync(file, bytes, done, bytes.length - done, from + done)
    if (count === 0) break
    done += count
  }
  return bytes.subarray(0, done)
}
