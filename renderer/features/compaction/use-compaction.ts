import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import type { CompactRequest } from '../../../core/contract/compaction.ts'
import { api } from '../../api.ts'

/** All that the view asks of the core about one request, and the way to have it done. */
export function useCompaction(conversationId: number, request: CompactRequest) {
  const jobs = useQuery(api.jobs.list.queryOptions())
  const start = useMutation(api.jobs.start.mutationOptions({ onSuccess: () => jobs.refetch() }))
  const job = jobs.data?.find((other) => other.kind === 'compact' && other.conversationId === conversationId) ?? null
  const isRunning = job?.state === 'running'
  const decision = useQuery(api.compaction.evaluate.queryOptions({ input: request, placeholderData: keepPreviousData }))
  const plan = useQuery(
    api.compaction.plan.queryOptions({
      input: request,
      placeholderData: keepPreviousData,
      // What is being carried out stays in sight; what is left of it afterwards is another plan.
      enabled: (query) => !isRunning || query.state.data === undefined,
    }),
  )
  const runs = useQuery(api.compaction.runs.queryOptions({ input: { conversationId } }))
  return { decision, plan, runs, job, isRunning, start }
}
