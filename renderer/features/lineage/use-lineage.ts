import { skipToken, useQueries, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Lineage, NodeCard } from '#core/contract/lineage.ts'
import { api } from '#renderer/api.ts'
import { idOfPath, type Level, type LineageRow, rowsAbove, rowsBelow, rowsOfAll } from './lineage-rows.ts'

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

/**
 * Returns a node, its dependents, and the open part of its sources. Without a node these are the summaries from which no
 * other one was made.
 */
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
  const levels = useLevels(
    middle?.conversationId ?? conversationId,
    id === null ? null : hasSources ? middle.id : undefined,
  )
  const { levelOf, open } = levels
  const rows = useMemo(() => {
    if (id === null) return rowsOfAll(levelOf, open)
    if (lineage.data === undefined || middle === undefined) return []
    const above = rowsAbove(lineage.data.dependents, (one) => cards.get(one))
    const highest = above.reduce((most, row) => Math.max(most, row.level), 0)
    return [...above, ...rowsBelow(middle, levelOf, open, highest + 1)]
  }, [id, lineage.data, middle, cards, levelOf, open])
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
  readonly levelOf: (of: string | null) => Level | undefined
  readonly open: ReadonlySet<string>
  readonly toggle: (path: string, isOpen: boolean) => void
  readonly fetchMore: (of: string | null) => void
  readonly error: unknown
}

/**
 * Fetches the sources of the open nodes, a page at a time.
 * @param top what is always open: the node in the middle, or null for the tops of all trees; undefined while it is not known
 */
function useLevels(conversationId: number, top: string | null | undefined): Levels {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [pages, setPages] = useState<ReadonlyMap<string | null, number>>(new Map())
  const wanted = useMemo(() => {
    return [...new Set([top, ...[...open].map(idOfPath)])]
      .filter((of) => of !== undefined)
      .flatMap((of) => Array.from({ length: pages.get(of) ?? 1 }, (_, page) => ({ of, page })))
  }, [top, open, pages])
  const answers = useQueries({
    queries: wanted.map(({ of, page }) =>
      api.lineage.treeLevel.queryOptions({ input: { conversationId, of, offset: page * PAGE, limit: PAGE } }),
    ),
  })
  const levels = useMemo(() => {
    const found = new Map<string | null, Level>()
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
    levelOf: (of) => levels.get(of),
    open,
    toggle: (path, isOpen) =>
      setOpen((before) => (isOpen ? new Set([...before, path]) : new Set([...before].filter((each) => each !== path)))),
    fetchMore: (of) => setPages((before) => new Map(before).set(of, (before.get(of) ?? 1) + 1)),
    error: answers.find(({ error }) => error !== null)?.error ?? null,
  }
}
