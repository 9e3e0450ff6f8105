import type { Job } from '../core/contract/job.ts'

/** How long the end of a job is told. */
const TOLD_MS = 8000

/** The list with the job's newest state in it; newest first, as the core lists them. */
export function withJob(jobs: readonly Job[], job: Job): Job[] {
  return jobs.some((other) => other.jobId === job.jobId)
    ? jobs.map((other) => (other.jobId === job.jobId ? job : other))
    : [job, ...jobs]
}

/** Work that nobody asked for is told of when it takes longer than this. */
const UNASKED_MS = 1500

/** Their end is shown where they were asked for. */
const SHOWN_IN_PLACE: readonly Job['kind'][] = ['surgery_preview', 'repair_export']

/** Whatever runs, and whatever ended a moment ago: of one kind in one conversation only the newest. */
export const recentJobs = (jobs: readonly Job[], nowMs: number): readonly Job[] =>
  jobs.filter((job, index) => {
    const isOutdone = (other: Job) => other.kind === job.kind && other.conversationId === job.conversationId
    if (job.state !== 'running' && (SHOWN_IN_PLACE.includes(job.kind) || jobs.slice(0, index).some(isOutdone)))
      return false
    if (job.kind === 'index' && (job.finishedAtMs ?? nowMs) - job.startedAtMs < UNASKED_MS) return false
    return job.state === 'running' || (job.finishedAtMs ?? 0) > nowMs - TOLD_MS
  })
