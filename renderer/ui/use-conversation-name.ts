import { skipToken, useQuery } from '@tanstack/react-query'
import type { ListedConversation } from '#core/contract/memory.ts'
import { api } from '../api.ts'
import { conversationName, plainName } from './format.ts'
import { useName } from './use-names.ts'

/** The first message of a person stands among so many. */
const FIRST_MESSAGES = 6

type Named = Pick<ListedConversation, 'conversationId' | 'sessionId' | 'title' | 'messages'>

/** What a conversation is called: its title, or what a person said first. Before that is known, its session. */
export function useConversationName(row: Named): { readonly name: string; readonly isSession: boolean } {
  const { conversationId } = row
  const isUntitled = (row.title ?? '').trim() === '' && row.messages > 0
  const { data } = useQuery(
    api.transcript.page.queryOptions({
      input: isUntitled ? { conversationId, offset: 0, limit: FIRST_MESSAGES, contentChars: 0 } : skipToken,
      // What was said first does not change.
      staleTime: 'static',
      gcTime: Number.POSITIVE_INFINITY,
      retry: false,
    }),
  )
  const said = useName(data?.messages.find(({ role }) => role === 'user')?.id ?? null)
  const name = plainName(said ?? '')
  return name === '' ? { name: conversationName(row), isSession: isUntitled } : { name, isSession: false }
}
