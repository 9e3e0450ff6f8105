import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Comparison, ComparisonInput } from '#core/contract/comparison.ts'
import type { Job } from '#core/contract/job.ts'
import { api, client } from '#renderer/api.ts'

export type FollowedComparison = {
  readonly job: Job | null
  readonly found: Comparison | null
  readonly isRunning: boolean
  readonly error: unknown
  /** Compares anew, as the files are now. */
  readonly start: () => void
}

/**
 * Compares two windows in the background. The same question is asked once, also when the view is left and entered again.
 * @param isWaiting whether it begins only when somebody asks for it
 */
export function useComparison(input: ComparisonInput | null, isWaiting: boolean): FollowedComparison {
  const queries = useQueryClient()
  const jobs = useQuery(api.jobs.list.queryOptions())
  const key = ['comparison', input]
  const asked = input
  const started = useQuery({
    queryKey: key,
    queryFn:
      asked === null
        ? skipToken
        : async () => {
            const { jobId } = await client.jobs.start({ kind: 'compare', ...asked })
            await queries.invalidateQueries({ queryKey: api.jobs.list.key() })
            return jobId
          },
    enabled: !isWaiting,
    ...{ staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY, retry: false },
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const job = jobs.data?.find(({ jobId }) => jobId === started.data) ?? null
  return {
    job,
    found: job?.result?.kind === 'compare' ? job.result.value : null,
    isRunning:
      started.isFetching || job?.state === 'running' || (started.data !== undefined && jobs.isFetching && !job),
    error: started.error ?? jobs.error ?? (job?.state === 'failed' ? job.error : null),
    start: () => void started.refetch(),
  }
}
