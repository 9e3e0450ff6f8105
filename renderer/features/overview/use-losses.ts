import { useQueries, useQueryClient } from '@tanstack/react-query'
import type { ListedConversation } from '../../../core/contract/memory.ts'
import { api } from '../../api.ts'
import type { Loss, Losses } from './overview-figures.ts'

/** Counts are kept this long after their row left the screen. */
const KEPT_MS = 10 * 60_000

const lossOf = (conversationId: number) =>
  api.trace.survival.queryOptions({ input: { conversationId, limit: 0 }, gcTime: KEPT_MS, retry: false })

/**
 * Returns what these conversations have lost, as far as it was counted. Counting reads all texts, so one
 * conversation is counted at a time; when its row leaves the screen, the core stops.
 */
export function useLosses(rows: readonly ListedConversation[]): Losses {
  const queries = useQueryClient()
  const compacted = rows.filter(({ summaries }) => summaries > 0).map(({ conversationId }) => conversationId)
  const isWanted = (id: number): boolean => {
    const state = queries.getQueryState(lossOf(id).queryKey)
    return state === undefined || state.status === 'pending' || state.isInvalidated
  }
  const next = compacted.find(isWanted)
  const results = useQueries({ queries: compacted.map((id) => ({ ...lossOf(id), enabled: id === next })) })
  const losses = new Map<number, Loss | 'failed'>()
  for (const [index, id] of compacted.entries()) {
    const { data, error } = results[index] ?? {}
    if (data) losses.set(id, { details: data.totalDetails, kept: data.totalKept })
    else if (error) losses.set(id, 'failed')
  }
  return losses
}
