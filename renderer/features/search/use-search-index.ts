import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Job } from '../../../core/contract/job.ts'
import type { SearchIndexStatus } from '../../../core/contract/search-index.ts'
import { api } from '../../api.ts'

export type SearchIndex = {
  readonly status: SearchIndexStatus | undefined
  /** The job that makes it, while one does. */
  readonly job: Job | null
}

/** How searches are answered now, and how far an index for them has come. */
export function useSearchIndex(): SearchIndex {
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
