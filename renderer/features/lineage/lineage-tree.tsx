import { useEffect, useId, useRef } from 'react'
import { Virtuoso, type VirtuosoHandle } from 'react-virtuoso'
import tree from '../../ui/tree.module.css'
import type { LineageNode, LineageRow } from './lineage-rows.ts'
import { LineageTreeRow } from './lineage-tree-row.tsx'

type Props = {
  readonly rows: readonly LineageRow[]
  /** Path of the line that the keys are on. */
  readonly currentPath: string | null
  /** Whether a node stands for none of the messages to which the views are limited. */
  readonly isOutside: (node: LineageNode) => boolean
  readonly onPick: (row: LineageRow) => void
  readonly onToggle: (path: string, isOpen: boolean) => void
  readonly onOpen: (row: LineageRow) => void
}

const ROW_PX = 26

/** Dependents above, the node, its sources below. The keys are those of the view. */
export function LineageTreeList({ rows, currentPath, isOutside, onPick, onToggle, onOpen }: Props) {
  const id = useId()
  const list = useRef<VirtuosoHandle>(null)
  const at = rows.findIndex(({ path }) => path === currentPath)
  useEffect(() => {
    if (at >= 0) list.current?.scrollIntoView({ index: at })
  }, [at])
  return (
    <Virtuoso
      ref={list}
      className={tree.tree}
      role="tree"
      aria-label="Dependents, the node, and its sources"
      aria-activedescendant={at >= 0 ? `${id}${at}` : undefined}
      tabIndex={0}
      fixedItemHeight={ROW_PX}
      totalCount={rows.length}
      initialTopMostItemIndex={at > 8 ? { index: at, align: 'center' } : 0}
      computeItemKey={(index) => rows[index]?.path ?? index}
      itemContent={(index) => {
        const row = rows[index]
        return (
          row && (
            <LineageTreeRow
              id={`${id}${index}`}
              row={row}
              isCurrent={index === at}
              isDimmed={row.kind === 'node' && index !== at && isOutside(row.node)}
              onPick={() => onPick(row)}
              onToggle={(isOpen) => onToggle(row.path, isOpen)}
              onOpen={() => onOpen(row)}
            />
          )
        )
      }}
    />
  )
}
