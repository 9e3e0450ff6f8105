import { classNames } from '../../ui/class-names.ts'
import { Tree, type TreeLine } from '../../ui/tree.tsx'
import { indentOf, type LineageNode, type LineageRow } from './lineage-rows.ts'
import styles from './lineage-tree.module.css'
import { LineageTreeRow, titleOf } from './lineage-tree-row.tsx'

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

const INDENT_PX = 14

/** Dependents above, the node, its sources below. The keys are those of the view. */
export function LineageTreeList({ rows, currentPath, isOutside, onPick, onToggle, onOpen }: Props) {
  return (
    <Tree
      label="Dependents, the node, and its sources"
      rows={rows}
      lineOf={lineOf}
      currentPath={currentPath}
      isSelected={({ path }) => path === currentPath}
      titleOf={(row) => (row.kind === 'node' ? titleOf(row.node) : undefined)}
      rowClass={(row) =>
        row.kind === 'node'
          ? classNames(
              row.side === 'middle' && styles.middle,
              row.path !== currentPath && isOutside(row.node) && styles.dimmed,
            )
          : undefined
      }
      indentOf={(level) => 8 + indentOf(level) * INDENT_PX}
      onPick={onPick}
      onToggle={({ path }, isOpen) => onToggle(path, isOpen)}
      onOpen={onOpen}
    >
      {(row) => <LineageTreeRow row={row} />}
    </Tree>
  )
}

/** What is above the node in the middle is always shown. */
const lineOf = (row: LineageRow): TreeLine => ({
  path: row.path,
  level: row.level,
  isOpen: row.kind === 'node' && row.canOpen && row.side === 'below' ? row.isOpen : undefined,
})
