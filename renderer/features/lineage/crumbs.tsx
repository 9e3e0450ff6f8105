import type { Description, LineageTree } from '../../../core/contract/lineage.ts'
import { formatCount } from '../../ui/format.ts'
import { NodeLink } from '../../ui/node-link.tsx'
import styles from './crumbs.module.css'

type Props = {
  readonly description: Description
  /** From the window down to the node, without it. */
  readonly path: readonly LineageTree[]
}

/** Longer paths are shown by both ends. */
const MOST = 5

/** Where a node stands in the context: from the window, through what stands for it, down to itself. */
export function Crumbs({ description, path }: Props) {
  const { visibility, contextOrdinal, inContext } = description
  const hidden = Math.max(0, path.length - MOST)
  const shown = hidden === 0 ? path : [...path.slice(0, 2), ...path.slice(2 + hidden)]
  return (
    <nav className={styles.crumbs} aria-label="Where it stands in the context">
      <span className={styles.end} data-visibility={visibility}>
        {visibility === 'absent' ? 'not in the window' : 'window'}
        {inContext && contextOrdinal !== null && ` #${formatCount(contextOrdinal)}`}
      </span>
      {!inContext &&
        shown.map((tree, index) => (
          <span key={tree.id} className={styles.crumb}>
            <span aria-hidden="true">›</span>
            {hidden > 0 && index === 2 && <span>… {hidden} more ›</span>}
            <NodeLink id={tree.id} node={tree} maxChars={14} />
          </span>
        ))}
    </nav>
  )
}
