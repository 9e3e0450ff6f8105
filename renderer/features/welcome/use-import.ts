import { useMutation, useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import type { ImportResult } from '../../../core/contract/import.ts'
import type { Job } from '../../../core/contract/job.ts'
import { api } from '../../api.ts'
import { host } from '../../host.ts'
import { isSound } from './import-outcome.ts'

/** An import into a new memory, from the choice of transcripts to the opening of what came of it. */
export type Import = {
  readonly isActive: boolean
  readonly job: Job | null
  readonly error: unknown
  readonly result: ImportResult | null
  readonly start: (paths: readonly string[]) => void
  readonly cancel: () => void
  /** Opens the new memory. */
  readonly open: () => void
  /** Back to the welcome page. */
  readonly leave: () => void
}

/** Starts imports and follows them. A flawless one opens its memory by itself; flaws are shown first. */
export function useImport(): Import {
  const [target, setTarget] = useState<{ readonly jobId: string; readonly path: string } | null>(null)
  const start = useMutation(api.machine.importNew.mutationOptions({ onSuccess: setTarget }))
  const cancel = useMutation(api.jobs.cancel.mutationOptions())
  const jobs = useQuery({ ...api.jobs.list.queryOptions(), enabled: target !== null, refetchInterval: 1000 })
  const job = jobs.data?.find(({ jobId }) => jobId === target?.jobId) ?? null
  const result = job?.result?.kind === 'import' ? job.result.value : null
  const path = target?.path ?? null
  const isFlawless = result !== null && isSound(result)
  useEffect(() => {
    if (isFlawless && path !== null) host.openFile(path)
  }, [isFlawless, path])
  const { mutate } = start
  const begin = useCallback((paths: readonly string[]) => mutate({ paths: [...paths] }), [mutate])
  return {
    isActive: start.isPending || start.isError || target !== null,
    job,
    error: start.error ?? job?.error ?? null,
    result,
    start: begin,
    cancel: () => target !== null && cancel.mutate({ jobId: target.jobId }),
    open: () => path !== null && host.openFile(path),
    leave: () => {
      start.reset()
      setTarget(null)
    },
  }
}
