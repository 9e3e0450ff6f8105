import { type UseMutationOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Job } from '../../core/contract/job.ts'
import { api } from '../api.ts'

/** A job from its start to its end, and what started it answered with. */
export type FollowedJob<Input, Started> = {
  readonly start: (input: Input) => void
  /** Null before the first start, and until the core has taken it. */
  readonly started: Started | null
  /** Null before the first start, and until the list of jobs knows it. */
  readonly job: Job | null
  readonly isRunning: boolean
  /** Why it could not start, or why it failed. */
  readonly error: unknown
  /** Forgets the job in this view. A running job continues. */
  readonly forget: () => void
}

/** Starts a job on the open memory and follows that one to its end. */
export const useJob = () => useStartedJob(api.jobs.start.mutationOptions())

/** Starts a job by any procedure that answers with its id, and follows that one to its end. */
export function useStartedJob<Input, Started extends { readonly jobId: string }>(
  options: UseMutationOptions<Started, Error, Input>,
): FollowedJob<Input, Started> {
  const [started, setStarted] = useState<Started | null>(null)
  const jobs = useQuery(api.jobs.list.queryOptions())
  const start = useMutation(options)
  const job = jobs.data?.find(({ jobId }) => jobId === started?.jobId) ?? null
  const isStarting = start.isPending || (started !== null && job === null)
  return {
    start: (input) => {
      setStarted(null)
      start.mutate(input, {
        onSuccess: (answer) => {
          setStarted(answer)
          void jobs.refetch()
        },
      })
    },
    started,
    job,
    isRunning: isStarting || job?.state === 'running',
    error: start.error ?? (job?.state === 'failed' ? job.error : null),
    forget: () => {
      setStarted(null)
      start.reset()
    },
  }
}
