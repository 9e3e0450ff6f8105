import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Strata, StrataAxis, StrataMessages } from '#core/contract/strata.ts'
import { api } from '#renderer/api.ts'
import type { ColorBy } from './bar-color.ts'
import { type Buckets, toBuckets } from './buckets.ts'
import type { Tile } from './tiles.ts'
import type { Viewport } from './viewport.ts'

const KEPT_MS = 30_000

/**
 * Fetches the strata of a conversation. The previous answer stays while another axis is fetched, but not for another
 * conversation.
 */
export const useStrata = (conversationId: number, axis: StrataAxis, freshTailCount?: number) =>
  useQuery(
    api.strata.get.queryOptions({
      input: { conversationId, axis, ...(freshTailCount !== undefined && { freshTailCount }) },
      placeholderData: (previous) => (previous?.conversationId === conversationId ? previous : undefined),
    }),
  )

/**
 * The messages of a tile, and those of the tile before while they are being fetched. Must be asked for one conversation
 * and axis as long as the component lives: an answer does not say what it belongs to.
 */
export function useBuckets(
  { conversationId, axis }: Pick<Strata, 'conversationId' | 'axis'>,
  tile: Tile | null,
  colorBy: ColorBy,
): Buckets | null {
  const input = tile === null ? skipToken : { conversationId, axis, ...tile }
  const { data, isPlaceholderData } = useQuery(
    api.strata.messages.queryOptions({ input, placeholderData: keepPreviousData, gcTime: KEPT_MS }),
  )
  const isCounted = colorBy === 'survival' && data !== undefined && !isPlaceholderData
  const columns = isCounted ? { conversationId, firstMessages: data.firstMessage, counts: data.count } : skipToken
  const { data: survival } = useQuery(
    api.trace.survivalColumns.queryOptions({ input: columns, gcTime: KEPT_MS, retry: false }),
  )
  const x0 = tile?.x0
  const x1 = tile?.x1
  return useMemo(() => {
    if (data === undefined || x0 === undefined || x1 === undefined) return null
    return { ...toBuckets(data, isPlaceholderData ? rangeOf(data) : { x0, x1 }), survival }
  }, [data, isPlaceholderData, survival, x0, x1])
}

const rangeOf = ({ x0, x1 }: StrataMessages): Viewport => ({ x0: x0[0] ?? 0, x1: x1.at(-1) ?? 0 })
