import { useQuery } from '@tanstack/react-query'
import type { Job } from '../../core/contract/job.ts'
import { api } from '../api.ts'
import { recentJobs } from '../job-list.ts'
import { useNow } from '../ui/use-now.ts'

/** Jobs that run, and those that have just ended. */
export function useJobs(): readonly Job[] {
  const jobs = useQuery(api.jobs.list.queryOptions())
  const now = useNow(1000)
  return recentJobs(jobs.data ?? [], now)
}
