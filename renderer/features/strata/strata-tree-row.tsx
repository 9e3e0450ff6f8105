import type { MouseEvent } from 'react'
import type { NodeCard } from '../../../core/contract/lineage.ts'
import { classNames } from '../../ui/class-names.ts'
import { nodeLabel } from '../../ui/depth-color.ts'
import { DepthSwatch } from '../../ui/depth-swatch.tsx'
import { FindingMark } from '../../ui/finding-mark.tsx'
import { formatCompression, formatTokens, plural } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { MarkedText } from '../../ui/marked-text.tsx'
import tree from '../../ui/tree.module.css'
import { useName } from '../../ui/use-names.ts'
import styles from './strata-tree.module.css'
import { canOpen, type TreeRow } from './tree-rows.ts'

type Props = {
  readonly id: string
  readonly row: TreeRow
  readonly isSelected: boolean
  /** True when it has the keyboard focus. */
  readonly isCurrent: boolean
  readonly onPick: () => void
  readonly onToggle: (isOpen: boolean) => void
}

const INDENT_PX = 18

/** One line of the tree. */
export function StrataTreeRow({ id, row, isSelected, isCurrent, onPick, onToggle }: Props) {
  const toggle = (event: MouseEvent) => {
    event.stopPropagation()
    if (row.kind === 'node') onToggle(!row.isOpen)
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the tree
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its active row
    <div
      id={id}
      className={classNames(tree.row, isSelected && tree.selected, isCurrent && tree.current)}
      style={{ paddingLeft: 12 + (row.level - 1) * INDENT_PX }}
      role="treeitem"
      aria-level={row.level}
      aria-selected={isSelected}
      {...(row.kind === 'node' && {
        'aria-posinset': row.position,
        'aria-setsize': row.setSize,
        ...(canOpen(row.card) && { 'aria-expanded': row.isOpen }),
      })}
      onClick={onPick}
    >
      {row.kind === 'node' && (
        <>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: arrow keys do the same */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
          <span className={tree.twist} data-open={row.isOpen} onClick={toggle}>
            {canOpen(row.card) && <Icon name="chevronRight" />}
          </span>
          <DepthSwatch node={row.card} />
          <NodeName id={row.card.id} />
          <FindingMark id={row.card.id} />
          <span className={styles.id}>{row.card.id}</span>
          <span className={styles.figures}>{factsOf(row.card)}</span>
        </>
      )}
      {row.kind === 'more' && (
        <span className={tree.more}>{plural(row.left, 'more node')} not shown: Enter shows them</span>
      )}
      {row.kind === 'loading' && <span className={tree.facts}>loading…</span>}
    </div>
  )
}

function NodeName({ id }: { readonly id: string }) {
  const name = useName(id)
  return (
    <span className={styles.name}>
      {name !== null && (
        <bdi>
          <MarkedText text={name} />
        </bdi>
      )}
    </span>
  )
}

function factsOf(card: NodeCard): string {
  const facts = [nodeLabel(card), formatTokens(card.tokens)]
  if (card.kind === 'leaf' || card.kind === 'condensed') {
    facts.push(plural(card.messages, 'message'))
    if (card.sourceTokens && card.tokens > 0) facts.push(formatCompression(card.sourceTokens / card.tokens))
  }
  if (card.visibility === 'in_window') facts.push('in the window')
  return facts.join(' · ')
}
