import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ConversationPage, ConversationsInput, ListedConversation } from '#core/contract/memory.ts'
import { api } from '#renderer/api.ts'
import { readStored } from './use-stored.ts'

/** The orders that a user chooses from. */
export const CONVERSATION_ORDERS = ['change', 'size', 'pressure'] as const
type ConversationOrder = (typeof CONVERSATION_ORDERS)[number]

export const ORDER_KEY = 'conversation-order'
export const HIDE_INTERNAL_KEY = 'hide-internal'

export const orderOf = (stored: string): ConversationOrder =>
  CONVERSATION_ORDERS.find((order) => order === stored) ?? 'change'

/** The most characters of the words that a title may be asked for. */
export const MOST_CHARS = 200

type Question = Partial<Omit<ConversationsInput, 'conversationIds' | 'cursor'>>

/** What the list of conversations asks for first, as this user left it. */
export const firstQuestion = (): Question =>
  listQuestion('', orderOf(readStored<string>(ORDER_KEY, 'change')), readStored(HIDE_INTERNAL_KEY, false))

export const listQuestion = (words: string, sort: ConversationOrder, isHidingInternal: boolean): Question => ({
  query: words.trim().slice(0, MOST_CHARS),
  sort,
  internal: isHidingInternal ? 'hidden' : 'shown',
  families: true,
})

/** Query options for conversations page by page. */
export const conversationPages = (question: Question) =>
  api.conversations.list.infiniteOptions({
    input: (cursor: string | undefined) => ({ ...question, ...(cursor === undefined ? {} : { cursor }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }: ConversationPage) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  })

/** Conversations page by page. The rows of the last question stay until those of the new one are there. */
export function useConversations(question: Question) {
  const { data, error, isPending, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useInfiniteQuery(conversationPages(question))
  const rows = useMemo(() => {
    // A conversation that changes while pages are fetched may be on two of them.
    const byId = new Map(rowsIn(data).map((row) => [row.conversationId, row]))
    return data === undefined ? null : [...byId.values()]
  }, [data])
  return {
    rows,
    /** Whether the rows are the answer to this question, or none can be had. */
    isAnswered: !isPending && !isPlaceholderData,
    /** Counts of the newest answer. */
    counts: data?.pages.at(-1),
    error,
    hasMore: hasNextPage,
    more: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
    },
    retry: () => void refetch(),
  }
}

/** One conversation. Its data is null when there is none of this id. What a list shows of it is shown meanwhile. */
export function useConversation(conversationId: number | null) {
  const queries = useQueryClient()
  return useQuery(
    api.conversations.list.queryOptions({
      input: oneConversation(conversationId ?? -1),
      enabled: conversationId !== null,
      placeholderData: () => shownBefore(queries, conversationId),
      select: ({ conversations }: ConversationPage): ListedConversation | null => conversations[0] ?? null,
    }),
  )
}

export const oneConversation = (conversationId: number) => ({ conversationIds: [conversationId], limit: 1 })

/** What a window opens with when its address names no conversation. */
export const OPENING = { sort: 'opening', limit: 1 } as const

function shownBefore(queries: QueryClient, conversationId: number | null): ConversationPage | undefined {
  const lists = queries.getQueriesData<ConversationPage | InfiniteData<ConversationPage>>({
    queryKey: api.conversations.list.key(),
  })
  for (const [, data] of lists) {
    const row = rowsIn(data).find((each) => each.conversationId === conversationId)
    if (row) return { conversations: [row], nextCursor: null, found: 1, internal: 0, total: 1 }
  }
  return undefined
}

function rowsIn(data: ConversationPage | InfiniteData<ConversationPage> | undefined): readonly ListedConversation[] {
  if (data === undefined) return []
  return 'pages' in data ? data.pages.flatMap(({ conversations }) => conversations) : data.conversations
}
