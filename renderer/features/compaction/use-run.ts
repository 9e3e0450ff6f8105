import { skipToken, useQuery } from '@tanstack/react-query'
import type { CompactionRunRecord } from '#core/contract/time-travel.ts'
import { api } from '#renderer/api.ts'

/**
 * Returns what a run made, once that is known. It is asked for where somebody opens the run, because a compaction of a
 * long conversation made thousands of summaries.
 */
export function useCreated(conversationId: number, runId: string | null): CompactionRunRecord['created'] | undefined {
  const input = runId === null ? skipToken : { conversationId, runId }
  return useQuery(api.compaction.runs.queryOptions({ input })).data?.[0]?.created
}
