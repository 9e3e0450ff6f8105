import type { NodeCard } from '#core/contract/lineage.ts'

/** The fetched nodes below a node, or the roots: the first of `total`. */
export type FetchedLevel = { readonly total: number; readonly nodes: readonly NodeCard[]; readonly isLoading: boolean }

export type TreeRow =
  | {
      readonly kind: 'node'
      /**
       * Ids from the root down, because the same node may be below several others, and below itself in a damaged file.
       */
      readonly path: string
      readonly card: NodeCard
      /** The level from 1, as screen readers count. */
      readonly level: number
      readonly position: number
      readonly setSize: number
      readonly isOpen: boolean
    }
  | {
      readonly kind: 'more'
      readonly path: string
      readonly of: string | null
      readonly level: number
      readonly left: number
    }
  | { readonly kind: 'loading'; readonly path: string; readonly level: number }

const SEPARATOR = '\n'

export const pathBelow = (path: string, id: string): string => (path === '' ? id : `${path}${SEPARATOR}${id}`)

export const pathAbove = (path: string): string => path.split(SEPARATOR).slice(0, -1).join(SEPARATOR)

export const idOfPath = (path: string): string => path.split(SEPARATOR).at(-1) ?? ''

export const canOpen = (card: NodeCard): boolean => card.kind !== 'message' && card.sources > 0

/** The open part of the tree as rows from top to bottom. `levelOf(null)` are the roots. */
export function flattenTree(
  levelOf: (id: string | null) => FetchedLevel | undefined,
  open: ReadonlySet<string>,
): readonly TreeRow[] {
  const rows: TreeRow[] = []
  const add = (of: string | null, path: string, level: number) => {
    const fetched = levelOf(of)
    fetched?.nodes.forEach((card, order) => {
      const own = pathBelow(path, card.id)
      const isOpen = open.has(own) && canOpen(card)
      rows.push({ kind: 'node', path: own, card, level, position: order + 1, setSize: fetched.total, isOpen })
      if (isOpen) add(card.id, own, level + 1)
    })
    const left = fetched ? fetched.total - fetched.nodes.length : 0
    if (fetched === undefined || fetched.isLoading) rows.push({ kind: 'loading', path: `${path}${SEPARATOR}…`, level })
    else if (left > 0) rows.push({ kind: 'more', path: `${path}${SEPARATOR}+`, of, level, left })
  }
  add(null, '', 1)
  return rows
}
