import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import type { CompactionPlan, CompactionPreview, CompactRequest } from '#core/contract/compaction.ts'
import { api, client } from '#renderer/api.ts'

export type FollowedPreview = {
  readonly found: CompactionPreview | null
  readonly isRunning: boolean
  /** What is being done, while it runs. */
  readonly note: string
  readonly error: unknown
  readonly start: () => void
}

/** A plan of a file of this size is tried within seconds: the whole file is copied for it. */
const CHEAP_BYTES = 16_000_000
/** So many tokens are summarised within seconds. */
const CHEAP_TOKENS = 200_000

/** Whether a plan is tried without being asked for. */
export const isCheap = (plan: Pick<CompactionPlan, 'tokensBefore'>, bytes: number): boolean =>
  bytes <= CHEAP_BYTES && plan.tokensBefore <= CHEAP_TOKENS

/**
 * Finds out in the background what a plan would lose. The same plan is tried once, also when the view is left and
 * entered again.
 * @param plan null when there is none, or one that is about to be replaced
 * @param isUnasked whether it begins before somebody asks for it
 */
export function useCompactionPreview(
  { conversationId, mode = 'full', targetTokens, settings }: CompactRequest,
  plan: CompactionPlan | null,
  isUnasked: boolean,
): FollowedPreview {
  const queries = useQueryClient()
  const earlier = useRef<string | null>(null)
  const jobs = useQuery(api.jobs.list.queryOptions())
  const tried = plan !== null && plan.steps.length > 0 ? plan : null
  const started = useQuery({
    queryKey: ['compaction-preview', { conversationId, mode, targetTokens, settings }, tried && planKey(tried)],
    queryFn:
      tried === null
        ? skipToken
        : async () => {
            const asked = { conversationId, mode, targetTokens, settings }
            // What other settings would lose is no longer asked.
            const outdated = jobs.data?.find(({ jobId, state }) => jobId === earlier.current && state === 'running')
            if (outdated) await client.jobs.cancel({ jobId: outdated.jobId })
            const { jobId } = await client.jobs.start({ kind: 'compaction_preview', ...asked })
            earlier.current = jobId
            await queries.invalidateQueries({ queryKey: api.jobs.list.key() })
            return jobId
          },
    enabled: isUnasked,
    ...{ staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY, retry: false },
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const job = jobs.data?.find(({ jobId }) => jobId === started.data) ?? null
  return {
    found: job?.result?.kind === 'compaction_preview' ? job.result.value : null,
    isRunning: started.isFetching || job?.state === 'running',
    note: job?.progress?.note ?? '',
    error: started.error ?? (job?.state === 'failed' ? job.error : null),
    start: () => void started.refetch(),
  }
}

/** By which a plan of a conversation is told from another one, after the file has changed. */
const planKey = ({ steps, tokensBefore }: CompactionPlan): string =>
  [tokensBefore, steps.length, steps[0]?.sources[0], steps.at(-1)?.sources.at(-1)].join(' ')
