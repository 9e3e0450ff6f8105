import { useEffect, useRef } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorLine } from '../../ui/error-line.tsx'
import { JobProgress } from '../../ui/job-progress.tsx'
import { useNewFile } from '../../ui/use-new-file.ts'

/**
 * Makes a working copy and opens it at the same place, where the repair goes on. The copy is compared with the original
 * row by row, and the original stays as it is.
 */
export function RepairInCopy() {
  const { start, open, job, error, isRunning } = useNewFile(api.memory.copy.mutationOptions())
  const isMade = job?.result?.kind === 'copy'
  const latest = useRef(open)
  useEffect(() => {
    latest.current = open
  })
  useEffect(() => {
    if (isMade) latest.current()
  }, [isMade])
  return (
    <>
      <Button
        look="primary"
        disabled={isRunning || isMade}
        title="A native memory with the same ids and damage, compared row by row. It opens here; the original stays as it is."
        onClick={() => start(undefined)}
      >
        Repair in a working copy
      </Button>
      {isRunning && <JobProgress job={job} title="Copying…" />}
      {error !== null && <ErrorLine error={error} />}
    </>
  )
}
