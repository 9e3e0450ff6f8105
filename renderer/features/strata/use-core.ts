import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { client } from '../../api.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { type Core, coreOf } from './core-drill.ts'
import { messageNumber, type SelectedRange } from './selected-range.ts'
import type { SummaryIndex } from './summary-index.ts'

/** Who goes through messages by keys does not wait for the trace of each. */
const SETTLE_MS = 400
const STALE_MS = 30_000

/** Returns what survives of the selected message in every layer above it. Null for anything else, and until it is known. */
export function useCore(selection: string | null, selected: SelectedRange | null, index: SummaryIndex): Core | null {
  const settled = useDebounced(selection, SETTLE_MS)
  const id = settled === selection && settled !== null && messageNumber(settled) !== null ? settled : null
  const { data } = useQuery({
    queryKey: ['trace', 'layers', id],
    queryFn: id === null ? skipToken : ({ signal }) => client.trace.fact({ id, ladderOnly: true }, { signal }),
    staleTime: STALE_MS,
    retry: false,
  })
  return useMemo(
    () => (id === null || data === undefined || selected === null ? null : coreOf(data, index, selected)),
    [id, data, selected, index],
  )
}
