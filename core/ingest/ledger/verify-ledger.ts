import { access, constants, stat } from 'node:fs/promises'
import type { JobProgress } from '../../contract/job.ts'
import type { LedgerFailure, LedgerReport } from '../../contract/ledger.ts'
import { LcmError } from '../../errors.ts'
import { sha256 } from '../../hashing.ts'
import { fileError } from '../../sqlite/memory-file.ts'
import type { ReadDb } from '../../sqlite/read-db.ts'
import { readLines } from '../transcripts/line-reader.ts'
import { type LedgerEvent, ledgerTimeMs, parseLine } from './ledger-line.ts'
import { hasOutbox, pendingMessageIds } from './outbox.ts'

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
 * content and an id of its own, and a time that does not go back. Memory grows with the ids only.
 * @throws LcmError file_missing, file_not_readable, cancelled
 */
export async function* readLedgerEvents(
  path: string,
  failures: Failures,
  signal: AbortSignal,
): AsyncGenerator<{ readonly events: readonly NumberedEvent[]; readonly bytes: number }> {
  await requireFile(path)
  const seen = new Set<string>()
  let latest = Number.NEGATIVE_INFINITY
  for await (const { lines, bytesRead } of readLines(path)) {
    if (signal.aborted) throw new LcmError('cancelled', `Reading ${path} was cancelled. Nothing was changed.`)
    const events: NumberedEvent[] = []
    for (const one of lines) {
      if (one.kind === 'too_long') {
        failures.add(one.number, 'malformed_json', `a line of ${one.bytes} bytes is not read`)
        continue
      }
      if (one.text.trim() === '') continue
      const event = parseLine(one.text)
      if (typeof event === 'string') {
        failures.add(one.number, 'malformed_json', event)
        continue
      }
      if (sha256(event.content) !== event.content_hash) {
        failures.add(one.number, 'ledger_hash', `event ${event.event_id}: the content is not what its hash says`)
      }
      if (seen.has(event.event_id)) {
        failures.add(one.number, 'ledger_duplicate_event', `event ${event.event_id} stands in an earlier line as well`)
      }
      seen.add(event.event_id)
      const at = ledgerTimeMs(event.ts)
      if (Number.isNaN(at))
        failures.add(one.number, 'ledger_time_order', `its time cannot be read: ${event.ts.slice(0, 60)}`)
      else if (at < latest) failures.add(one.number, 'ledger_time_order', 'earlier than a line before it')
      else latest = at
      events.push({ line: one.number, event })
    }
    yield { events, bytes: bytesRead }
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
  let events = 0
  let bytes = 0
  for await (const block of readLedgerEvents(path, failures, signal)) {
    for (const { event } of block.events) {
      events += 1
      kinds[event.kind] = (kinds[event.kind] ?? 0) + 1
      if (db && event.kind !== 'event') hashes.add(event.content_hash)
    }
    bytes = block.bytes
    yield { done: bytes, total: size, unit: 'bytes', note: 'reading the ledger' }
  }
  if (db) compareWith(db, hashes, failures)
  return {
    path,
    ok: failures.count === 0,
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
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new LcmError('file_missing', `There is no ledger at ${path}: check the path.`, { path }, { cause })
    throw fileError(cause, path)
  }
}
