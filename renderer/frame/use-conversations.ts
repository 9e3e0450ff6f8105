import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ListedConversation } from '../../core/contract/memory.ts'
import { api } from '../api.ts'

/** The conversations of the file, at once; their tokens follow where counting them takes longer. */
export function useConversations(): UseQueryResult<ListedConversation[]> {
  const queries = useQueryClient()
  const conversations = useQuery(api.conversations.list.queryOptions())
  const { data: hasRead, dataUpdatedAt } = useQuery(
    api.conversations.measure.queryOptions({ enabled: conversations.data !== undefined }),
  )
  useEffect(() => {
    if (hasRead && dataUpdatedAt > 0) void queries.invalidateQueries({ queryKey: api.conversations.list.key() })
  }, [hasRead, dataUpdatedAt, queries])
  return conversations
}
