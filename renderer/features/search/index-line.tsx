import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Job } from '../../../core/contract/job.ts'
import type { SearchIndexStatus } from '../../../core/contract/search-index.ts'
import { api } from '../../api.ts'
import { formatBytes, formatCount, formatPercent } from '../../ui/format.ts'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import styles from './index-line.module.css'

/** Shows the progress of an index that is being built. It is empty when no search has to wait for one. */
export function IndexLine() {
  const { status, job } = useSearchIndex()
  if (!status || status.jobId === null) return null
  const done = job?.progress?.done ?? status.indexedRows
  const total = job?.progress?.total ?? status.totalRows
  const isInBytes = job?.progress?.unit === 'bytes'
  return (
    <p
      className={styles.line}
      title={
        isInBytes
          ? `${formatBytes(done)} of ${formatBytes(total)} of the contents of large files`
          : `${formatCount(done)} of ${formatCount(total)} texts, ${formatBytes(status.bytes)}`
      }
    >
      <span>An index for searching is being made</span>
      <span className={styles.bar}>
        <ProgressBar label="Search index" done={done} total={total} />
      </span>
      {total > 0 && <span>{formatPercent(Math.min(1, done / total))}</span>}
    </p>
  )
}

type SearchIndex = {
  readonly status: SearchIndexStatus | undefined
  /** The job that builds the index, while there is one. */
  readonly job: Job | null
}

/** Returns how searches are answered now, and the progress of an index for them. */
function useSearchIndex(): SearchIndex {
  const { data: status, refetch } = useQuery(api.retrieval.index.queryOptions())
  const { data: jobs } = useQuery(api.jobs.list.queryOptions())
  const job = jobs?.find(({ kind, state }) => kind === 'index' && state === 'running') ?? null
  const jobId = job?.jobId
  // biome-ignore lint/correctness/useExhaustiveDependencies: a job that began or ended says that the answer is another one
  useEffect(() => {
    void refetch()
  }, [jobId, refetch])
  return { status, job }
}
