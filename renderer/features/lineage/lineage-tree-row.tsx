import type { MouseEvent } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { nodeLabel, nodeTextColor } from '../../ui/depth-color.ts'
import { DepthSwatch } from '../../ui/depth-swatch.tsx'
import { FindingMark } from '../../ui/finding-mark.tsx'
import { formatCount, plural, shortenId } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { MarkedText } from '../../ui/marked-text.tsx'
import tree from '../../ui/tree.module.css'
import { useName } from '../../ui/use-names.ts'
import { indentOf, type LineageMark, type LineageNode, type LineageRow } from './lineage-rows.ts'
import styles from './lineage-tree.module.css'

type Props = {
  readonly id: string
  readonly row: LineageRow
  readonly isCurrent: boolean
  readonly isDimmed: boolean
  readonly onPick: () => void
  readonly onToggle: (isOpen: boolean) => void
  readonly onOpen: () => void
}

const INDENT_PX = 14
const MARKS: Readonly<Record<Exclude<LineageMark, null>, { readonly text: string; readonly hint: string }>> = {
  cycle: { text: 'cycle', hint: 'It rests on itself: the lineage leads back to where it was' },
  repeated: { text: 'again', hint: 'It stands in this tree before' },
  cut: { text: 'goes on', hint: 'Too deep to be shown in one piece: put it in the middle to see further' },
}

/** One line of the tree. */
export function LineageTreeRow({ id, row, isCurrent, isDimmed, onPick, onToggle, onOpen }: Props) {
  const isNode = row.kind === 'node'
  const toggle = (event: MouseEvent) => {
    event.stopPropagation()
    if (isNode) onToggle(!row.isOpen)
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the view
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its active row
    <div
      id={id}
      className={classNames(
        tree.row,
        isCurrent && tree.selected,
        isCurrent && tree.current,
        isNode && row.side === 'middle' && styles.middle,
        isDimmed && styles.dimmed,
      )}
      style={{ paddingLeft: 8 + indentOf(row.level) * INDENT_PX }}
      role="treeitem"
      aria-level={row.level}
      aria-selected={isCurrent}
      {...(isNode && row.canOpen && { 'aria-expanded': row.isOpen })}
      title={isNode ? titleOf(row.node) : undefined}
      onClick={onPick}
      onDoubleClick={onOpen}
    >
      {isNode && (
        <>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: Space does the same */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
          <span
            className={tree.twist}
            data-open={row.isOpen}
            onClick={row.canOpen && row.side === 'below' ? toggle : undefined}
          >
            {row.canOpen && row.side === 'below' && <Icon name="chevronRight" />}
          </span>
          <DepthSwatch node={row.node} />
          <NodeName node={row.node} />
          <FindingMark id={row.node.id} />
          {row.mark !== null && (
            <span className={styles.mark} title={MARKS[row.mark].hint}>
              {MARKS[row.mark].text}
            </span>
          )}
          {row.node.visibility === 'in_window' && (
            <span className={styles.window} role="img" aria-label="in the window" title="In the window" />
          )}
          {row.node.kind !== 'message' && <span className={styles.id}>{shortenId(row.node.id, 11)}</span>}
        </>
      )}
      {row.kind === 'more' && <span className={tree.more}>{plural(row.left, 'more source')}: Enter shows them</span>}
      {row.kind === 'loading' && <span className={tree.facts}>loading…</span>}
    </div>
  )
}

/** What a node is called. A message begins with its role. */
function NodeName({ node }: { readonly node: LineageNode }) {
  const name = useName(node.id)
  const text = name ?? (node.kind === 'missing' ? `not in the file: ${node.id}` : shortenId(node.id, 13))
  return (
    <span className={styles.name} style={{ color: nodeTextColor(node) }}>
      <bdi>
        <MarkedText text={node.kind === 'message' ? `${nodeLabel(node)} · ${text}` : text} />
      </bdi>
    </span>
  )
}

function seqText({ firstSeq, lastSeq }: LineageNode): string {
  if (firstSeq === null || lastSeq === null) return ''
  return firstSeq === lastSeq ? `seq ${formatCount(firstSeq)}` : `${formatCount(firstSeq)} – ${formatCount(lastSeq)}`
}

function titleOf(node: LineageNode): string {
  if (node.kind === 'missing') return `${node.id} is named as a source or dependent, and is not in the file`
  return [node.excerpt, node.id, nodeLabel(node), seqText(node), plural(node.tokens, 'token')]
    .filter((line) => line !== undefined && line !== '')
    .join('\n')
}
