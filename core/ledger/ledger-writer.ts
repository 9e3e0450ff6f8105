import { randomBytes } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, ftruncateSync, lstatSync, openSync, statSync, writeFileSync } from 'node:fs'
import type { Clock } from '../clock.ts'
import { LcmError } from '../errors.ts'
import { sha256 } from '../hashing.ts'
import { fileError } from '../sqlite/memory-file.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import { proveLedger } from './ledger-adoption.ts'
import { aheadOf, compareExtent, extentOf, measureLedger, readBytes, saveExtent } from './ledger-extent.ts'
import { type LedgerEvent, parseLine } from './ledger-line.ts'
import { forgetLedgerMeta, ledgerMeta, setLedgerMeta } from './ledger-meta.ts'
import { type LedgerPermission, noFile, statedLedger, throwRefused, whyRefused } from './ledger-permission.ts'
import { installOutbox, readBatch, removeOutbox } from './outbox.ts'
import { type Change, lineWriter, toEvents } from './to-events.ts'

/** The rows of a batch, which limit memory and the time that other writers wait. */
const BATCH_ROWS = 4000
/** This many bytes are read first to find the last line. */
const LAST_LINE_BYTES = 4096
const LINE_FEED = 0x0a
/** Every line of a ledger begins so. */
const LINE_START = '{"actor":'

const queries = {
  end: /* sql */ `
    SELECT max(outbox_id) FROM (SELECT outbox_id FROM ledger_outbox ORDER BY outbox_id LIMIT ${BATCH_ROWS})`,
  done: /* sql */ `DELETE FROM ledger_outbox WHERE outbox_id <= CAST(:last AS INTEGER)`,
}

/**
 * Appends committed changes from the outbox of a memory to its ledger. The memory only states where that is, so nothing
 * is done there unless this machine allows it and the file is the one that this memory wrote. A batch is marked,
 * appended, synced, and only then removed from the outbox. After a crash at any instant the next run finds how much of
 * the marked batch is in the ledger and continues there.
 */
export class LedgerWriter {
  readonly #db: WriteDb
  readonly #clock: Clock
  readonly #permission: LedgerPermission

  constructor(db: WriteDb, clock: Clock, permission: LedgerPermission) {
    this.#db = db
    this.#clock = clock
    this.#permission = permission
  }

  /**
   * Begins a ledger with everything that the memory holds. Asking for it is the user's consent. Does nothing when a
   * ledger is kept at this path already.
   * @throws LcmError invalid_argument, ledger_refused
   */
  enable(path: string): void {
    const db = this.#db
    const kept = statedLedger(db)
    if (kept === path) {
      const refused = whyRefused(db, path, this.#permission)
      if (refused !== null) throwRefused(refused, path)
      return
    }
    if (kept !== null)
      throw new LcmError('invalid_argument', `A ledger is kept already, at ${kept}: end that one first.`)
    // A link to a missing file counts as existing, because a first line would create its target, wherever it is.
    if (lstatSync(path, { throwIfNoEntry: false })) {
      throw new LcmError('invalid_argument', `${path} exists already: a ledger begins in a file of its own.`, { path })
    }
    const id = newLedgerId()
    this.#agree(id, path)
    db.transaction(() => {
      installOutbox(db)
      setLedgerMeta(db, 'ledger_path', path)
      setLedgerMeta(db, 'ledger_id', id)
      saveExtent(db, { bytes: 0, head: null, tail: null })
    })
  }

  /**
   * Records the user's consent that this memory, at its place, continues a ledger: the one that it states, or the same
   * file elsewhere. The content has to prove that it belongs to this memory.
   * @throws LcmError invalid_argument, ledger_refused, file_missing
   */
  agree(given?: string): void {
    const db = this.#db
    const path = given ?? statedLedger(db)
    if (path === null || statedLedger(db) === null) {
      throw new LcmError('invalid_argument', 'This memory keeps no ledger: begin one with "lcm ledger enable FILE".')
    }
    const proved = proveLedger(db, path, this.#permission)
    const id = ledgerMeta(db, 'ledger_id') ?? newLedgerId()
    this.#agree(id, path)
    db.transaction(() => {
      setLedgerMeta(db, 'ledger_path', path)
      setLedgerMeta(db, 'ledger_id', id)
      saveExtent(db, proved)
    })
  }

  /** Ends recording. The ledger stays unchanged. */
  disable(): void {
    this.#db.transaction(() => {
      removeOutbox(this.#db)
      forgetLedgerMeta(this.#db)
    })
    this.#permission.consents.withdraw(this.#permission.memory)
  }

  /**
   * Appends everything that is pending, and returns the number of events.
   * @throws LcmError ledger_refused when nothing may be written there; disk_full, file_missing, file_not_readable,
   * locked
   */
  drain(): number {
    const path = statedLedger(this.#db)
    if (path === null) return 0
    let events = 0
    for (;;) {
      const last = this.#nextBatch()
      if (last === null) return events
      const refused = whyRefused(this.#db, path, this.#permission)
      if (refused !== null) throwRefused(refused, path)
      this.#mark(last)
      events += this.#append(path)
    }
  }

  #agree(id: string, path: string): void {
    this.#permission.consents.agree(this.#permission.memory, id, path, this.#clock)
  }

  /**
   * Returns the last row of the batch that was marked before a crash, or of the next batch, or null when nothing is
   * pending.
   */
  #nextBatch(): number | null {
    const marked = ledgerMeta(this.#db, 'ledger_batch')
    return marked === undefined ? (this.#db.value<number | null>(queries.end) ?? null) : Number(marked)
  }

  #mark(last: number): void {
    const db = this.#db
    if (ledgerMeta(db, 'ledger_batch') !== undefined) return
    db.transaction(() => {
      // Another process may have marked a batch meanwhile.
      if (ledgerMeta(db, 'ledger_batch') === undefined) setLedgerMeta(db, 'ledger_batch', String(last))
    })
  }

  #append(path: string): number {
    const db = this.#db
    // The write lock prevents that another writer appends meanwhile.
    return db.transaction(() => {
      const marked = ledgerMeta(db, 'ledger_batch')
      if (marked === undefined) return 0
      const last = Number(marked)
      const file = openLedger(path, extentOf(db).bytes)
      try {
        const count = this.#write(file, path, readBatch(db, last))
        saveExtent(db, measureLedger(file))
        setLedgerMeta(db, 'ledger_batch', '')
        db.run(queries.done, { last })
        return count
      } finally {
        closeSync(file)
      }
    })
  }

  /** Appends the missing part of the batch. What cannot be written completely is removed again. */
  #write(file: number, path: string, changes: readonly Change[]): number {
    const known = extentOf(this.#db)
    const problem = compareExtent(file, path, known)
    if (problem !== null) throwRefused(problem, path)
    const tail = readTail(file, known.bytes)
    // The part of this batch that a killed run appended is in the ledger already, in the same order.
    let index = 0
    if (tail.hashes.length > 0 || tail.half !== '') {
      for (const event of toEvents(this.#db, changes)) {
        if (index === tail.hashes.length || tail.hashes[index] !== sha256(event.content)) break
        index += 1
      }
      if (index < tail.hashes.length || !isHalfLine(tail.half)) throwRefused(aheadOf(path), path)
    }
    const there = tail.hashes.length
    const lineOf = lineWriter(this.#clock, tail)
    let count = 0
    try {
      ftruncateSync(file, tail.end)
      for (const event of toEvents(this.#db, changes)) {
        count += 1
        // Unlike `writeSync` this writes everything, even on a disk that is nearly full, because the outbox forgets it.
        if (count > there) writeFileSync(file, lineOf(event))
      }
      fsyncSync(file)
      return count
    } catch (error) {
      giveBack(file, tail.end)
      throw fileError(error, path)
    }
  }
}

const newLedgerId = (): string => randomBytes(16).toString('hex')

/** @throws LcmError ledger_refused, file_missing, file_not_readable, disk_full */
function openLedger(path: string, knownBytes: number): number {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    // Opening a pipe would wait for its other end.
    if (found && !found.isFile()) throwRefused(noFile(path), path)
    // A missing ledger is not silently begun again, because its first lines would be missing.
    if (!found && knownBytes > 0)
      throw new LcmError('file_missing', `The ledger ${path} is gone: put it back.`, { path })
    return openSync(path, found ? 'a+' : 'ax+', 0o600)
  } catch (error) {
    throw fileError(error, path)
  }
}

/** Frees the space of unfinished lines, which is all that can be done on a full disk. */
function giveBack(file: number, end: number): void {
  try {
    ftruncateSync(file, end)
  } catch {
    // The next batch finds the lines there and continues after them.
  }
}

const isHalfLine = (half: string): boolean =>
  half.length < LINE_START.length ? LINE_START.startsWith(half) : half.startsWith(LINE_START)

type Tail = {
  /** Hashes of the contents of complete lines, in order, with an empty text for a line that is no event. */
  readonly hashes: readonly string[]
  /** The beginning of a line that was cut off. Its change is still in the outbox. */
  readonly half: string
  /** The offset after the complete lines. */
  readonly end: number
  /** The last complete line, and its time. */
  readonly line: string | null
  readonly ts: string | null
}

/** Reads what was appended since the last finished batch. */
function readTail(file: number, from: number): Tail {
  const added = readBytes(file, from, fstatSync(file).size)
  const length = added.lastIndexOf(LINE_FEED) + 1
  const hashes = added
    .subarray(0, length)
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .map((text) => eventOf(text)?.content_hash ?? '')
  const end = from + length
  const line = lastLine(file, end)
  const ts = line === null ? null : (eventOf(line)?.ts ?? null)
  return { hashes, half: added.subarray(length).toString('utf8').slice(0, 100), end, line, ts }
}

function eventOf(text: string): LedgerEvent | null {
  const event = parseLine(text)
  return typeof event === 'string' ? null : event
}

/** Returns the line that ends at an offset, without its line feed, or null at the beginning. */
function lastLine(file: number, end: number): string | null {
  if (end === 0) return null
  for (let size = LAST_LINE_BYTES; ; size *= 4) {
    const from = Math.max(0, end - size)
    const bytes = readBytes(file, from, end - 1)
    const feed = bytes.lastIndexOf(LINE_FEED)
    if (feed !== -1 || from === 0) return bytes.subarray(feed + 1).toString('utf8')
  }
}
