import { describe, expect, it } from 'vitest'
import type { Job } from '#core/contract/job.ts'
import { lastMoveOf, recentJobs, withJob } from '#renderer/job-list.ts'

const job = (jobId: string, state: Job['state'], finishedAtMs: number | null = null): Job => ({
  jobId,
  kind: 'integrity',
  conversationId: null,
  state,
  progress: null,
  startedAtMs: 0,
  finishedAtMs,
  error: null,
  result: null,
})

describe('the list of jobs', () => {
  it('puts a new job at the top and updates a known one in its place', () => {
    const list = [job('b', 'running'), job('a', 'done', 1)]
    expect(withJob(list, job('c', 'running')).map(({ jobId }) => jobId)).toEqual(['c', 'b', 'a'])
    expect(withJob(list, job('a', 'failed', 2)).map(({ state }) => state)).toEqual(['running', 'failed'])
  })

  it('shows running jobs always, and finished ones for a moment', () => {
    const list = [job('new', 'cancelled', 99_000), job('long', 'running'), job('old', 'done', 1_000)]
    expect(recentJobs(list, 100_000).map(({ jobId }) => jobId)).toEqual(['new', 'long'])
  })

  it('last moved when the newest of them ended, or now while one is running', () => {
    expect(lastMoveOf([], 5)).toBeNull()
    expect(lastMoveOf([job('b', 'failed', 3), job('a', 'done', 4)], 5)).toBe(4)
    expect(lastMoveOf([job('b', 'running'), job('a', 'done', 4)], 5)).toBe(5)
  })

  it('leaves the end of a scan to the health beside it', () => {
    expect(recentJobs([job('ended', 'done', 99_000)], 100_000)).toEqual([])
    expect(recentJobs([job('failed', 'failed', 99_000)], 100_000)).toHaveLength(1)
  })

  it('shows only the newest finished job of a kind, and none of a kind whose result is shown elsewhere', () => {
    const preview: Job = { ...job('preview', 'done', 99_500), kind: 'surgery_preview' }
    const copy = (jobId: string, atMs: number): Job => ({ ...job(jobId, 'done', atMs), kind: 'copy' })
    const list = [preview, copy('again', 99_000), copy('first', 98_000)]
    expect(recentJobs(list, 100_000).map(({ jobId }) => jobId)).toEqual(['again'])
    expect(recentJobs([{ ...preview, state: 'running' }], 100_000)).toHaveLength(1)
  })

  it('shows an automatic index job only when it takes long', () => {
    const index = (jobId: string, startedAtMs: number, finishedAtMs: number | null): Job => ({
      ...job(jobId, finishedAtMs === null ? 'running' : 'done', finishedAtMs),
      kind: 'index',
      startedAtMs,
    })
    const list = [index('just begun', 99_500, null), index('long', 90_000, null), index('quick', 98_000, 98_300)]
    expect(recentJobs(list, 100_000).map(({ jobId }) => jobId)).toEqual(['long'])
  })
})
