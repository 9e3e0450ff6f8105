import { type QueryClient, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Message } from '#core/contract/message.ts'
import { api } from '#renderer/api.ts'
import { PAGE_CHARS, PAGE_SIZE, pagesOf, withNewer } from './pages.ts'
import type { RowRange } from './use-sight.ts'

export type TranscriptRows = {
  /** Null until it is known. */
  readonly total: number | null
  readonly error: unknown
  readonly retry: () => void
  /** Undefined while the message is not loaded, null where the conversation ends. */
  readonly messageAt: (position: number) => Message | null | undefined
  /** Returns the message, and fetches it if needed. */
  readonly fetchAt: (position: number) => Promise<Message | undefined>
}

/** Rows fetched before and after those in sight. */
const AHEAD = 30
/** A page may have a megabyte, so pages out of sight are dropped soon. */
const KEEP_MS = 30_000

const pageOptions = (conversationId: number, page: number) =>
  api.transcript.page.queryOptions({
    input: { conversationId, offset: page * PAGE_SIZE, limit: PAGE_SIZE, contentChars: PAGE_CHARS },
    gcTime: KEEP_MS,
  })

/**
 * How many messages a conversation has. Asked again, it brings only the messages after those, and puts them into the
 * pages that are kept, so that a new message is shown without the hundred before it.
 */
const newestOptions = (cache: QueryClient, conversationId: number) => {
  const queryKey = [['transcript', 'newest'], { conversationId }] as const
  return {
    queryKey,
    queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<number> => {
      const known = cache.getQueryData<number>(queryKey)
      const input =
        known === undefined
          ? { conversationId, offset: 0, limit: 1, contentChars: 0 }
          : { conversationId, offset: known, limit: PAGE_SIZE, contentChars: PAGE_CHARS }
      const newer = await api.transcript.page.call(input, { signal })
      if (known === undefined || newer.messages.length === 0) return newer.total
      for (const page of pagesOf(known, newer.total - 1, newer.total)) {
        cache.setQueryData(pageOptions(conversationId, page).queryKey, (kept) => withNewer(kept, page, newer))
      }
      return newer.total
    },
  }
}

/** Returns the messages of a conversation of any length, fetched page by page as they come in sight. */
export function useTranscript(conversationId: number, inSight: RowRange): TranscriptRows {
  const cache = useQueryClient()
  const newest = useQuery(newestOptions(cache, conversationId))
  const total = newest.data ?? null
  const pages = pagesOf(inSight.first - AHEAD, inSight.last + AHEAD, total ?? 0)
  const loaded = useQueries({ queries: pages.map((page) => pageOptions(conversationId, page)) })
  const failed = loaded.find((page) => page.isError)
  // Pages are looked up in the cache, which holds more of them than are in sight. The stamp tells that one of them has
  // changed.
  const stamp = loaded.map((page) => page.dataUpdatedAt).join(' ')

  // biome-ignore lint/correctness/useExhaustiveDependencies: see stamp
  const messageAt = useCallback(
    (position: number): Message | null | undefined => {
      if (position < 0 || (total !== null && position >= total)) return null
      const page = cache.getQueryData(pageOptions(conversationId, Math.floor(position / PAGE_SIZE)).queryKey)
      return page?.messages[position % PAGE_SIZE]
    },
    [cache, conversationId, total, stamp],
  )
  const fetchAt = useCallback(
    async (position: number) => {
      const page = await cache.fetchQuery(pageOptions(conversationId, Math.floor(position / PAGE_SIZE)))
      return page.messages[position % PAGE_SIZE]
    },
    [cache, conversationId],
  )
  return {
    total,
    error: newest.error ?? failed?.error ?? null,
    retry: () => void (newest.isError ? newest.refetch() : failed?.refetch()),
    messageAt,
    fetchAt,
  }
}
