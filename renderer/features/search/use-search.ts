import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import type { GrepHit, GrepRequest } from '#core/contract/retrieval.ts'
import { client } from '#renderer/api.ts'
import { useLive } from '#renderer/live.ts'
import { useRoutePart } from '#renderer/routes.ts'
import { keepFound } from '#renderer/ui/texts/found-texts.ts'
import { type SearchDoor, SearchSession, type SearchState } from './search-session.ts'

export type Search = SearchState & {
  /** True when the file has changed since the search, which was not repeated. */
  readonly isBehind: boolean
  readonly stop: () => void
  readonly again: () => void
  readonly more: () => void
}

/**
 * The key of the query cache under which the last answer outlives the view, so that coming back from a hit shows the
 * same list.
 */
const KEPT = ['search', 'last']
/** A busy agent writes many times a second. */
const REFRESH_EVERY_MS = 800
/**
 * An answer that took no longer than this is fetched again when the file changes. A slower one is fetched on request.
 */
const QUICK_MS = 300

const door: SearchDoor = {
  stream: (request, signal) => client.retrieval.grepStream(request, { signal }),
  page: (request, signal) => client.retrieval.grep(request, { signal }),
}

/**
 * Searches while the user types.
 * @param isAtTop true while the user has not moved in the hits, so that newer ones may be inserted
 */
export function useSearch(request: GrepRequest | null, isAtTop: boolean): Search {
  const queries = useQueryClient()
  const [session] = useState(() => new SearchSession(door, queries.getQueryData<SearchState>(KEPT)))
  const state = useSyncExternalStore(session.subscribe, session.snapshot)
  useEffect(() => session.ask(request), [session, request])
  useEffect(
    () => () => {
      session.stop()
      queries.setQueryData(KEPT, session.snapshot())
    },
    [session, queries],
  )

  const { changedAtMs, paused } = useLive()
  const isBehind = state.phase === 'done' && changedAtMs !== null && changedAtMs > state.askedAtMs
  const isRefreshed =
    isBehind && !paused && isAtTop && state.pages.length <= 1 && (state.result?.tookMs ?? 0) < QUICK_MS
  useEffect(() => {
    if (!isRefreshed) return
    const timer = setTimeout(() => session.again(), REFRESH_EVERY_MS)
    return () => clearTimeout(timer)
  }, [session, isRefreshed])

  return {
    ...state,
    isBehind: isBehind && !isRefreshed,
    stop: () => session.stop(),
    again: () => session.again(),
    more: () => session.more(),
  }
}

/**
 * Keeps what was found in the selected hit, so that it is marked in the detail panel: by the search that found the hit,
 * also while the next one runs.
 * @returns what keeps the same of a hit that is opened
 */
export function useKeptFound({ foundBy, pages }: Search): (hit: GrepHit) => void {
  const queries = useQueryClient()
  const selection = useRoutePart('selection')
  const keep = useCallback(
    ({ id, field, snippet, matches }: GrepHit) => {
      const texts = matches.map(([from, to]) => snippet.slice(from, to))
      keepFound(queries, id, { texts, search: foundBy, field })
    },
    [queries, foundBy],
  )
  useEffect(() => {
    const hit = pages.flat().find(({ id }) => id === selection)
    if (hit) keep(hit)
  }, [keep, pages, selection])
  return keep
}
