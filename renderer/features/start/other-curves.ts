import { skipToken, type UseQueryResult, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ConversationsInput } from '#core/contract/memory.ts'
import { api } from '#renderer/api.ts'
import { timelineOf } from '#renderer/ui/data/timeline-query.ts'
import { conversationName } from '#renderer/ui/texts/format.ts'
import type { ChartAxis } from './chart-axis.ts'
import { type CurvePoint, pressureCurve } from './pressure-curve.ts'

/** Another conversation in the chart of one. */
export type OtherCurve = {
  readonly conversationId: number
  readonly name: string
  readonly originMs: number
  readonly points: readonly CurvePoint[]
}

/** At most this many other conversations are drawn: those with the fullest windows. */
const MOST_CURVES = 5
/** A longer conversation is read only when it is selected. */
const MOST_MESSAGES = 20_000
/** Columns of messages: as many as the chart of a single conversation asks for. */
export const BUCKETS = 1024
/** Curves are kept this long after they left the chart. */
const KEPT_MS = 10 * 60_000

const keptTimelineOf = (conversationId: number) => ({ ...timelineOf(conversationId), gcTime: KEPT_MS, retry: false })
const columnsOf = (conversationId: number) =>
  api.strata.messages.queryOptions({
    input: { conversationId, axis: 'time', x0: 0, buckets: BUCKETS },
    gcTime: KEPT_MS,
    retry: false,
  })

/** On an axis of messages, which every conversation counts for itself, no others are asked for. */
export const fullestOptions = (axis: ChartAxis, question: Partial<ConversationsInput>) =>
  api.conversations.list.queryOptions({
    input: axis === 'time' ? { ...question, sort: 'pressure', limit: MOST_CURVES + 1 } : skipToken,
  })

/**
 * Returns the curves of the fullest of some conversations besides the selected one. They are read one after another,
 * and never more than a few, however many conversations there are.
 */
export function useOtherCurves(
  selected: number,
  axis: ChartAxis,
  question: Partial<ConversationsInput>,
): readonly OtherCurve[] {
  const queries = useQueryClient()
  const fullest = useQuery(fullestOptions(axis, question))
  const rows = useMemo(
    () =>
      (fullest.data?.conversations ?? [])
        .filter(
          ({ conversationId, messages }) => conversationId !== selected && messages > 1 && messages <= MOST_MESSAGES,
        )
        .slice(0, MOST_CURVES),
    [fullest.data, selected],
  )
  const isUnread = (key: readonly unknown[]): boolean => {
    const state = queries.getQueryState(key)
    return state === undefined || state.status === 'pending' || state.isInvalidated
  }
  const next = rows.find(
    ({ conversationId: id }) => isUnread(keptTimelineOf(id).queryKey) || isUnread(columnsOf(id).queryKey),
  )?.conversationId
  const timelines = useQueries({
    queries: rows.map(({ conversationId: id }) => ({ ...keptTimelineOf(id), enabled: id === next })),
    combine: answersOf,
  })
  const columns = useQueries({
    queries: rows.map(({ conversationId: id }) => ({ ...columnsOf(id), enabled: id === next })),
    combine: answersOf,
  })
  return useMemo(
    () =>
      rows.flatMap((row, index) => {
        const [timeline, of] = [timelines[index]?.data, columns[index]?.data]
        if (timeline === undefined || of?.originMs === undefined) return []
        return {
          conversationId: row.conversationId,
          name: conversationName(row),
          originMs: of.originMs,
          points: pressureCurve(of, timeline.events, timeline.prunings),
        }
      }),
    [rows, timelines, columns],
  )
}

/** Changes with the end of each fetch, also of one that failed or brought nothing new: then the next one is read. */
const answersOf = <Data>(results: UseQueryResult<Data>[]) =>
  results.map(({ data, dataUpdatedAt, errorUpdatedAt }) => ({ data, dataUpdatedAt, errorUpdatedAt }))
