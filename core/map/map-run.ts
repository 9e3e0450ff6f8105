import { rmSync } from 'node:fs'
import { canonicalJson } from '../canonical-json.ts'
import type { JobProgress } from '../contract/job.ts'
import type { MapOperator, MapOutcome, MapResult } from '../contract/map.ts'
import { LcmError } from '../errors.ts'
import { sha256, startSha256 } from '../hashing.ts'
import { pathExists } from '../sqlite/memory-file.ts'
import { lockRun } from '../sqlite/process-lock.ts'
import { type MapItem, readItems } from './items.ts'
import { type AskedHashes, recordRun } from './map-events.ts'
import { type JournalHead, RunJournal } from './run-journal.ts'
import { eventsPath, journalPath, lockPath } from './run-paths.ts'
import { settleItem, type Tries } from './settle-item.ts'

export type MapRequest = Tries & {
  readonly operator: MapOperator
  readonly input: string
  /** What the record calls it, when the file is there only while the map runs. */
  readonly inputName?: string
  readonly hashes: AskedHashes
  /** What the caller stays responsible for. Only a delegation has it. */
  readonly retain: string | null
  /** The folder of `map.events.jsonl` and of the journals. */
  readonly record: string
  readonly actor: string
  /** At most this many items are worked on at the same time. */
  readonly concurrency: number
  /** Begins another run, although one of the same is there. */
  readonly isNew: boolean
}

/** A run that is over, with what came of it. It has to be closed. */
export type FinishedMap = {
  readonly report: MapOutcome
  /** In the order of the input. */
  results(signal: AbortSignal): AsyncGenerator<MapResult>
  close(): Promise<void>
}

/**
 * Works on every item of the input, several at a time, and keeps each result before it counts. A run that was cut off
 * goes on where it was: the same request finds its journal, and only items without an answer are worked on. The input
 * is read twice, so that nothing is called for an input that cannot be read to its end.
 * @throws LcmError as `readItems`; locked; model_failed; disk_full; cancelled
 */
export async function* runMap(request: MapRequest, signal: AbortSignal): AsyncGenerator<JobProgress, FinishedMap> {
  const survey = yield* surveyItems(request.input, signal)
  const head = headOf(request, survey)
  const path = journalPath(request.record, head.run_id)
  const journal = await openLocked(path, head, signal)
  try {
    const resumed = journal.journal.counts.completed
    const problem = yield* workOn(request, head, journal.journal, signal)
    if (problem instanceof LcmError && problem.code === 'invalid_argument' && journal.journal.isEmpty) {
      rmSync(path, { force: true })
      throw problem
    }
    const event = await recordRun(request, head, journal.journal, { problem, isDone: resumed === head.item_count })
    if (problem !== null) throw problem
    const { completed, failed, retries } = journal.journal.counts
    return {
      report: {
        runId: head.run_id,
        operator: request.operator,
        items: head.item_count,
        completed,
        failed,
        resumed,
        retries,
        journal: path,
        eventsPath: eventsPath(request.record),
        event,
      },
      results: (stop) => journal.journal.results(stop),
      close: journal.close,
    }
  } catch (error) {
    await journal.close()
    throw error
  }
}

type Survey = { readonly count: number; readonly hash: string }

async function* surveyItems(input: string, signal: AbortSignal): AsyncGenerator<JobProgress, Survey> {
  const hash = startSha256()
  let count = 0
  for await (const { items, bytesRead } of readItems(input, signal)) {
    for (const item of items) hash.update(item.index === 0 ? item.hash : `,${item.hash}`)
    count += items.length
    yield { done: bytesRead, total: 0, unit: 'bytes', note: 'reading the items' }
  }
  if (count === 0) {
    throw new LcmError('invalid_argument', `${input} holds no item: give a JSON array or JSONL with at least one.`, {
      path: input,
    })
  }
  return { count, hash: hash.digest('hex') }
}

/** Two requests of the same are one run, so that the second goes on with what the first has left. */
function headOf(request: MapRequest, { count, hash }: Survey): JournalHead {
  const { operator, hashes, retain, worker, record } = request
  const asked = { operator, input_hash: hash, ...hashes, ...(retain === null ? {} : { retain }) }
  const identity = sha256(canonicalJson({ ...asked, worker: worker.identity })).slice(0, 16)
  return {
    kind: 'run',
    run_id: runId(record, identity, request.isNew),
    item_count: count,
    input: request.inputName ?? request.input,
    ...asked,
    worker: worker.name,
    at_ms: request.clock(),
  }
}

/** The newest run of this identity, or the one behind it. */
function runId(record: string, identity: string, isNew: boolean): string {
  const id = (number: number): string => (number === 1 ? identity : `${identity}-${number}`)
  let number = 1
  while (pathExists(journalPath(record, id(number + 1)))) number += 1
  return id(isNew && pathExists(journalPath(record, id(number))) ? number + 1 : number)
}

async function openLocked(path: string, head: JournalHead, signal: AbortSignal) {
  RunJournal.makeFolder(path)
  const unlock = lockRun(lockPath(path))
  try {
    const journal = await RunJournal.open(path, head, signal)
    const close = async (): Promise<void> => {
      try {
        await journal.close()
      } finally {
        unlock()
      }
    }
    return { journal, close }
  } catch (error) {
    unlock()
    throw error
  }
}

/** Works on the items that have no answer. Returns what ended the run early, or null. */
async function* workOn(
  request: MapRequest,
  head: JournalHead,
  journal: RunJournal,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, unknown> {
  const stop = new AbortController()
  const both = AbortSignal.any([signal, stop.signal])
  const running = new Set<Promise<void>>()
  let problem: unknown = null
  let { completed: done } = journal.counts
  let failed = 0
  const progress = (): JobProgress => ({
    done,
    total: head.item_count,
    unit: 'steps',
    note:
      failed === 0 ? `${done} of ${head.item_count} items` : `${done} of ${head.item_count} items, ${failed} failed`,
  })
  const begin = (item: MapItem): void => {
    const work = settleItem(item, request, journal, both)
      .then((status) => {
        done += 1
        if (status === 'failed') failed += 1
      })
      .catch((error: unknown) => {
        problem ??= error
        stop.abort()
      })
      .finally(() => running.delete(work))
    running.add(work)
  }
  try {
    for await (const { items } of readItems(request.input, both)) {
      for (const item of items) {
        if (journal.isCompleted(item.index)) continue
        if (item.index >= head.item_count) throw changedInput(request.input)
        while (running.size >= request.concurrency) {
          await Promise.race(running)
          yield progress()
        }
        if (both.aborted) break
        begin(item)
      }
      if (both.aborted) break
    }
  } catch (error) {
    problem ??= error
    stop.abort()
  }
  while (running.size > 0) {
    await Promise.race(running)
    yield progress()
  }
  return signal.aborted ? cancelled(done, head.item_count) : problem
}

const cancelled = (done: number, items: number): LcmError =>
  new LcmError(
    'cancelled',
    `Cancelled after ${done} of ${items} items. Their results are kept: start the same command again to go on.`,
  )

const changedInput = (path: string): LcmError =>
  new LcmError('invalid_argument', `${path} has changed while it was read: start again when it stays as it is.`, {
    path,
  })
