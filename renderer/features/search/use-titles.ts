import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { GrepHit } from '../../../core/contract/retrieval.ts'
import { api } from '../../api.ts'
import { conversationName } from '../../ui/format.ts'

export type Titles = {
  readonly of: (conversationId: number) => string
  /** The memory holds more than one conversation. */
  readonly areMany: boolean
}

/** So many conversations are named, those of the first hits. */
const MOST = 1000

/** The names of the conversations of hits. */
export function useTitles(pages: readonly (readonly GrepHit[])[]): Titles {
  const conversationIds = useMemo(() => {
    const ids = new Set(pages.flatMap((hits) => hits.map(({ conversationId }) => conversationId)))
    return [...ids].slice(0, MOST)
  }, [pages])
  const { data } = useQuery(
    api.conversations.list.queryOptions({
      input: { conversationIds, limit: MOST },
      enabled: conversationIds.length > 0,
      placeholderData: keepPreviousData,
    }),
  )
  return useMemo(() => {
    const titles = new Map(data?.conversations.map((row) => [row.conversationId, conversationName(row)]))
    return { of: (id) => titles.get(id) ?? `conversation ${id}`, areMany: (data?.total ?? 1) > 1 }
  }, [data])
}
