import { type ReactNode, useState } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { type NodeLook, nodeColor, nodeLabel } from '../../ui/depth-color.ts'
import { formatCount } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { MarkedText } from '../../ui/marked-text.tsx'
import { NodeLink } from '../../ui/node-link.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import styles from './detail-content.module.css'

type Props = {
  readonly id: string
  readonly node: NodeLook
  readonly tokens: number
  readonly atMs: number | null
  readonly content: string
  /** Its own sources, which can be unfolded. Null when it has none, or when they are shown already. */
  readonly sources: ReactNode
}

/** Longer texts are read in the transcript. */
const MAX_CHARS = 6000

/** One source: role, time, size, text, and its own sources. */
export function ExpansionRow({ id, node, tokens, atMs, content, sources }: Props) {
  const [isOpen, setOpen] = useState(false)
  const isTool = node.kind === 'message' && node.role === 'tool'
  return (
    <div className={styles.expansionRow} style={{ borderColor: nodeColor(node) }}>
      <div className={styles.head}>
        {sources !== null && (
          <IconButton
            icon={isOpen ? 'chevronDown' : 'chevronRight'}
            label={`${isOpen ? 'Fold' : 'Expand'} ${id}`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
        )}
        <NodeLink id={id} node={node} />
        <span>
          {nodeLabel(node)}
          {atMs !== null && (
            <>
              {' · '}
              <TimeText atMs={atMs} form="short" />
            </>
          )}
        </span>
        <span className={styles.tokens} title="tokens">
          {formatCount(tokens)}
        </span>
      </div>
      <div className={classNames(styles.text, isTool && styles.mono)} dir="auto">
        <MarkedText text={content.slice(0, MAX_CHARS)} />
        {content.length > MAX_CHARS && ` … ${formatCount(content.length - MAX_CHARS)} more characters`}
      </div>
      {isOpen && <div className={styles.below}>{sources}</div>}
    </div>
  )
}
