import { skipToken, useQueries, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Lineage, NodeCard } from '#core/contract/lineage.ts'
import { api } from '#renderer/api.ts'
import { idOfPath, type Level, type LineageRow, rowsAbove, rowsBelow } from './lineage-rows.ts'

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

const PAGE = 200

export type Levels = {
  readonly levelOf: (id: string) => Level | undefined
  readonly open: ReadonlySet<string>
  readonly toggle: (path: string, isOpen: boolean) => void
  readonly fetchMore: (id: string) => void
  readonly error: unknown
}

/**
 * Fetches the sources of the open nodes, a page at a time.
 * @param middle id of the node in the middle, which is always open; null while there is none
 */
function useLevels(conversationId: number, middle: string | null): Levels {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [pages, setPages] = useState<ReadonlyMap<string, number>>(new Map())
  const wanted = useMemo(() => {
    const ids = new Set([...(middle === null ? [] : [middle]), ...[...open].map(idOfPath)])
    return [...ids].flatMap((of) => Array.from({ length: pages.get(of) ?? 1 }, (_, page) => ({ of, page })))
  }, [middle, open, pages])
  const answers = useQueries({
    queries: wanted.map(({ of, page }) =>
      api.lineage.treeLevel.queryOptions({ input: { conversationId, of, offset: page * PAGE, limit: PAGE } }),
    ),
  })
  const levels = useMemo(() => {
    const found = new Map<string, Level>()
    wanted.forEach(({ of }, order) => {
      const data = answers[order]?.data
      const before = found.get(of) ?? { total: 0, nodes: [], isLoading: false }
      found.set(of, {
        total: data?.total ?? before.total,
        nodes: [...before.nodes, ...(data?.nodes ?? [])],
        isLoading: before.isLoading || (data === undefined && answers[order]?.isError !== true),
      })
    })
    return found
  }, [wanted, answers])
  return {
    levelOf: (id) => levels.get(id),
    open,
    toggle: (path, isOpen) =>
      setOpen((before) => (isOpen ? new Set([...before, path]) : new Set([...before].filter((each) => each !== path)))),
    fetchMore: (id) => setPages((before) => new Map(before).set(id, (before.get(id) ?? 1) + 1)),
    error: answers.find(({ error }) => error !== null)?.error ?? null,
  }
}
