import type { UseMutationOptions } from '@tanstack/react-query'
import { host } from '#renderer/host.ts'
import { rememberAddress } from '#renderer/remembered-address.ts'
import { currentRoute } from '#renderer/routes.ts'
import { type FollowedJob, useStartedJob } from '../data/use-job.ts'

type Target = { readonly jobId: string; readonly path: string }

/** A job that makes a new file, from its start to the opening of the file. */
export type NewFile<Input> = FollowedJob<Input, Target> & {
  /** The path of the file, or null before the start. */
  readonly path: string | null
  readonly open: () => void
}

/** Starts a job that makes a new file and follows it. The file is not opened automatically. */
export function useNewFile<Input>(options: UseMutationOptions<Target, Error, Input>): NewFile<Input> {
  const making = useStartedJob(options)
  const path = making.started?.path ?? null
  const open = () => {
    if (path === null) return
    // A copy holds the same ids: it is opened at the place at which this file is left.
    if (currentRoute().conversationId !== null) rememberAddress(path)
    host.openFile(path)
  }
  return { ...making, path, open }
}
