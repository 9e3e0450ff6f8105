import { type UseMutationOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Job } from '../../core/contract/job.ts'
import { api } from '../api.ts'
import { host } from '../host.ts'

type Target = { readonly jobId: string; readonly path: string }

/** The making of a new file by a job, from its start to the opening of what came of it. */
export type NewFile<Input> = {
  readonly start: (input: Input) => void
  readonly isStarted: boolean
  readonly job: Job | null
  readonly error: unknown
  /** Where it will be; null before it was started. */
  readonly path: string | null
  readonly cancel: () => void
  readonly open: () => void
}

/** Starts what makes a new file and follows it; nothing is opened by itself. */
export function useNewFile<Input>(options: UseMutationOptions<Target, Error, Input>): NewFile<Input> {
  const [target, setTarget] = useState<Target | null>(null)
  const start = useMutation(options)
  const cancel = useMutation(api.jobs.cancel.mutationOptions())
  const jobs = useQuery({ ...api.jobs.list.queryOptions(), enabled: target !== null, refetchInterval: 500 })
  const job = jobs.data?.find(({ jobId }) => jobId === target?.jobId) ?? null
  return {
    start: (input) => start.mutate(input, { onSuccess: setTarget }),
    isStarted: start.isPending || target !== null,
    job,
    error: start.error ?? job?.error ?? null,
    path: target?.path ?? null,
    cancel: () => target !== null && cancel.mutate({ jobId: target.jobId }),
    open: () => target !== null && host.openFile(target.path),
  }
}
