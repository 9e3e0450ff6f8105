import tree from '#renderer/features/lineage/tree.module.css'
import { Tree, type TreeLine } from '#renderer/features/lineage/tree.tsx'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { nodeLabel, nodeTextColor } from '#renderer/ui/nodes/depth-color.ts'
import { DepthSwatch } from '#renderer/ui/nodes/depth-swatch.tsx'
import { FindingMark, NoteMark } from '#renderer/ui/nodes/node-marks.tsx'
import { useName } from '#renderer/ui/nodes/use-names.ts'
import { plural, shortenId } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { indentOf, type LineageMark, type LineageNode, type LineageRow } from './lineage-rows.ts'
import styles from './lineage-view.module.css'

type Props = {
  readonly rows: readonly LineageRow[]
  /** True where the tree begins with the tops of all trees, not with one node. */
  readonly isOfAll: boolean
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
export function LineageTreeList({ rows, isOfAll, currentPath, isOutside, onPick, onToggle, onOpen }: Props) {
  return (
    <Tree
      label={isOfAll ? 'Summaries and what they stand for' : 'Dependents, the summary, and its sources'}
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
  ...(row.kind === 'node' && row.position !== undefined && { position: row.position, setSize: row.setSize }),
})

const MARKS: Readonly<Record<Exclude<LineageMark, null>, { readonly text: string; readonly hint: string }>> = {
  cycle: { text: 'cycle', hint: 'It rests on itself: the lineage leads back to where it was' },
  repeated: { text: 'again', hint: 'It stands in this tree before' },
  cut: { text: 'goes on', hint: 'Too deep to be shown in one piece: put it in the middle to see further' },
}

/** What a line of the tree says. */
function LineageTreeRow({ row }: { readonly row: LineageRow }) {
  if (row.kind === 'loading') return <span className={tree.facts}>loading…</span>
  if (row.kind === 'more') return <span className={tree.more}>{plural(row.left, 'more source')}: Enter shows them</span>
  return (
    <>
      <DepthSwatch node={row.node} />
      <LineageNodeName node={row.node} />
      <FindingMark id={row.node.id} />
      <NoteMark id={row.node.id} />
      {row.mark !== null && (
        <span className={styles.mark} title={MARKS[row.mark].hint}>
          {MARKS[row.mark].text}
        </span>
      )}
      {row.node.visibility === 'in_window' && (
        <span className={styles.window} role="img" aria-label="in the window" title="In the window" />
      )}
    </>
  )
}

/** What a node is called. A message begins with its role. */
function LineageNodeName({ node }: { readonly node: LineageNode }) {
  const name = useName(node.id)
  const text = name ?? (node.kind === 'missing' ? `not in the file: ${node.id}` : shortenId(node.id, 13))
  return (
    <span className={styles.treeName} style={{ color: nodeTextColor(node) }} title={node.id}>
      <bdi className="cut">
        <MarkedText text={node.kind === 'message' ? `${nodeLabel(node)} · ${text}` : text} />
      </bdi>
    </span>
  )
}

function titleOf(node: LineageNode): string {
  if (node.kind === 'missing') return `${node.id} is named as a source or dependent, and is not in the file`
  return [node.excerpt, node.id, nodeLabel(node), plural(node.tokens, 'token')]
    .filter((line) => line !== undefined && line !== '')
    .join('\n')
}
