import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { CompactionSettings } from '#core/contract/compaction.ts'
import { api } from '#renderer/api.ts'
import { useConversation } from './use-conversations.ts'

/** The configured settings with the budget of the conversation, if its file names one. Null while they are fetched. */
export function useConversationSettings(conversationId: number): CompactionSettings | null {
  const { data: configured } = useQuery(api.memory.settings.queryOptions())
  const { data: conversation } = useConversation(conversationId)
  const own = conversation?.ownBudgetTokens
  return useMemo(
    () => (configured === undefined ? null : { ...configured, ...(own !== undefined && { budgetTokens: own }) }),
    [configured, own],
  )
}
