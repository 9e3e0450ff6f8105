import { useQueries } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../../api.ts'
import { idOfPath, type Level } from './lineage-rows.ts'

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
export function useLevels(conversationId: number, middle: string | null): Levels {
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
