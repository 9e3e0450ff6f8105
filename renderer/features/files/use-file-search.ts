import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { FileHit } from '#core/contract/file.ts'
import { api } from '#renderer/api.ts'
import { useDebounced } from '#renderer/ui/data/use-debounced.ts'

const PAUSE_MS = 200
const HITS = 200

export type FileSearch = {
  readonly query: string
  readonly setQuery: (query: string) => void
  /** The query to which the hits belong. */
  readonly asked: string
  readonly hits: readonly FileHit[]
  /** True when there are more hits than were fetched. */
  readonly hasMore: boolean
  readonly isSearching: boolean
  readonly error: unknown
  /** The index of the current hit, or −1. */
  readonly current: number
  readonly go: (steps: 1 | -1) => void
}

/** Finds a text in a file, and goes from hit to hit. `onHit` scrolls there. */
export function useFileSearch(id: string, onHit: (hit: FileHit) => void): FileSearch {
  const [query, setQuery] = useState('')
  const [current, setCurrent] = useState(-1)
  const asked = useDebounced(query, PAUSE_MS)
  const found = useInfiniteQuery(
    api.files.read.infiniteOptions({
      input: (fromRow: number) => ({ id, view: { kind: 'search', query: asked, fromRow, limit: HITS } }),
      initialPageParam: 0,
      getNextPageParam: (page) => page.next,
      enabled: asked !== '',
      staleTime: Number.POSITIVE_INFINITY,
    }),
  )
  const hits = asked === '' ? [] : (found.data?.pages.flatMap((page) => page.hits) ?? [])
  const go = (steps: 1 | -1): void => {
    if (hits.length === 0) return
    const next = (current + steps + hits.length) % hits.length
    if (current + steps >= hits.length && found.hasNextPage) {
      void found.fetchNextPage()
      return
    }
    setCurrent(next)
    const hit = hits[next]
    if (hit) onHit(hit)
  }
  return {
    query,
    setQuery: (text) => {
      setQuery(text)
      setCurrent(-1)
    },
    asked,
    hits,
    hasMore: found.hasNextPage,
    isSearching: found.isFetching || query !== asked,
    error: found.error,
    current,
    go,
  }
}
