import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Lineage, NodeCard } from '../../../core/contract/lineage.ts'
import { api } from '../../api.ts'
import { type LineageRow, rowsAbove, rowsBelow } from './lineage-rows.ts'
import { type Levels, useLevels } from './use-levels.ts'

export type LineageState = {
  readonly lineage: Lineage | undefined
  readonly middle: NodeCard | undefined
  readonly rows: readonly LineageRow[]
  readonly levels: Levels
  readonly error: unknown
  readonly retry: () => void
}

/** Further up only ids are known. No sound memory is so deep. */
const UP = 8
const PER_NODE = 60

/** Returns a node, its dependents, and the open part of its sources. */
export function useLineage(conversationId: number, id: string | null): LineageState {
  const input = id === null ? skipToken : { id }
  const lineage = useQuery(api.lineage.of.queryOptions({ input }))
  const around = useQuery(
    api.lineage.neighbourhood.queryOptions({
      input: id === null ? skipToken : { id, up: UP, down: 0, maxPerNode: PER_NODE },
    }),
  )
  const cards = useMemo(() => new Map(around.data?.nodes.map((card) => [card.id, card])), [around.data])
  const middle = id === null ? undefined : cards.get(id)
  const hasSources =
    middle !== undefined && middle.kind !== 'message' && middle.kind !== 'missing' && middle.sources > 0
  const levels = useLevels(middle?.conversationId ?? conversationId, hasSources ? middle.id : null)
  const { levelOf, open } = levels
  const rows = useMemo(() => {
    if (lineage.data === undefined || middle === undefined) return []
    const above = rowsAbove(lineage.data.dependents, (one) => cards.get(one))
    const highest = above.reduce((most, row) => Math.max(most, row.level), 0)
    return [...above, ...rowsBelow(middle, levelOf, open, highest + 1)]
  }, [lineage.data, middle, cards, levelOf, open])
  return {
    lineage: lineage.data,
    middle,
    rows,
    levels,
    error: lineage.error ?? around.error ?? levels.error,
    retry: () => {
      void lineage.refetch()
      void around.refetch()
    },
  }
}
