import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { LineLevel, LogLine, LogPage } from '#core/contract/activity.ts'
import { api } from '#renderer/api.ts'
import { navigate, useShownOf } from '#renderer/routes.ts'
import { useDebounced } from '#renderer/ui/data/use-debounced.ts'
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

const LEVELS: readonly LineLevel[] = ['debug', 'info', 'warn', 'error']
const FIRST: Omit<LogFilter, 'isFollowing'> = {
  of: 'this',
  days: 7,
  levels: ['info', 'warn', 'error'],
  query: '',
  range: null,
}

/** Reads the filter of an address. Missing and invalid values get their defaults. */
function parseLogFilter(params: URLSearchParams): Omit<LogFilter, 'isFollowing'> {
  const text = (name: string): string => params.get(`activity.${name}`) ?? ''
  const levels = LEVELS.filter((level) => text('levels').split('.').includes(level))
  const [, fromMs, toMs] = /^(\d{1,15})-(\d{1,15})$/.exec(text('range')) ?? []
  return {
    of: text('of') === 'all' ? 'all' : FIRST.of,
    days: /^[1-9]\d{0,3}$/.test(text('days')) ? Number(text('days')) : FIRST.days,
    levels: levels.length > 0 ? levels : FIRST.levels,
    query: text('query'),
    range: Number(fromMs) < Number(toMs) ? { fromMs: Number(fromMs), toMs: Number(toMs) } : null,
  }
}

/** The inverse of {@link parseLogFilter}: what the address says, null for a default. */
function logFilterTexts({ of, days, levels, query, range }: Omit<LogFilter, 'isFollowing'>) {
  const chosen = LEVELS.filter((level) => levels.includes(level)).join('.')
  return {
    'activity.of': of === FIRST.of ? null : of,
    'activity.days': days === FIRST.days ? null : String(days),
    'activity.levels': chosen === FIRST.levels.join('.') ? null : chosen,
    'activity.query': query,
    'activity.range': range && `${Math.round(range.fromMs)}-${Math.round(range.toMs)}`,
  }
}

export type Logs = {
  readonly filter: LogFilter
  readonly change: (patch: Partial<LogFilter>) => void
  readonly history: ReturnType<typeof useHistory>
  readonly log: ReturnType<typeof useLog>
}

export function useLogs(): Logs {
  const text = useShownOf('activity')
  const [isFollowing, setFollowing] = useState(true)
  const filter = useMemo(() => ({ ...parseLogFilter(new URLSearchParams(text)), isFollowing }), [text, isFollowing])
  const change = ({ isFollowing: next, ...patch }: Partial<LogFilter>) => {
    if (next !== undefined) setFollowing(next)
    navigate({ shown: logFilterTexts({ ...filter, ...patch }) }, 'replace')
  }
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
      input: { of: 'all', levels: [...LEVELS], query: run ?? '', limit: PAGE },
      enabled: run !== undefined,
      select: (page: LogPage) => page.lines.filter(({ compaction_id }) => compaction_id === run).toReversed(),
    }),
  )
}
