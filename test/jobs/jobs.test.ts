import { describe, expect, it } from 'vitest'
import type { Job, JobProgress, JobResult, JobSpec } from '../../core/contract/job.ts'
import { LcmError } from '../../core/errors.ts'
import { type JobExecutor, Jobs } from '../../core/jobs/jobs.ts'

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

describe('jobs', () => {
  it('start at once, are published when they start and end, and keep their result', async () => {
    const stage = new Stage()
    const jobId = stage.jobs.start(request({ kind: 'import', paths: ['/t.jsonl'], format: 'auto' }))
    expect(stage.jobs.list()).toMatchObject([{ jobId, kind: 'import', state: 'running', startedAtMs: 1_000_000 }])
    stage.atMs += 5000
    const ended = await stage.settle(() => stage.succeed(report))
    expect(ended).toMatchObject({ jobId, state: 'done', result: report, finishedAtMs: 1_005_000, error: null })
    expect(stage.published.map((job) => job.state)).toEqual(['running', 'done'])
  })

  it('publish at most ten times a second, however often they report', () => {
    const stage = new Stage()
    stage.jobs.start(request({ kind: 'integrity' }))
    const before = stage.published.length
    for (let ms = 0; ms < 2000; ms += 1) {
      stage.atMs += 1
      stage.report(progress(ms))
    }
    expect(stage.published.length - before).toBeLessThanOrEqual(20)
    expect(stage.published.length - before).toBeGreaterThanOrEqual(19)
    // Whoever asks is told the newest all the same.
    expect(stage.jobs.list()[0]?.progress?.done).toBe(1999)
  })

  it('are listed newest first', () => {
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

  it('count as cancelled when a compaction answers with what it did until then', async () => {
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

  it('report a failure as a typed error; what is no typed error is a bug', async () => {
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

  it('refuse a second compaction of a conversation while one runs, naming the holder', async () => {
    const stage = new Stage()
    const holder = stage.jobs.start(request(compactSpec(7)))
    expect(() => stage.jobs.start(request(compactSpec(7)))).toThrow(
      expect.objectContaining({ code: 'locked', retryable: true, details: { holder } }),
    )
    expect(() => stage.jobs.start(request({ kind: 'integrity', conversationId: 7 }))).not.toThrow()
  })

  it('allow another compaction of other conversations, and of the same one afterwards', async () => {
    const stage = new Stage()
    stage.jobs.start(request(compactSpec(8)))
    stage.jobs.start(request(compactSpec(7)))
    await stage.settle(() => stage.fail(new LcmError('sqlite_failed', 'no')))
    expect(() => stage.jobs.start(request(compactSpec(7)))).not.toThrow()
  })

  it('are forgotten when there are many, but never while they run', async () => {
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

  it('are all stopped before a core closes; one that does not stop is not waited for', async () => {
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
    const startedAtMs = performance.now()
    await deaf.cancelAll(50)
    expect(performance.now() - startedAtMs).toBeLessThan(2000)
  })
})
