import type { UseMutationOptions } from '@tanstack/react-query'
import { host } from '../host.ts'
import { type FollowedJob, useStartedJob } from './use-job.ts'

type Target = { readonly jobId: string; readonly path: string }

/** The making of a new file by a job, from its start to the opening of what came of it. */
export type NewFile<Input> = FollowedJob<Input, Target> & {
  /** Where it will be; null before it was started. */
  readonly path: string | null
  readonly open: () => void
}

/** Starts what makes a new file and follows it; nothing is opened by itself. */
export function useNewFile<Input>(options: UseMutationOptions<Target, Error, Input>): NewFile<Input> {
  const making = useStartedJob(options)
  const path = making.started?.path ?? null
  return { ...making, path, open: () => path !== null && host.openFile(path) }
}
