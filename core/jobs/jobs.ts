import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { Clock } from '../clock.ts'
import type { LogFields } from '../contract/activity.ts'
import type { Job, JobProgress, JobResult, JobSpec } from '../contract/job.ts'
import type { OpenRemoteInput } from '../contract/servers.ts'
import { LcmError, toErrorInfo } from '../errors.ts'
import { errorFields, levelOfError, logEvent, memoryKey } from '../log.ts'

/** Runs a job in this thread (tests, CLI) or in the job thread. */
export type JobExecutor = (
  request: JobRequest,
  signal: AbortSignal,
  onProgress: (progress: JobProgress) => void,
) => Promise<JobResult>

/** Jobs that create a new file. The caller never chooses its path. */
type NewFileSpec =
  | { readonly kind: 'copy'; readonly to: string }
  | { readonly kind: 'salvage'; readonly to: string }
  /** From PostgreSQL into the file at the path of the request. */
  | ({ readonly kind: 'pull' } & OpenRemoteInput)
export type JobRequest = { readonly path: string; readonly create: boolean; readonly spec: JobSpec | NewFileSpec }

/** Returns the job that starts by itself when another one is done, or null. */
export type FollowingJob = (done: JobRequest, result: JobResult) => JobRequest | null

const MAX_KEPT = 50
/** A listener receives at most ten progress events a second. */
const PROGRESS_INTERVAL_MS = 100

type Entry = {
  job: Job
  readonly memory: string
  readonly abort: AbortController
  progressAtMs: number
  /** Publishes a step that came too soon after another one. */
  late: NodeJS.Timeout | null
  ended: Promise<void>
}

/**
 * The background work of one core. It starts, reports and cancels jobs, and remembers the last ones so that a window
 * may reload.
 */
export class Jobs {
  readonly #entries = new Map<string, Entry>()
  readonly #execute: JobExecutor
  readonly #clock: Clock
  readonly #publish: (job: Job) => void
  readonly #following: FollowingJob

  constructor(execute: JobExecutor, clock: Clock, publish: (job: Job) => void, following: FollowingJob = () => null) {
    this.#execute = execute
    this.#clock = clock
    this.#publish = publish
    this.#following = following
  }

  /**
   * Starts a job and returns at once.
   * @throws LcmError locked when a running job, which is named, is compacting the conversation
   */
  start(request: JobRequest): string {
    const { spec } = request
    this.#refuseSecondCompaction(spec)
    const jobId = `job_${randomUUID()}`
    const entry: Entry = {
      memory: memoryKey(resolve(request.path)),
      abort: new AbortController(),
      progressAtMs: 0,
      late: null,
      ended: Promise.resolve(),
      job: {
        jobId,
        kind: spec.kind,
        conversationId: 'conversationId' in spec ? (spec.conversationId ?? null) : null,
        state: 'running',
        progress: null,
        startedAtMs: this.#clock(),
        finishedAtMs: null,
        error: null,
        result: null,
      },
    }
    this.#entries.set(jobId, entry)
    this.#publish(entry.job)
    logEvent('info', 'job', 'job.started', fieldsOf(entry))
    entry.ended = this.#run(entry, request)
    return jobId
  }

  /**
   * Asks a job to stop. A job that has ended is not changed.
   * @throws LcmError not_found
   */
  cancel(jobId: string): void {
    this.#entry(jobId).abort.abort()
  }

  /**
   * Waits for the end of a job, or until the signal aborts, which does not stop the job.
   * @throws LcmError not_found, cancelled
   */
  async wait(jobId: string, signal?: AbortSignal): Promise<Job> {
    const entry = this.#entry(jobId)
    const given = Promise.withResolvers<void>()
    const giveUp = (): void => given.reject(new LcmError('cancelled', `Stopped waiting for ${jobId}, which goes on.`))
    signal?.addEventListener('abort', giveUp, { once: true })
    if (signal?.aborted) giveUp()
    try {
      await Promise.race([entry.ended, given.promise])
    } finally {
      signal?.removeEventListener('abort', giveUp)
    }
    return entry.job
  }

  /**
   * Returns the result of a job, which is cancelled when the signal aborts.
   * @throws LcmError not_found, and as the job
   */
  async result(jobId: string, signal: AbortSignal): Promise<JobResult> {
    const cancel = (): void => this.cancel(jobId)
    signal.addEventListener('abort', cancel, { once: true })
    if (signal.aborted) cancel()
    const { result, error } = await this.wait(jobId).finally(() => signal.removeEventListener('abort', cancel))
    if (result !== null) return result
    throw new LcmError(error?.code ?? 'cancelled', error?.message ?? `${jobId} was cancelled.`, error?.details)
  }

  /** Lists the jobs, newest first. */
  list(): Job[] {
    return [...this.#entries.values()].map((entry) => entry.job).reverse()
  }

  /** Cancels all running jobs and waits at most `limitMs` until they have released their locks. */
  async cancelAll(limitMs: number): Promise<void> {
    const entries = [...this.#entries.values()]
    for (const entry of entries) entry.abort.abort()
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limitMs)
    })
    await Promise.race([Promise.all(entries.map((entry) => entry.ended)), limit])
    clearTimeout(timer)
  }

  #entry(jobId: string): Entry {
    const entry = this.#entries.get(jobId)
    if (!entry) throw new LcmError('not_found', `There is no job ${jobId}: it may belong to an earlier session.`)
    return entry
  }

  async #run(entry: Entry, request: JobRequest): Promise<void> {
    try {
      const result = await this.#execute(request, entry.abort.signal, (progress) => this.#progress(entry, progress))
      this.#finish(entry, { state: wasCutShort(result) ? 'cancelled' : 'done', result })
      this.#logEnd(entry, null)
      const next = this.#following(request, result)
      if (next !== null && !entry.abort.signal.aborted) this.start(next)
    } catch (error) {
      const info = toErrorInfo(error)
      const cancelled = info.code === 'cancelled' || entry.abort.signal.aborted
      this.#finish(entry, { state: cancelled ? 'cancelled' : 'failed', error: info })
      this.#logEnd(entry, error)
    }
  }

  #logEnd(entry: Entry, error: unknown): void {
    const { state: outcome, startedAtMs, finishedAtMs, error: info } = entry.job
    const duration_ms = (finishedAtMs ?? startedAtMs) - startedAtMs
    const fields = { ...fieldsOf(entry), outcome, duration_ms, ...(info && errorFields(error)) }
    const level = info === null ? 'info' : levelOfError(info.code)
    logEvent(level, 'job', outcome === 'failed' ? 'job.failed' : 'job.done', fields)
  }

  #progress(entry: Entry, progress: JobProgress): void {
    entry.job = { ...entry.job, progress }
    const now = this.#clock()
    if (now - entry.progressAtMs >= PROGRESS_INTERVAL_MS) this.#publishProgress(entry)
    // The last of several quick steps may be the last for long.
    else entry.late ??= setTimeout(() => this.#publishProgress(entry), PROGRESS_INTERVAL_MS).unref()
  }

  #publishProgress(entry: Entry): void {
    clearTimeout(entry.late ?? undefined)
    entry.late = null
    entry.progressAtMs = this.#clock()
    this.#publish(entry.job)
  }

  #finish(entry: Entry, end: Partial<Job>): void {
    clearTimeout(entry.late ?? undefined)
    entry.job = { ...entry.job, ...end, finishedAtMs: this.#clock() }
    this.#publish(entry.job)
    for (const [id, old] of this.#entries) {
      // An index job after every change of a file would push out all others.
      const isOldNews = old !== entry && old.job.kind === 'index' && entry.job.kind === 'index'
      if (isOldNews && old.job.state !== 'running') this.#entries.delete(id)
    }
    for (const [id, old] of this.#entries) {
      if (this.#entries.size <= MAX_KEPT) break
      if (old.job.state !== 'running') this.#entries.delete(id)
    }
  }

  #refuseSecondCompaction(spec: JobRequest['spec']): void {
    if (spec.kind !== 'compact') return
    for (const { job } of this.#entries.values()) {
      if (job.state === 'running' && job.kind === 'compact' && job.conversationId === spec.conversationId) {
        throw new LcmError(
          'locked',
          `Conversation ${spec.conversationId} is being compacted by ${job.jobId}: wait for it or cancel it.`,
          { holder: job.jobId },
        )
      }
    }
  }
}

function fieldsOf({ job, memory }: Entry): LogFields {
  const { jobId, kind, conversationId } = job
  const conversation = conversationId === null ? {} : { conversation_id: conversationId }
  return { memory, job_id: jobId, job_kind: kind, ...conversation }
}

/** A cancelled compaction returns what it did until then. */
const wasCutShort = (result: JobResult): boolean => result.kind === 'compact' && result.value.stopReason === 'cancelled'
