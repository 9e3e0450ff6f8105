import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { LineLevel, LogLine, LogPage } from '../../../core/contract/activity.ts'
import { api } from '../../api.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import type { TimeRange } from './chart-scale.ts'

export type Of = 'this' | 'all'
const FOLLOW_MS = 2_000
const HISTORY_MS = 10_000
const TYPING_MS = 150
const PAGE = 200

/** What is asked of the log, and what is shown of it. */
type LogFilter = {
  readonly of: Of
  readonly days: number
  readonly levels: readonly LineLevel[]
  readonly query: string
  readonly range: TimeRange | null
  readonly isFollowing: boolean
}

const FIRST: LogFilter = {
  of: 'this',
  days: 6,
  levels: ['info', 'warn', 'error'],
  query: '',
  range: null,
  isFollowing: true,
}

export type Logs = {
  readonly filter: LogFilter
  readonly change: (patch: Partial<LogFilter>) => void
  readonly history: ReturnType<typeof useHistory>
  readonly log: ReturnType<typeof useLog>
}

export function useLogs(): Logs {
  const [filter, setFilter] = useState(FIRST)
  const change = (patch: Partial<LogFilter>) => setFilter((before) => ({ ...before, ...patch }))
  return { filter, change, history: useHistory(filter), log: useLog(filter) }
}

function useHistory({ of, days }: LogFilter) {
  return useQuery(
    api.activity.history.queryOptions({
      input: { of, days },
      placeholderData: keepPreviousData,
      refetchInterval: HISTORY_MS,
    }),
  )
}

function useLog({ of, levels, query, range, isFollowing }: LogFilter) {
  const typed = useDebounced(query, TYPING_MS)
  return useInfiniteQuery(
    api.activity.log.infiniteOptions({
      input: (cursor: string | undefined) => ({
        of,
        levels: [...levels],
        query: typed,
        limit: PAGE,
        ...(range !== null && { sinceMs: range.fromMs, untilMs: range.toMs }),
        ...(cursor !== undefined && { cursor }),
      }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page: LogPage) => page.nextCursor ?? undefined,
      placeholderData: keepPreviousData,
      // New lines would disturb a user who reads further back.
      refetchInterval: (asked) => (isFollowing && (asked.state.data?.pages.length ?? 0) < 2 ? FOLLOW_MS : false),
    }),
  )
}

/** The lines of one compaction run, oldest first. */
export function useRunLines(line: LogLine) {
  const { compaction_id: run } = line
  return useQuery(
    api.activity.log.queryOptions({
      input: { of: 'all', levels: ['debug', 'info', 'warn', 'error'], query: run ?? '', limit: PAGE },
      enabled: run !== undefined,
      select: (page: LogPage) => page.lines.filter(({ compaction_id }) => compaction_id === run).toReversed(),
    }),
  )
}
