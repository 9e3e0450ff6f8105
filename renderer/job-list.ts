import type { Job } from '../core/contract/job.ts'

/** How long the end of a job is shown. */
const TOLD_MS = 8000

/** Returns the list with the job's newest state, newest job first, as the core lists them. */
export function withJob(jobs: readonly Job[], job: Job): Job[] {
  return jobs.some((other) => other.jobId === job.jobId)
    ? jobs.map((other) => (other.jobId === job.jobId ? job : other))
    : [job, ...jobs]
}

/** A job that the user did not start is shown when it takes longer than this. */
const UNASKED_MS = 1500

/** The view that started these jobs shows their end. */
const SHOWN_IN_PLACE: readonly Job['kind'][] = ['surgery_preview', 'repair_export', 'compaction_preview']

/** The health in the status line shows what a scan has found. */
const isInHealth = ({ kind, state }: Job): boolean => kind === 'integrity' && state === 'done'

/** When the last of the jobs moved: now while one is running. Null without jobs. */
export const lastMoveOf = (jobs: readonly Job[], nowMs: number): number | null =>
  jobs.length === 0
    ? null
    : Math.max(...jobs.map(({ state, finishedAtMs }) => (state === 'running' ? nowMs : (finishedAtMs ?? 0))))

/** Returns jobs that are running or have just ended, and of one kind in one conversation only the newest. */
export const recentJobs = (jobs: readonly Job[], nowMs: number): readonly Job[] =>
  jobs.filter((job, index) => {
    const isOutdone = (other: Job) => other.kind === job.kind && other.conversationId === job.conversationId
    if (
      job.state !== 'running' &&
      (SHOWN_IN_PLACE.includes(job.kind) || isInHealth(job) || jobs.slice(0, index).some(isOutdone))
    )
      return false
    if ((job.kind === 'index' || job.kind === 'pull') && (job.finishedAtMs ?? nowMs) - job.startedAtMs < UNASKED_MS)
      return false
    return job.state === 'running' || (job.finishedAtMs ?? 0) > nowMs - TOLD_MS
  })
