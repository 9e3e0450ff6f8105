import { useQuery } from '@tanstack/react-query'
import type { Job } from '../../core/contract/job.ts'
import { api } from '../api.ts'
import { useNow } from '../ui/use-now.ts'

/** How long the end of a job is told. */
const TOLD_MS = 8000

/** Jobs that run, and those that have just ended. */
export function useJobs(): readonly Job[] {
  const jobs = useQuery(api.jobs.list.queryOptions())
  const now = useNow(1000)
  return recentJobs(jobs.data ?? [], now)
}

/** Whatever runs, and whatever ended a moment ago. */
export const recentJobs = (jobs: readonly Job[], nowMs: number): readonly Job[] =>
  jobs.filter((job) => job.state === 'running' || (job.finishedAtMs ?? 0) > nowMs - TOLD_MS)
