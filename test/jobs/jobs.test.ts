import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Job, JobProgress, JobResult, JobSpec } from '#core/contract/job.ts'
import { LcmError } from '#core/errors.ts'
import { type JobExecutor, Jobs } from '#core/jobs/jobs.ts'

const compactSpec = (conversationId: number): JobSpec => ({
  kind: 'compact',
  conversationId,
  mode: 'full',
  summarizer: 'deterministic',
  reason: 'manual',
})
const request = (spec: JobSpec) => ({ path: '/memory.db', create: false, spec })
const progress = (done: number): JobProgress => ({ done, total: 1000, unit: 'messages', note: '' })
const report: JobResult = {
  kind: 'import',
  value: {
    files: [],
    passedOver: [],
    passedOverCount: 0,
    added: 1,
    alreadyThere: 0,
    skipped: 0,
    bytes: 1,
    durationMs: 1,
    largeFiles: [],
  },
}

/** A job that does what the test tells it. */
class Stage {
  atMs = 1_000_000
  readonly published: Job[] = []
  readonly jobs: Jobs
  report: (progress: JobProgress) => void = () => undefined
  succeed: (result: JobResult) => void = () => undefined
  fail: (error: unknown) => void = () => undefined

  constructor() {
    const execute: JobExecutor = (_request, signal, onProgress) =>
      new Promise((resolve, reject) => {
        this.report = onProgress
        this.succeed = resolve
        this.fail = reject
        signal.addEventListener('abort', () => reject(new LcmError('cancelled', 'stopped')))
      })
    this.jobs = new Jobs(
      execute,
      () => this.atMs,
      (job) => this.published.push(job),
    )
  }

  /** Ends the job that runs and waits until that is known. */
  async settle(end: () => void): Promise<Job | undefined> {
    end()
    await new Promise((resume) => setImmediate(resume))
    return this.jobs.list()[0]
  }
}

describe('a job', () => {
  it('starts at once, is published when it starts and ends, and keeps its result', async () => {
    const stage = new Stage()
    const jobId = stage.jobs.start(request({ kind: 'import', paths: ['/t.jsonl'], format: 'auto' }))
    expect(stage.jobs.list()).toMatchObject([{ jobId, kind: 'import', state: 'running', startedAtMs: 1_000_000 }])
    stage.atMs += 5000
    const ended = await stage.settle(() => stage.succeed(report))
    expect(ended).toMatchObject({ jobId, state: 'done', result: report, finishedAtMs: 1_005_000, error: null })
    expect(stage.published.map((job) => job.state)).toEqual(['running', 'done'])
  })

  it('is published at most ten times a second, however often it reports progress', () => {
    const stage = new Stage()
    stage.jobs.start(request({ kind: 'integrity' }))
    const before = stage.published.length
    for (let ms = 0; ms < 2000; ms += 1) {
      stage.atMs += 1
      stage.report(progress(ms))
    }
    expect(stage.published.length - before).toBeLessThanOrEqual(20)
    expect(stage.published.length - before).toBeGreaterThanOrEqual(19)
    // A caller gets the newest progress nevertheless.
    expect(stage.jobs.list()[0]?.progress?.done).toBe(1999)
  })

  it('is published with its newest step a moment later when that came too soon after another one', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const stage = new Stage()
    stage.jobs.start(request({ kind: 'integrity' }))
    for (const done of [1, 2, 3]) stage.report(progress(done))
    expect(stage.published.map((job) => job.progress?.done)).toEqual([undefined, 1])
    vi.advanceTimersByTime(100)
    expect(stage.published.map((job) => job.progress?.done)).toEqual([undefined, 1, 3])
    stage.report(progress(4))
    stage.succeed(report)
    await Promise.resolve()
    await Promise.resolve()
    vi.advanceTimersByTime(1_000)
    expect(stage.published.map((job) => job.state)).toEqual(['running', 'running', 'running', 'done'])
  })

  it('is listed before those that started earlier', () => {
    const { jobs } = new Stage()
    const ids = [1, 2, 3].map((conversation) => jobs.start(request(compactSpec(conversation))))
    expect(jobs.list().map((job) => job.jobId)).toEqual(ids.toReversed())
  })

  it('can be cancelled', async () => {
    const stage = new Stage()
    const jobId = stage.jobs.start(request({ kind: 'integrity' }))
    expect(await stage.settle(() => stage.jobs.cancel(jobId))).toMatchObject({
      state: 'cancelled',
      error: { code: 'cancelled' },
    })
    expect(() => stage.jobs.cancel(jobId)).not.toThrow()
    expect(() => stage.jobs.cancel('job_of_yesterday')).toThrow(expect.objectContaining({ code: 'not_found' }))
  })

  it('counts as cancelled when a compaction was cancelled and answers with what it did', async () => {
    const stage = new Stage()
    stage.jobs.start(request(compactSpec(1)))
    const value = {
      runId: 'run_1',
      conversationId: 1,
      stopReason: 'cancelled' as const,
      tokensBefore: 9,
      tokensAfter: 5,
      reduction: 0.4,
      created: [],
      durationMs: 1,
    }
    const ended = await stage.settle(() => stage.succeed({ kind: 'compact', value }))
    expect(ended).toMatchObject({ state: 'cancelled', error: null, result: { value: { tokensAfter: 5 } } })
  })

  it('reports a failure as a typed error, and any other error as internal', async () => {
    const stage = new Stage()
    stage.jobs.start(request({ kind: 'integrity' }))
    const typed = new LcmError('disk_full', 'The disk is full.', { path: '/x' })
    expect(await stage.settle(() => stage.fail(typed))).toMatchObject({
      state: 'failed',
      error: { code: 'disk_full', message: 'The disk is full.', retryable: false, details: { path: '/x' } },
    })
    stage.jobs.start(request({ kind: 'integrity' }))
    expect(await stage.settle(() => stage.fail(new TypeError('x is undefined')))).toMatchObject({
      state: 'failed',
      error: { code: 'internal' },
    })
  })

  it('is refused when it is a second compaction of a conversation, and the error names the running one', async () => {
    const stage = new Stage()
    const holder = stage.jobs.start(request(compactSpec(7)))
    expect(() => stage.jobs.start(request(compactSpec(7)))).toThrow(
      expect.objectContaining({ code: 'locked', retryable: true, details: { holder } }),
    )
    expect(() => stage.jobs.start(request({ kind: 'integrity', conversationId: 7 }))).not.toThrow()
  })

  it('is accepted when it compacts another conversation, or the same one after the first ended', async () => {
    const stage = new Stage()
    stage.jobs.start(request(compactSpec(8)))
    stage.jobs.start(request(compactSpec(7)))
    await stage.settle(() => stage.fail(new LcmError('sqlite_failed', 'no')))
    expect(() => stage.jobs.start(request(compactSpec(7)))).not.toThrow()
  })

  it('is forgotten when there are many others, but never while it runs', async () => {
    const stage = new Stage()
    const running = stage.jobs.start(request(compactSpec(1)))
    for (let n = 0; n < 80; n += 1) {
      stage.jobs.start(request({ kind: 'integrity' }))
      await stage.settle(() => stage.succeed(report))
    }
    const kept = stage.jobs.list()
    expect(kept).toHaveLength(50)
    expect(kept.at(-1)).toMatchObject({ jobId: running, state: 'running' })
  })

  it('is stopped before its core closes, which does not wait for one that does not stop', async () => {
    const stage = new Stage()
    stage.jobs.start(request(compactSpec(1)))
    await stage.jobs.cancelAll(10_000)
    expect(stage.jobs.list()[0]?.state).toBe('cancelled')

    const deaf = new Jobs(
      () => new Promise(() => undefined),
      () => 0,
      () => undefined,
    )
    deaf.start(request(compactSpec(1)))
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const closing = deaf.cancelAll(50)
    await vi.advanceTimersByTimeAsync(50)
    await closing
  })
})
