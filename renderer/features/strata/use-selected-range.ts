import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Strata } from '../../../core/contract/strata.ts'
import { api } from '../../api.ts'
import type { Buckets } from './buckets.ts'
import type { SelectedRange } from './selected-range.ts'
import { messageNumber, rangeOfMessage, rangeOfSummary } from './selected-range.ts'
import type { SummaryIndex } from './summary-index.ts'

/** Where the selection stands on x. Counted in messages its place is known exactly, otherwise as fine as the columns. */
export function useSelectedRange(
  strata: Strata,
  index: SummaryIndex,
  selection: string | null,
  buckets: Buckets | null,
): SelectedRange | null {
  const number = selection === null ? null : messageNumber(selection)
  const isPosition = strata.axis === 'messages'
  const { data: located } = useQuery(
    api.transcript.locate.queryOptions({
      input: selection !== null && number !== null && isPosition ? { id: selection } : skipToken,
    }),
  )
  return useMemo(() => {
    if (selection === null) return null
    const summary = rangeOfSummary(strata, index, selection)
    if (summary || number === null) return summary
    if (!isPosition) return buckets && rangeOfMessage(buckets, number)
    if (located === undefined || located.conversationId !== strata.conversationId) return null
    return { x0: located.position, x1: located.position + 1, place: null, depth: -1 }
  }, [selection, strata, index, number, isPosition, buckets, located])
}
