import { measureStorage } from '../browse/storage/measure-storage.ts'
import type { IntegrityReport } from '../contract/integrity.ts'
import type { JobProgress, JobResult, JobSpec } from '../contract/job.ts'
import type { SearchIndexResult } from '../contract/search-index.ts'
import { checkCoverage } from '../doctor/compare/check-coverage.ts'
import { copyMemory } from '../doctor/working-copy/copy-memory.ts'
import { assertNever, LcmError } from '../errors.ts'
import { importTranscripts } from '../ingest/transcripts/import-transcripts.ts'
import type { Lcm } from '../lcm.ts'
import { updateIndex } from '../search/side-index/update-index.ts'
import { requireEnabled } from '../settings/switched-off.ts'
import { hasPendingIndex, indexPending, PIECE_UNITS } from '../sqlite/pending-index.ts'
import { isNative } from '../systems/native/native.ts'

/** The jobs that run on an open memory. A damaged file is salvaged without being opened. */
export type RunnableSpec = JobSpec | { readonly kind: 'copy'; readonly to: string }

/**
 * Runs one job on an open memory: it yields progress, returns the result, and stops at the next step when the signal
 * aborts. What was committed before a cancellation stays valid.
 * @param report a report of the same state of the file for a plan, or null to scan again
 * @throws LcmError switched_off, read_only_dialect, read_only_file, not_found, locked, cancelled
 */
export async function* runJob(
  lcm: Lcm,
  spec: RunnableSpec,
  signal: AbortSignal,
  report: IntegrityReport | null = null,
): AsyncGenerator<JobProgress, JobResult> {
  switch (spec.kind) {
    case 'compact':
      return { kind: 'compact', value: yield* compactJob(lcm, spec, signal) }
    case 'integrity':
      return { kind: 'integrity', value: yield* lcm.integrity.run(spec.conversationId, signal) }
    case 'repair_plan':
      return { kind: 'repair_plan', value: yield* lcm.repair.plan(spec, signal, report) }
    case 'repair_export':
      return { kind: 'repair_export', value: yield* lcm.repair.export(spec, signal) }
    case 'repair':
      return { kind: 'repair', value: yield* lcm.repair.apply(spec, signal) }
    case 'surgery_preview':
      return { kind: 'surgery_preview', value: yield* lcm.surgery.preview(spec.operation, signal) }
    case 'surgery':
      return { kind: 'surgery', value: yield* lcm.surgery.apply(spec, signal) }
    case 'undo':
      return { kind: 'undo', value: yield* lcm.undo.run(spec, signal) }
    case 'import': {
      requireEnabled(lcm.settings, 'import transcripts')
      const { paths, format, window = 'agent' } = spec
      const write = lcm.requireWrite('import transcripts')
      const job = importTranscripts(
        { db: write, estimator: lcm.estimator, clock: lcm.clock, paths, format, window, files: lcm.files },
        signal,
      )
      return { kind: 'import', value: yield* job }
    }
    case 'index':
      return { kind: 'index', value: yield* indexJob(lcm, signal) }
    case 'storage': {
      const { read: db, info, settings } = lcm
      const job = measureStorage({ db, info, largeFileTokens: settings.largeFileTokenThreshold }, signal)
      return { kind: 'storage', value: yield* job }
    }
    case 'coverage':
      return { kind: 'coverage', value: yield* coverageJob(lcm, spec, signal) }
    case 'copy':
      return { kind: 'copy', value: yield* copyMemory({ from: lcm, to: spec.to }, signal) }
    default:
      return assertNever(spec)
  }
}

function coverageJob({ read: db, info }: Lcm, spec: Extract<JobSpec, { kind: 'coverage' }>, signal: AbortSignal) {
  return checkCoverage({ db, isNative: isNative(info) }, spec, signal)
}

async function* indexJob(lcm: Lcm, signal: AbortSignal): AsyncGenerator<JobProgress, SearchIndexResult> {
  const { read, info, sideIndex } = lcm
  if (sideIndex) return yield* updateIndex({ read, info, index: sideIndex }, signal)
  const nothing = { changedRows: 0, indexedRows: 0, totalRows: 0, bytes: 0 }
  if (!isNative(info) || !hasPendingIndex(read)) return { outcome: 'not_needed', ...nothing }
  const indexed = new Set<number>()
  for await (const { messageId, doneUnits, units } of indexPending(lcm.requireWrite('index long messages'))) {
    indexed.add(messageId)
    if (signal.aborted)
      throw new LcmError('cancelled', 'Cancelled while long messages were indexed; the next time goes on.')
    const done = Math.ceil(doneUnits / PIECE_UNITS)
    yield { done, total: Math.ceil(units / PIECE_UNITS), unit: 'steps', note: 'search index of a long message' }
  }
  return { outcome: 'ready', ...nothing, changedRows: indexed.size, indexedRows: indexed.size, totalRows: indexed.size }
}

async function* compactJob(lcm: Lcm, spec: Extract<JobSpec, { kind: 'compact' }>, signal: AbortSignal) {
  const run = lcm.compactionEngine().compact(spec, signal)
  let created = 0
  let newest: Pick<JobProgress, 'createdId' | 'level'> = {}
  for (;;) {
    const step = await run.next()
    if (step.done) return step.value
    const { pass, chunk, chunks, tokensSaved, createdId, level } = step.value
    if (createdId) {
      created += 1
      newest = { createdId, level }
    }
    const progress: JobProgress = {
      done: chunk,
      total: chunks,
      unit: 'chunks',
      note: `${pass} pass, ${created} summaries, ${tokensSaved.toLocaleString('en')} tokens saved`,
      ...newest,
    }
    yield progress
  }
}

/** Runs a job to its end in this thread. */
export async function driveJob(
  job: AsyncGenerator<JobProgress, JobResult>,
  onProgress: (progress: JobProgress) => void,
): Promise<JobResult> {
  for (;;) {
    const step = await job.next()
    if (step.done) return step.value
    onProgress(step.value)
  }
}
