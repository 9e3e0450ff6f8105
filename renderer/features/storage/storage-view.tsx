import { useQuery } from '@tanstack/react-query'
import type { Job } from '../../../core/contract/job.ts'
import type { MemoryInfo } from '../../../core/contract/memory.ts'
import { api } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { JobProgress } from '../../ui/job-progress.tsx'
import { Loading } from '../../ui/loading.tsx'
import { useJob } from '../../ui/use-job.ts'
import { LedgerSection } from './ledger-section.tsx'
import { StorageReportView } from './storage-report-view.tsx'
import styles from './storage-view.module.css'

/** Shows how the bytes of the file are used. They are measured on request, because every page has to be read. */
export function StorageView({ info }: { readonly info: MemoryInfo }) {
  const jobs = useQuery(api.jobs.list.queryOptions())
  const { start, error: startError } = useJob()
  const newest = jobs.data?.find((job) => job.kind === 'storage') ?? null
  const last = lastReport(jobs.data ?? [])
  const measure = () => start({ kind: 'storage' })
  const isRunning = newest?.state === 'running'
  const error = startError ?? (newest?.state === 'failed' ? newest.error : null)
  return (
    <div className={styles.view}>
      {isRunning && (
        <div className={styles.progress}>
          <JobProgress job={newest} title="Measuring…" />
        </div>
      )}
      {!isRunning && error !== null && <ErrorState error={error} onRetry={measure} />}
      {last !== null ? (
        <StorageReportView report={last.report} atMs={last.atMs} onMeasure={isRunning ? null : measure} />
      ) : jobs.data === undefined ? (
        <Loading what="the last measurement" />
      ) : (
        !isRunning &&
        error === null && (
          <EmptyState
            title="Not measured yet"
            actions={
              <Button look="primary" onClick={measure}>
                Measure
              </Button>
            }
          >
            Looks at every page of the file: how much each table and index takes, what is empty, which text stands in it
            more than once, and what would make it smaller. It only reads.
          </EmptyState>
        )
      )}
      <LedgerSection info={info} />
    </div>
  )
}

function lastReport(jobs: readonly Job[]) {
  for (const { result, finishedAtMs } of jobs)
    if (result?.kind === 'storage' && finishedAtMs !== null) return { report: result.value, atMs: finishedAtMs }
  return null
}
