import { closeSync, fstatSync, openSync } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { eventTimeMs } from '../clock.ts'
import type { JobProgress } from '../contract/job.ts'
import type { LedgerFailure, LedgerProblem, LedgerReport } from '../contract/ledger.ts'
import { isMissingFile, LcmError } from '../errors.ts'
import { sha256 } from '../hashing.ts'
import { readLines } from '../ingest/transcripts/line-reader.ts'
import { fileError } from '../sqlite/memory-file.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { ChainCheck, previousOf } from './ledger-chain.ts'
import { realLedger } from './ledger-consents.ts'
import { aheadOf, compareExtent, extentOf } from './ledger-extent.ts'
import { type LedgerEvent, parseLine } from './ledger-line.ts'
import { ledgerMeta } from './ledger-meta.ts'
import { statedLedger } from './ledger-permission.ts'
import { hasOutbox, pendingMessageIds } from './outbox.ts'
import { type Entry, entriesOf } from './tables.ts'

const MAX_FAILURES = 1000

/** Counts all failures, and keeps the first ones. */
export class Failures {
  readonly list: LedgerFailure[] = []
  count = 0

  add(line: number, check: LedgerFailure['check'], detail: string): void {
    this.count += 1
    if (this.list.length < MAX_FAILURES) this.list.push({ line, check, detail })
  }
}

export type NumberedEvent = { readonly line: number; readonly event: LedgerEvent }

/**
 * Reads the events of a ledger in order, a block at a time. Each is checked: it must be readable, have the hash of its
 * content and an id of its own, follow the line that it names, and have a time that does not go back. Memory grows with the ids only.
 * @throws LcmError file_missing, file_not_readable, cancelled
 */
export async function* readLedgerEvents(
  path: string,
  failures: Failures,
  signal: AbortSignal,
): AsyncGenerator<{
  readonly events: readonly NumberedEvent[]
  readonly bytes: number
  /** Lines so far that do not name the line before them. */
  readonly unchained: number
}> {
  await requireFile(path)
  const chain = new ChainCheck()
  const seen = new Set<string>()
  let latest = Number.NEGATIVE_INFINITY
  for await (const { lines, bytesRead } of readLines(path)) {
    if (signal.aborted) throw new LcmError('cancelled', `Reading ${path} was cancelled. Nothing was changed.`)
    const events: NumberedEvent[] = []
    for (const one of lines) {
      if (one.kind === 'too_long') {
        failures.add(one.number, 'malformed_json', `a line of ${one.bytes} bytes is not read`)
        chain.skip()
        continue
      }
      if (one.text.trim() === '') continue
      const event = parseLine(one.text)
      if (typeof event === 'string') {
        failures.add(one.number, 'malformed_json', event)
        chain.skip()
        continue
      }
      const isSound = sha256(event.content) === event.content_hash
      const broken = chain.add({ text: one.text, previous: previousOf(event), isSound })
      if (broken !== null) failures.add(one.number, 'ledger_chain', broken)
      if (!isSound) {
        failures.add(one.number, 'ledger_hash', `event ${event.event_id}: the content is not what its hash says`)
      }
      if (seen.has(event.event_id)) {
        failures.add(one.number, 'ledger_duplicate_event', `event ${event.event_id} stands in an earlier line as well`)
      }
      seen.add(event.event_id)
      const at = eventTimeMs(event.ts)
      if (Number.isNaN(at))
        failures.add(one.number, 'ledger_time_order', `its time cannot be read: ${event.ts.slice(0, 60)}`)
      else if (at < latest) failures.add(one.number, 'ledger_time_order', 'earlier than a line before it')
      else latest = at
      events.push({ line: one.number, event })
    }
    yield { events, bytes: bytesRead, unchained: chain.unchained }
  }
}

/**
 * Reads until the first event. An empty ledger is valid, and a file with lines but without an event is not.
 * @throws LcmError not_a_memory, file_missing, file_is_folder, file_not_readable, cancelled
 */
export async function* requireLedger(path: string, signal: AbortSignal): AsyncGenerator<JobProgress, void> {
  const failures = new Failures()
  const { size: total } = await requireFile(path)
  for await (const { events, bytes } of readLedgerEvents(path, failures, signal)) {
    if (events.length > 0) return
    yield { done: bytes, total, unit: 'bytes', note: 'looking for the first event' }
  }
  const [first] = failures.list
  if (first === undefined) return
  throw new LcmError(
    'not_a_memory',
    `${path} is no ledger: none of its lines is an event (line ${first.line}: ${first.detail}). A ledger is the file that "lcm ledger enable" keeps or "lcm ledger export" writes, one JSON object a line with event_id, content and content_hash. Name that file; transcripts are for "lcm import", databases for "lcm open".`,
    { path },
  )
}

/**
 * Verifies immutability: it reads the whole ledger and, with `db`, compares the messages of the memory with those of
 * the ledger.
 * @throws LcmError file_missing, file_not_readable, cancelled
 */
export async function* verifyLedger(
  path: string,
  db: ReadDb | null,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, LedgerReport> {
  const startedAt = performance.now()
  const failures = new Failures()
  const kinds: Record<string, number> = {}
  const { size } = await requireFile(path)
  const hashes = new Set<string>()
  const files = new Map<unknown, number>()
  let events = 0
  let bytes = 0
  let unchained = 0
  for await (const block of readLedgerEvents(path, failures, signal)) {
    for (const { event } of block.events) {
      noteFiles(files, event)
      events += 1
      kinds[event.kind] = (kinds[event.kind] ?? 0) + 1
      if (db && event.kind !== 'event') hashes.add(event.content_hash)
    }
    bytes = block.bytes
    unchained = block.unchained
    yield { done: bytes, total: size, unit: 'bytes', note: 'reading the ledger' }
  }
  if (db) compareWith(db, hashes, failures)
  const isEndProved = db !== null && compareEnd(db, path, failures)
  return {
    path,
    ok: failures.count === 0,
    unchained,
    isEndProved,
    largeFiles: { count: files.size, bytes: [...files.values()].reduce((sum, size) => sum + size, 0) },
    events,
    bytes,
    kinds,
    failures: failures.list,
    failureCount: failures.count,
    durationMs: performance.now() - startedAt,
  }
}

const queries = {
  hashes: /* sql */ `SELECT message_id AS id, content_hash AS hash FROM messages`,
}

/** Follows which large files the changes of a ledger leave, with their sizes. */
function noteFiles(files: Map<unknown, number>, { kind, content }: LedgerEvent): void {
  if (kind !== 'event' || !content.includes('"large_files"')) return
  for (const [table, op, [id], row] of entriesIn(content)) {
    if (table !== 'large_files') continue
    if (op === 'delete') files.delete(id)
    else files.set(id, Number(row?.byte_size ?? 0) || 0)
  }
}

/** Lines of other programs may hold anything. */
function entriesIn(content: string): readonly Entry[] {
  try {
    return entriesOf(content).filter((entry) => Array.isArray(entry) && Array.isArray(entry[2]))
  } catch {
    return []
  }
}

const CHECK_OF: Readonly<Record<LedgerProblem, LedgerFailure['check']>> = {
  ahead: 'ledger_ahead',
  changed: 'ledger_chain',
  cut_off: 'ledger_behind',
  foreign: 'ledger_ahead',
  not_agreed: 'ledger_behind',
  unreachable: 'ledger_behind',
}

/**
 * Asks the memory that keeps this ledger where it ended and how. Nothing in a ledger can tell that its last lines were
 * removed or replaced.
 * @returns true when the end is the one that the memory has noted
 */
function compareEnd(db: ReadDb, path: string, failures: Failures): boolean {
  const kept = statedLedger(db)
  const known = extentOf(db)
  const isNoted = known.bytes === 0 || known.tail !== null
  if (kept === null || !isNoted || realLedger(kept) !== realLedger(path)) return false
  const file = openSync(path, 'r')
  try {
    const isAhead = fstatSync(file).size > known.bytes && ledgerMeta(db, 'ledger_batch') === undefined
    const problem = compareExtent(file, path, known) ?? (isAhead ? aheadOf(path) : null)
    if (problem !== null) failures.add(0, CHECK_OF[problem.kind], problem.message)
    return problem === null
  } finally {
    closeSync(file)
  }
}

function compareWith(db: ReadDb, hashes: ReadonlySet<string>, failures: Failures): void {
  const waiting = hasOutbox(db) ? pendingMessageIds(db) : new Set()
  const stored = new Set<string>()
  for (const { id, hash } of db.iterate<{ id: number; hash: string | null }>(queries.hashes)) {
    if (hash === null) continue
    stored.add(hash)
    if (!hashes.has(hash) && !waiting.has(id)) {
      failures.add(0, 'ledger_behind', `msg_${id} is in the database and not in the ledger`)
    }
  }
  for (const hash of hashes) {
    if (!stored.has(hash)) {
      failures.add(0, 'ledger_ahead', `content ${hash.slice(0, 16)}… is in the ledger and not in the database`)
    }
  }
}

async function requireFile(path: string): Promise<{ size: number }> {
  try {
    const found = await stat(path)
    if (found.isDirectory())
      throw new LcmError('file_is_folder', `${path} is a folder: name the ledger in it.`, { path })
    if (!found.isFile()) {
      const message = `${path} is a pipe or a device: write what comes out of it to a file, and name that.`
      throw new LcmError('file_not_readable', message, { path })
    }
    await access(path, constants.R_OK)
    return found
  } catch (cause) {
    if (cause instanceof LcmError) throw cause
    if (isMissingFile(cause))
      throw new LcmError('file_missing', `There is no ledger at ${path}: check the path.`, { path }, { cause })
    throw fileError(cause, path)
  }
}
