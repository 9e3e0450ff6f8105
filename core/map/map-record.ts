import { opendir } from 'node:fs/promises'
import { eventTimeMs } from '../clock.ts'
import type { MapEvent, MapItemsInput, MapRun, MapRuns, MapStep, MapSteps } from '../contract/map.ts'
import { isMissingFile, LcmError } from '../errors.ts'
import { readLines } from '../ingest/transcripts/line-reader.ts'
import { fileError } from '../sqlite/memory-file.ts'
import { isLocked } from '../sqlite/process-lock.ts'
import { cutText } from '../text.ts'
import { throwIfCancelled } from '../yielding.ts'
import { readMapEvents } from './read-events.ts'
import { regularFileBytes } from './regular-file.ts'
import { JournalHead, readRecord } from './run-journal.ts'
import { eventsPath, journalPath, LOCK, lockPath, runIdOf, runsFolder } from './run-paths.ts'

const MOST_RUNS = 2_000
/** A folder with more files than this is not looked through to its end. */
const MOST_FILES = 20_000
/** An output is at most 8 MiB, and a longer line is none of ours. */
const LONGEST_LINE_BYTES = 16 * 1024 * 1024
const LONGEST_LOCK_BYTES = 4 * 1024
const LONGEST_HEAD_BYTES = 64 * 1024
/** One answer looks through at most this much of a journal, so that a search for rare failures stays cancellable. */
const MOST_BYTES_A_PAGE = 32 * 1024 * 1024
const SHOWN_CHARS = 400

/** Reads what runs over lists of items have recorded in a folder. Nothing is written. */
export class MapRecord {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Lists the runs. Events of the same run are one run, and a journal without an event is a run that was not recorded.
   * @throws LcmError file_not_readable
   */
  async runs(): Promise<MapRuns> {
    const path = eventsPath(this.#folder)
    const { events, unreadable, isCut } = await readMapEvents(path)
    const { journals, locks } = await filesIn(this.#folder)
    const rows = new Map<string, MapRun>()
    for (const event of events) {
      const row = runOf(event, journals)
      // The newest event of a run counts, and it stands where that was recorded.
      rows.delete(row.key)
      rows.set(row.key, row)
    }
    const unrecorded = [...journals].filter((id) => !rows.has(id))
    for (const id of unrecorded.slice(0, MOST_RUNS)) {
      const row = await this.#unrecorded(id)
      if (row !== null) rows.set(id, row)
    }
    for (const id of locks) {
      const row = rows.get(id)
      if (row && this.#isRunning(id)) rows.set(id, { ...row, status: 'running' })
    }
    const newestFirst = [...rows.values()].reverse().sort((a, b) => (b.atMs ?? 0) - (a.atMs ?? 0))
    return {
      path,
      runs: newestFirst.slice(0, MOST_RUNS),
      unreadable,
      isCut: isCut || newestFirst.length > MOST_RUNS || unrecorded.length > MOST_RUNS,
    }
  }

  #isRunning(id: string): boolean {
    const path = lockPath(journalPath(this.#folder, id))
    return (regularFileBytes(path) ?? LONGEST_LOCK_BYTES) < LONGEST_LOCK_BYTES && isLocked(path)
  }

  async #unrecorded(id: string): Promise<MapRun | null> {
    const head = await this.#headOf(id)
    if (head === null) return null
    const { operator, item_count, at_ms, retain, input_hash, prompt_hash, schema_hash, delegate_hash } = head
    return {
      ...{ key: id, runId: id, operator, actor: null, atMs: at_ms, items: item_count },
      ...{ completed: null, failed: null, retries: null, status: 'interrupted', retain: retain ?? null },
      hashes: hashesOf({ input_hash, prompt_hash, schema_hash, delegate_hash }),
      hasJournal: true,
    }
  }

  async #headOf(id: string): Promise<JournalHead | null> {
    const path = journalPath(this.#folder, id)
    if (regularFileBytes(path) === null) return null
    for await (const { lines } of readLines(path, LONGEST_HEAD_BYTES)) {
      const [first] = lines
      return first?.kind === 'text' ? parseHead(first.text) : null
    }
    return null
  }

  /**
   * Reads a page of the journal of a run.
   * @throws LcmError not_found, file_not_readable, cancelled
   */
  async steps({ runId, only, cursor, limit }: MapItemsInput, signal?: AbortSignal): Promise<MapSteps> {
    const path = journalPath(this.#folder, runId)
    const bytes = regularFileBytes(path)
    if (bytes === null) {
      throw new LcmError('not_found', `There is no journal of the run ${runId} in ${runsFolder(this.#folder)}.`)
    }
    const from = Number(cursor ?? 0)
    const steps: MapStep[] = []
    let at = from
    for await (const { lines, ends } of readLines(path, LONGEST_LINE_BYTES, from)) {
      throwIfCancelled(signal)
      for (const [index, line] of lines.entries()) {
        if (line.kind === 'text' && !line.isEnded) break
        const step = line.kind === 'text' ? stepOf(line.text, at) : null
        at = ends[index] ?? at
        if (step !== null && isWanted(step, only)) steps.push(step)
        if (steps.length === limit) return { steps, nextCursor: at < bytes ? String(at) : null }
      }
      if (at - from > MOST_BYTES_A_PAGE) return { steps, nextCursor: at < bytes ? String(at) : null }
    }
    return { steps, nextCursor: null }
  }
}

type RunFiles = { readonly journals: ReadonlySet<string>; readonly locks: ReadonlySet<string> }

/** Gives the ids of the runs that have a journal or a lock. */
async function filesIn(folder: string): Promise<RunFiles> {
  const [journals, locks] = [new Set<string>(), new Set<string>()]
  let files = 0
  try {
    for await (const { name } of await opendir(runsFolder(folder))) {
      const id = runIdOf(name)
      const lockedId = name.endsWith(LOCK) ? runIdOf(name.slice(0, -LOCK.length)) : null
      if (id !== null) journals.add(id)
      if (lockedId !== null) locks.add(lockedId)
      files += 1
      if (files === MOST_FILES) break
    }
  } catch (error) {
    if (!isMissingFile(error)) throw fileError(error, runsFolder(folder))
  }
  return { journals, locks }
}

const OPERATORS = new Map([
  ['map.llm', 'llm'],
  ['map.agentic', 'agentic'],
] as const)
const ENDINGS = ['completed', 'failed', 'cancelled'] as const

function runOf(event: MapEvent, journals: ReadonlySet<string>): MapRun {
  const { run_id, event_id, op, actor, item_count, status, ts, retain, ...rest } = event
  const { completed_count, failed_count, retry_count, ...hashes } = rest
  const atMs = eventTimeMs(ts)
  return {
    key: run_id ?? event_id,
    runId: run_id ?? null,
    operator: OPERATORS.get(op as 'map.llm') ?? null,
    actor,
    atMs: Number.isFinite(atMs) ? atMs : null,
    items: item_count,
    completed: completed_count ?? null,
    failed: failed_count ?? null,
    retries: retry_count ?? null,
    status: ENDINGS.find((one) => one === status) ?? 'other',
    retain: retain ?? null,
    hashes: hashesOf(hashes),
    hasJournal: run_id !== undefined && journals.has(run_id),
  }
}

const hashesOf = (hashes: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(hashes).flatMap(([name, hash]) => (hash === undefined ? [] : [[name, hash]])))

function parseHead(text: string): JournalHead | null {
  try {
    return JournalHead.safeParse(JSON.parse(text)).data ?? null
  } catch {
    // Without its first line nothing is known of the run.
    return null
  }
}

function stepOf(text: string, at: number): MapStep | null {
  const record = readRecord(text)
  if (record === null) return null
  const { index, at_ms: atMs } = record
  if (record.kind === 'attempt') {
    const { attempt: attempts, problem } = record
    return { at, kind: 'retry', index, attempts, text: shown(problem), itemHash: null, outputHash: null, atMs }
  }
  const { status: kind, attempts, output, problem, item_hash: itemHash, output_hash } = record
  const said = kind === 'completed' ? JSON.stringify(output) : (problem ?? '')
  return { at, kind, index, attempts, text: shown(said), itemHash, outputHash: output_hash ?? null, atMs }
}

const shown = (text: string): string => (text.length > SHOWN_CHARS ? `${cutText(text, SHOWN_CHARS)}…` : text)

function isWanted({ kind, attempts }: MapStep, only: MapItemsInput['only']): boolean {
  if (only === 'failures') return kind === 'failed'
  return only === 'all' || kind === 'retry' || attempts > 1
}
