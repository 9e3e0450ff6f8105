import { systemClock } from '../clock.ts'
import type { CompactInput, CompactionResult } from '../contract/compaction.ts'
import type { IntegrityReport } from '../contract/integrity.ts'
import type { JobProgress, JobResult, JobSpec } from '../contract/job.ts'
import type { MapOutcome, MapSpec } from '../contract/map.ts'
import type { SearchIndexResult } from '../contract/search-index.ts'
import { databases } from '../databases.ts'
import { assertNever, LcmError, toErrorInfo } from '../errors.ts'
import { userFolders } from '../folders.ts'
import { lossOfRun } from '../jobs/compaction-losses.ts'
import type { JobExecutor, JobRequest } from '../jobs/jobs.ts'
import { LastReport, watchState } from '../jobs/last-report.ts'
import { type Lcm, type OpenLcmOptions, openLcm } from '../lcm.ts'
import { errorFields, logEvent, memoryKey } from '../log.ts'
import { nameSoon } from '../search/side-index/source-state.ts'
import { updateIndex } from '../search/side-index/update-index.ts'
import { loadSettings } from '../settings/settings-store.ts'
import { requireEnabled } from '../settings/switched-off.ts'
import { hasPendingIndex, indexPending, PIECE_UNITS } from '../sqlite/pending-index.ts'
import { withoutUnfilled } from '../sqlite/unfilled-memory.ts'
import { isNative } from '../systems/native/native.ts'
import { despiteWrongValues } from '../systems/opening/wrong-values.ts'
import type { FromJobThread, ToJobThread } from './job-thread.ts'

type Spec = JobRequest['spec']

/** A job that opens no memory, or only one that it is to make. */
type PathSpec = Extract<Spec, { kind: 'salvage' | 'pull' | 'push' | 'fetch' | 'map' }>
const WITHOUT_MEMORY: ReadonlySet<string> = new Set<PathSpec['kind']>(['salvage', 'pull', 'push', 'fetch', 'map'])
const isPathSpec = (spec: Spec): spec is PathSpec => WITHOUT_MEMORY.has(spec.kind)

type JobSteps = AsyncGenerator<JobProgress, JobResult>

/**
 * Runs one job on an open memory: it yields progress, returns the result, and stops at the next step when the signal
 * aborts. What was committed before a cancellation stays valid. The code of a job is loaded when one of its kind runs.
 * @param report a report of the same state of the file for a plan, or null to scan again
 * @param open how a job opens a second memory
 * @throws LcmError switched_off, read_only_dialect, read_only_file, not_found, locked, cancelled
 */
export async function* runJob(
  lcm: Lcm,
  spec: Exclude<Spec, PathSpec>,
  signal: AbortSignal,
  report: IntegrityReport | null = null,
  open: OpenLcmOptions = {},
): JobSteps {
  switch (spec.kind) {
    case 'compact':
      return { kind: 'compact', value: yield* compactJob(lcm, spec, signal) }
    case 'integrity':
      return {
        kind: 'integrity',
        value: yield* (await lcm.doctor()).integrity.run(spec.conversationId, signal, spec.phases),
      }
    case 'repair_plan':
      return { kind: 'repair_plan', value: yield* (await lcm.doctor()).repair.plan(spec, signal, report) }
    case 'repair_export':
      return { kind: 'repair_export', value: yield* (await lcm.doctor()).repair.export(spec, signal) }
    case 'repair':
      return { kind: 'repair', value: yield* (await lcm.doctor()).repair.apply(spec, signal) }
    case 'surgery_preview':
      return { kind: 'surgery_preview', value: yield* (await lcm.doctor()).surgery.preview(spec.operation, signal) }
    case 'surgery':
      return { kind: 'surgery', value: yield* (await lcm.doctor()).surgery.apply(spec, signal) }
    case 'undo':
      return { kind: 'undo', value: yield* (await lcm.doctor()).undo.run(spec, signal) }
    case 'undo_compaction':
      yield { done: 0, total: 1, unit: 'steps', note: 'taking the run back' }
      return { kind: 'undo_compaction', value: lcm.undoer.undo(spec) }
    case 'import': {
      requireEnabled(lcm.settings, 'import transcripts')
      const { paths, format, window = 'agent', sessions } = spec
      const write = lcm.requireWrite('import transcripts')
      const { importTranscripts } = await import('../ingest/transcripts/import-transcripts.ts')
      const job = importTranscripts(
        {
          db: write,
          estimator: lcm.estimator,
          clock: lcm.clock,
          paths,
          format,
          window,
          ...(sessions ? { sessions } : {}),
          files: lcm.files,
          resumeOf: (conversationId) => lcm.context.resumeOf(conversationId),
        },
        signal,
      )
      return { kind: 'import', value: yield* job }
    }
    case 'index':
      return { kind: 'index', value: yield* indexJob(lcm, signal) }
    case 'storage': {
      const { measureStorage } = await import('../browse/storage/measure-storage.ts')
      const { read: db, info, settings } = lcm
      const job = measureStorage({ db, info, largeFileTokens: settings.largeFileTokenThreshold }, signal)
      return { kind: 'storage', value: yield* job }
    }
    case 'coverage': {
      const { checkCoverage } = await import('../compare/transcript/check-coverage.ts')
      const memory = { db: lcm.read, isNative: isNative(lcm.info) }
      return { kind: 'coverage', value: yield* checkCoverage(memory, spec, signal) }
    }
    case 'explore':
      return { kind: 'explore', value: yield* lcm.explore(spec, signal) }
    case 'embed':
      return { kind: 'embed', value: yield* lcm.meaning.make(spec, signal) }
    case 'copy': {
      const { copyMemory } = await import('../doctor/working-copy/copy-memory.ts')
      return { kind: 'copy', value: yield* copyMemory({ from: lcm, to: spec.to }, signal) }
    }
    case 'probe': {
      const { kind, ...input } = spec
      const { probeWindows } = await import('../jobs/probe-windows.ts')
      return { kind, value: yield* probeWindows(lcm, input, open, signal) }
    }
    case 'compare': {
      const { kind, ...input } = spec
      const { compareWindows } = await import('../jobs/compare-windows.ts')
      return { kind, value: yield* compareWindows(lcm, input, open, signal) }
    }
    case 'compaction_preview': {
      const { kind, ...input } = spec
      const { previewCompaction } = await import('../jobs/compaction-preview.ts')
      return { kind, value: yield* previewCompaction(lcm, input, open, signal) }
    }
    default:
      return assertNever(spec)
  }
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

/** Compacts, and lists afterwards what was dropped or changed when the request asks for it. */
export async function* compactJob(
  lcm: Lcm,
  spec: Pick<Extract<JobSpec, { kind: 'compact' }>, 'loss'> & CompactInput,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, CompactionResult> {
  const run = lcm.compactionEngine().compact(spec, signal)
  let created = 0
  let newest: Pick<JobProgress, 'createdId' | 'level'> = {}
  let progress: JobProgress | null = null
  for (;;) {
    const step = await run.next()
    if (step.done) {
      if (!spec.loss) return step.value
      if (progress !== null) yield { ...progress, note: 'compacted; listing the details that left the window' }
      return withLoss(lcm, step.value, signal)
    }
    const { pass, chunk, chunks, tokensSaved, createdId, level } = step.value
    if (createdId) {
      created += 1
      newest = { createdId, level }
    }
    progress = {
      done: chunk,
      total: chunks,
      unit: 'chunks',
      note: `${pass} pass, ${created} summaries, ${tokensSaved.toLocaleString('en')} tokens saved`,
      ...newest,
    }
    yield progress
  }
}

/** Adds what a run dropped or changed. What was compacted stays so, also when somebody stops the comparison. */
async function withLoss(lcm: Lcm, result: CompactionResult, signal: AbortSignal): Promise<CompactionResult> {
  if (result.runId === null || signal.aborted) return result
  try {
    return { ...result, loss: await lossOfRun(lcm, { ...result, runId: result.runId }, signal) }
  } catch (error) {
    // The compaction itself succeeded, and its record stands.
    if (!signal.aborted)
      logEvent('error', 'compaction', 'loss.failed', { memory: memoryKey(lcm.info.path), ...errorFields(error) })
    return result
  }
}

/** Jobs that never write the memory itself. */
const READING: ReadonlySet<string> = new Set(['copy', 'probe', 'compare', 'compaction_preview'])

/** Runs a job to its end in this thread. */
export async function driveJob(job: JobSteps, onProgress: (progress: JobProgress) => void): Promise<JobResult> {
  for (;;) {
    const step = await job.next()
    if (step.done) return step.value
    onProgress(step.value)
  }
}

/** Opens the memory on a connection of its own, runs the job, and closes it. */
export function executeHere(open: OpenLcmOptions): JobExecutor {
  const lastReport = new LastReport()
  const execute: JobExecutor = async ({ path, create, spec }, signal, onProgress) => {
    if (isPathSpec(spec)) return driveJob(runPathJob(path, spec, open, signal), onProgress)
    // This is checked before the file is opened, which would create one.
    if (spec.kind === 'import') requireEnabled(open.settings ?? loadSettings(process.env), 'import transcripts')
    const isOfAll = (spec.kind === 'integrity' || spec.kind === 'repair_plan') && spec.conversationId === undefined
    const stateOf = isOfAll ? await watchState(path) : null
    const lcm = await openLcm(path, {
      ...open,
      create,
      ...(READING.has(spec.kind) ? { readOnly: true } : {}),
    })
    try {
      const state = stateOf && (await nameSoon(() => stateOf(lcm)))
      const version = lcm.read.dataVersion()
      const result = await driveJob(runJob(lcm, spec, signal, lastReport.of(lcm, state), open), onProgress)
      // What was scanned may only be named by now, when it had been written right before.
      const scanned = result.kind === 'integrity' && stateOf ? stateOf(lcm) : null
      if (
        result.kind === 'integrity' &&
        result.value.only === undefined &&
        scanned !== null &&
        lcm.read.dataVersion() === version
      ) {
        lastReport.keep(lcm, scanned, result.value)
      }
      return result
    } finally {
      lcm.close()
    }
  }
  return (request, signal, onProgress) => {
    const run = (): Promise<JobResult> => despiteWrongValues(request.path, () => execute(request, signal, onProgress))
    return request.spec.kind === 'import' ? withoutUnfilled(request.path, run) : run()
  }
}

/** Runs a job that needs no open memory. Its code is loaded when the job is asked for. */
async function* runPathJob(path: string, spec: PathSpec, open: OpenLcmOptions, signal: AbortSignal): JobSteps {
  switch (spec.kind) {
    case 'salvage': {
      const { salvageMemory } = await import('../doctor/salvage/salvage-memory.ts')
      return { kind: 'salvage', value: yield* salvageMemory({ from: path, to: spec.to }, signal) }
    }
    case 'pull': {
      const { kind, ...asked } = spec
      return { kind, value: yield* (await serversFor(open)).pull(asked, path, signal) }
    }
    case 'push':
      return { kind: 'push', value: yield* (await serversFor(open)).push(path, signal) }
    case 'fetch':
      return { kind: 'fetch', value: yield* (await serversFor(open)).fetch(path, spec.id, signal) }
    case 'map':
      return { kind: 'map', value: yield* mapJob(path, spec, open, signal) }
    default:
      return assertNever(spec)
  }
}

async function serversFor({ keys }: OpenLcmOptions) {
  return (await databases()).servers({ folders: userFolders(process.env), env: process.env, keys: keys ?? null })
}

/** Runs a map beside the memory at a path. */
async function* mapJob(
  path: string,
  { prompt, schema, ...spec }: MapSpec,
  { settings = loadSettings(process.env), keys, clock = systemClock }: OpenLcmOptions,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, MapOutcome> {
  const { requestOf } = await import('../map/map-order.ts')
  const { runMap } = await import('../map/map-run.ts')
  const { recordFolder } = await import('../map/run-paths.ts')
  const order = {
    ...spec,
    prompt: prompt === undefined ? null : { text: prompt, from: 'Prompt' },
    schema: schema === undefined ? null : { text: schema, from: 'Schema' },
    record: await recordFolder(path),
    actor: 'lcm',
  }
  const finished = yield* runMap(requestOf(order, { settings, keys: keys ?? null, clock }), signal)
  await finished.close()
  return finished.report
}

/** Runs the other end of `executeInThread`, in the job thread. */
export function serveJobs(
  port: {
    on(event: 'message', listener: (message: ToJobThread) => void): unknown
    postMessage(message: FromJobThread): void
  },
  open: OpenLcmOptions,
  /** Writes down what happened in this thread, which may be ended as soon as its job is done. */
  settle: () => Promise<void> = async () => undefined,
): void {
  const execute = executeHere(open)
  const running = new Map<number, AbortController>()
  port.on('message', (message) => {
    const { id } = message
    if (message.kind === 'abort') return running.get(id)?.abort()
    const abort = new AbortController()
    running.set(id, abort)
    execute(message.request, abort.signal, (progress) => port.postMessage({ kind: 'progress', id, progress }))
      .finally(settle)
      .then((result) => port.postMessage({ kind: 'done', id, result }))
      .catch((error: unknown) => port.postMessage({ kind: 'failed', id, error: toErrorInfo(error) }))
      .finally(() => running.delete(id))
  })
}
