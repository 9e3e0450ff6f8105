import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { GrepResult } from '../../../core/contract/retrieval.ts'
import { api } from '../../api.ts'
import { type Filters, grepRequest } from './filters.ts'
import { type Row, rowsOf } from './rows.ts'

export type Search = {
  readonly rows: readonly Row[]
  readonly hits: number
  /** The first page of what is shown; null before the first answer. */
  readonly result: GrepResult | null
  /** What is shown answers an earlier question. */
  readonly isStale: boolean
  readonly error: unknown
  readonly retry: () => void
  readonly hasMore: boolean
  readonly more: () => void
}

/** Searches as one types. The last good answer stays until there is a better one, also when there is only an error. */
export function useSearch(query: string, filters: Filters, conversationId: number | null): Search {
  const request = useMemo(() => grepRequest(query, filters, conversationId), [query, filters, conversationId])
  const search = useInfiniteQuery({
    ...api.retrieval.grep.infiniteOptions({
      input: (cursor: string | undefined) => ({ ...request, cursor }),
      initialPageParam: undefined,
      getNextPageParam: (last) => last.nextCursor ?? undefined,
    }),
    enabled: query.trim() !== '',
    placeholderData: keepPreviousData,
  })
  const [lastGood, setLastGood] = useState(search.data)
  if (search.data !== undefined && search.data !== lastGood) setLastGood(search.data)
  const pages = (search.data ?? lastGood)?.pages
  const rows = useMemo(() => rowsOf((pages ?? []).map((page) => page.hits)), [pages])
  return {
    rows,
    hits: (pages ?? []).reduce((sum, page) => sum + page.hits.length, 0),
    result: pages?.[0] ?? null,
    isStale: search.isPlaceholderData || search.isError,
    error: search.error,
    retry: () => void search.refetch(),
    hasMore: (pages?.at(-1)?.nextCursor ?? null) !== null,
    more: () => {
      if (search.hasNextPage && !search.isFetchingNextPage && !search.isPlaceholderData) void search.fetchNextPage()
    },
  }
}
