import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../api.ts'
import { defaultFocus } from '../../ui/default-focus.ts'
import { trimNeighbourhood } from './trim.ts'

const DOWN = 1

type Input = {
  readonly id: string | null
  readonly selection: string | null
  readonly expanded: readonly string[]
  readonly maxPerNode: number
  /** Levels of dependents. */
  readonly up: number
}

/** What lies around a node, cut to what can be drawn. The one before stays until the next is there. */
export function useNeighbourhood({ id, selection, expanded, maxPerNode, up }: Input) {
  const input = id === null ? skipToken : { id, up, down: DOWN, maxPerNode, expanded: [...expanded] }
  const { data, error, refetch } = useQuery(
    api.lineage.neighbourhood.queryOptions({ input, placeholderData: keepPreviousData }),
  )
  const neighbourhood = useMemo(() => data && trimNeighbourhood(data, selection), [data, selection])
  return { neighbourhood, error, refetch }
}

/** The node to show while none is selected; undefined until it is known, null where there is no summary. */
export function useDefaultFocus(conversationId: number, isNeeded: boolean): string | null | undefined {
  const { data } = useQuery(
    api.strata.get.queryOptions({ input: isNeeded ? { conversationId, axis: 'messages' } : skipToken }),
  )
  return useMemo(() => data && defaultFocus(data), [data])
}
