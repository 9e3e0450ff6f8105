import { useEffect } from 'react'
import type { ImportResult } from '../../../core/contract/import.ts'
import type { Job } from '../../../core/contract/job.ts'
import { api } from '../../api.ts'
import { useNewFile } from '../../ui/use-new-file.ts'
import { isSound } from './import-outcome.ts'

/** An import into a new memory, from the choice of transcripts to the opening of the memory. */
export type Import = {
  /** True when it is running, has failed, or has a result to look at. */
  readonly isActive: boolean
  readonly job: Job | null
  readonly error: unknown
  readonly result: ImportResult | null
  readonly start: (paths: readonly string[]) => void
  /** Opens the new memory. */
  readonly open: () => void
  /** Goes back to the welcome page. */
  readonly leave: () => void
}

/** Starts imports and follows them. After a flawless one its memory is opened; flaws are shown first. */
export function useImport(): Import {
  const { start, job, isRunning, error, open, forget } = useNewFile(api.machine.importNew.mutationOptions())
  const result = job?.result?.kind === 'import' ? job.result.value : null
  const isFlawless = result !== null && isSound(result)
  // biome-ignore lint/correctness/useExhaustiveDependencies: opened once, when it is whole
  useEffect(() => {
    if (isFlawless) open()
  }, [isFlawless])
  return {
    isActive: isRunning || error !== null || result !== null,
    job,
    error,
    result,
    start: (paths) => start({ paths: [...paths] }),
    open,
    leave: forget,
  }
}
