import { closeSync, constants, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { ulid } from 'ulid'
import { canonicalJson } from '../canonical-json.ts'
import type { Clock } from '../clock.ts'
import type { MapEvent, MapOperator, MapResult } from '../contract/map.ts'
import { LcmError } from '../errors.ts'
import { startSha256 } from '../hashing.ts'
import { fileError } from '../sqlite/memory-file.ts'
import { readMapEvents } from './read-events.ts'
import type { JournalHead, RunJournal } from './run-journal.ts'
import { eventsPath } from './run-paths.ts'

/** The hashes of what was asked, under the names of the event. */
export type AskedHashes = Pick<MapEvent, 'prompt_hash' | 'schema_hash' | 'delegate_hash'>

type RunRecord = {
  readonly operator: MapOperator
  readonly actor: string
  readonly hashes: AskedHashes
  readonly retain: string | null
  /** The folder of `map.events.jsonl`. */
  readonly record: string
  readonly clock: Clock
}

type Ending = {
  /** What ended the run early, or null. */
  readonly problem: unknown
  /** True when everything was done before, so that the run may be recorded already. */
  readonly isDone: boolean
}

/** Appends the event of a run. One that was complete before has its event already, unless a crash came between. */
export async function recordRun(
  { operator, actor, hashes: asked, retain, record, clock }: RunRecord,
  head: JournalHead,
  journal: RunJournal,
  { problem, isDone }: Ending,
): Promise<MapEvent> {
  const path = eventsPath(record)
  const known = isDone
    ? (await readMapEvents(path)).events.findLast(
        ({ run_id, status }) => run_id === head.run_id && status === 'completed',
      )
    : undefined
  if (known !== undefined) return known
  const { completed, failed, retries } = journal.counts
  // A run that did not reach its end has no result yet.
  const hashes = problem === null ? await hashResults(journal.results(new AbortController().signal)) : {}
  const atMs = clock()
  const event: MapEvent = {
    actor,
    event_id: ulid(atMs),
    item_count: head.item_count,
    op: `map.${operator}`,
    ...asked,
    ...(retain === null ? {} : { retain }),
    ...hashes,
    status: statusOf(problem, completed === head.item_count),
    ts: eventTime(atMs),
    run_id: head.run_id,
    input_hash: head.input_hash,
    completed_count: completed,
    failed_count: failed,
    retry_count: retries,
  }
  appendMapEvent(path, event)
  return event
}

function statusOf(problem: unknown, isComplete: boolean): string {
  if (problem === null) return isComplete ? 'completed' : 'failed'
  return problem instanceof LcmError && problem.code === 'cancelled' ? 'cancelled' : 'failed'
}

/** Writes a time as decapod does. */
const eventTime = (atMs: number): string => `${Math.floor(atMs / 1000)}Z`

/**
 * Appends an event as one line with sorted keys. A line that another program left without an end is ended first.
 * @throws LcmError file_not_readable, disk_full
 */
function appendMapEvent(path: string, event: MapEvent): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const { O_APPEND, O_CREAT, O_RDWR } = constants
    const file = openSync(path, O_APPEND | O_CREAT | O_RDWR, 0o600)
    try {
      // One write, so that programs that append at the same time do not mix their lines.
      writeFileSync(file, `${endsInLine(file) ? '' : '\n'}${canonicalJson(event)}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw fileError(error, path)
  }
}

function endsInLine(file: number): boolean {
  const { size } = fstatSync(file)
  const last = Buffer.alloc(1)
  return size === 0 || readSync(file, last, 0, 1, size - 1) === 0 || last[0] === 0x0a
}

/**
 * Computes the hashes of a run. `result_hash` is decapod's: the SHA-256 of the list of `index`, `item_hash` and
 * `status` as JSON. `output_hash` is the SHA-256 of the hashes of the outputs, joined by commas.
 */
async function hashResults(results: AsyncIterable<MapResult>): Promise<Pick<MapEvent, 'result_hash' | 'output_hash'>> {
  const [result, output] = [startSha256(), startSha256()]
  let separator = ''
  result.update('[')
  for await (const { index, item_hash, status, output_hash } of results) {
    result.update(separator + JSON.stringify({ index, item_hash, status }))
    output.update(separator + (output_hash ?? ''))
    separator = ','
  }
  result.update(']')
  return { result_hash: result.digest('hex'), output_hash: output.digest('hex') }
}
