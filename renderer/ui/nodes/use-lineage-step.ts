import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api } from '#renderer/api.ts'

export type LineageDirection = 'sources' | 'dependents'

/** Finds the first source or dependent of a node; null where there is none. */
export function useLineageStep(): (id: string, direction: LineageDirection) => Promise<string | null> {
  const queries = useQueryClient()
  return useCallback(
    async (id, direction) => {
      const input = { id, up: 1, down: 1, maxPerNode: 1 }
      const { edges } = await queries.fetchQuery(api.lineage.neighbourhood.queryOptions({ input }))
      const own = edges.filter((edge) => (direction === 'sources' ? edge.from === id : edge.to === id))
      const first = own.reduce<(typeof own)[number] | null>(
        (least, edge) => (least === null || edge.ordinal < least.ordinal ? edge : least),
        null,
      )
      if (first === null) return null
      return direction === 'sources' ? first.to : first.from
    },
    [queries],
  )
}
