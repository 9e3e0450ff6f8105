import { type UseMutationOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Job } from '#core/contract/job.ts'
import { api } from '#renderer/api.ts'

/** A job from start to end, with the answer of the call that started it. */
export type FollowedJob<Input, Started> = {
  readonly start: (input: Input) => void
  /** Null before the first start, and until the core has accepted it. */
  readonly started: Started | null
  /** Null before the first start, and until the job is in the list of jobs. */
  readonly job: Job | null
  readonly isRunning: boolean
  /** The error of the start or of the job. */
  readonly error: unknown
  /** Forgets the job in this view. A running job continues. */
  readonly forget: () => void
}

/** Starts a job on the open memory and follows it to its end. */
export const useJob = () => useStartedJob(api.jobs.start.mutationOptions())

/** Starts a job by any procedure that returns its id, and follows it to its end. */
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
