import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Job } from '../../core/contract/job.ts'
import { api, type Client } from '../api.ts'

export type JobRequest = Parameters<Client['jobs']['start']>[0]

export type FollowedJob = {
  readonly start: (request: JobRequest) => void
  /** Null before the first start, and until the list of jobs knows it. */
  readonly job: Job | null
  readonly isRunning: boolean
  /** Why it could not start, or why it failed. */
  readonly error: unknown
  readonly cancel: () => void
  readonly isCancelling: boolean
  /** As if nothing had been started; what runs goes on. */
  readonly forget: () => void
}

/** Starts a job and follows that one to its end. */
export function useJob(): FollowedJob {
  const [jobId, setJobId] = useState<string | null>(null)
  const jobs = useQuery(api.jobs.list.queryOptions())
  const cancel = useMutation(api.jobs.cancel.mutationOptions())
  const start = useMutation(
    api.jobs.start.mutationOptions({
      onSuccess: (started) => {
        setJobId(started.jobId)
        void jobs.refetch()
      },
    }),
  )
  const job = jobs.data?.find((one) => one.jobId === jobId) ?? null
  const isStarting = start.isPending || (jobId !== null && job === null)
  return {
    start: (request) => {
      setJobId(null)
      cancel.reset()
      start.mutate(request)
    },
    job,
    isRunning: isStarting || job?.state === 'running',
    error: start.error ?? (job?.state === 'failed' ? job.error : null),
    cancel: () => jobId !== null && cancel.mutate({ jobId }),
    isCancelling: cancel.isPending || cancel.isSuccess,
    forget: () => {
      setJobId(null)
      start.reset()
      cancel.reset()
    },
  }
}
