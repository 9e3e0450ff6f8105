import { useQueries } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '#renderer/api.ts'
import { type FetchedLevel, flattenTree, idOfPath, type TreeRow } from './tree-rows.ts'

const PAGE = 200

export type Tree = {
  readonly rows: readonly TreeRow[]
  readonly error: unknown
  readonly refetch: () => void
  readonly toggle: (path: string, isOpen: boolean) => void
  readonly fetchMore: (of: string | null) => void
}

/** The summary tree, fetched a page at a time where it is open. */
export function useTree(conversationId: number): Tree {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  /** The number of pages below a node. A node without an entry has one. */
  const [pages, setPages] = useState<ReadonlyMap<string | null, number>>(new Map())
  const wanted = useMemo(() => {
    const below: readonly (string | null)[] = [null, ...new Set([...open].map(idOfPath))]
    return below.flatMap((of) => Array.from({ length: pages.get(of) ?? 1 }, (_, page) => ({ of, page })))
  }, [open, pages])
  const answers = useQueries({
    queries: wanted.map(({ of, page }) =>
      api.lineage.treeLevel.queryOptions({ input: { conversationId, of, offset: page * PAGE, limit: PAGE } }),
    ),
  })
  const rows = useMemo(() => {
    const levels = new Map<string | null, FetchedLevel>()
    wanted.forEach(({ of }, order) => {
      const data = answers[order]?.data
      const before = levels.get(of) ?? { total: 0, nodes: [], isLoading: false }
      levels.set(of, {
        total: data?.total ?? before.total,
        nodes: [...before.nodes, ...(data?.nodes ?? [])],
        isLoading: before.isLoading || data === undefined,
      })
    })
    return flattenTree((id) => levels.get(id), open)
  }, [wanted, answers, open])
  return {
    rows,
    error: answers.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => {
      for (const answer of answers) void answer.refetch()
    },
    toggle: (path, isOpen) =>
      setOpen((before) => (isOpen ? new Set([...before, path]) : new Set([...before].filter((each) => each !== path)))),
    fetchMore: (of) => setPages((before) => new Map(before).set(of, (before.get(of) ?? 1) + 1)),
  }
}
