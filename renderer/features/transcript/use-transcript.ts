import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Message } from '#core/contract/message.ts'
import { api } from '#renderer/api.ts'
import { PAGE_CHARS, PAGE_SIZE, pagesOf } from './pages.ts'
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

/** Returns the messages of a conversation of any length, fetched page by page as they come in sight. */
export function useTranscript(conversationId: number, inSight: RowRange): TranscriptRows {
  const cache = useQueryClient()
  const head = useQuery(
    api.transcript.page.queryOptions({ input: { conversationId, offset: 0, limit: 1, contentChars: 0 } }),
  )
  const total = head.data?.total ?? null
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
    error: head.error ?? failed?.error ?? null,
    retry: () => void (head.isError ? head.refetch() : failed?.refetch()),
    messageAt,
    fetchAt,
  }
}
