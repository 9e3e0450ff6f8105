import { memo } from 'react'
import type { GrepHit } from '../../../core/contract/retrieval.ts'
import { Chip } from '../../ui/chip.tsx'
import { classNames } from '../../ui/class-names.ts'
import { nodeColor, nodeLabel, nodeTextColor } from '../../ui/depth-color.ts'
import { Kbd } from '../../ui/kbd.tsx'
import { NodeLink } from '../../ui/node-link.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import styles from './hit-row.module.css'
import { Snippet } from './snippet.tsx'
import { viewOf } from './use-active-hit.ts'

type Props = {
  readonly hit: GrepHit
  /** Among all hits. */
  readonly position: number
  readonly isActive: boolean
  readonly onSelect: (position: number) => void
  readonly onOpen: (position: number) => void
}

const FIELDS = {
  content: '',
  tool_input: 'in the tool’s input',
  tool_output: 'in the tool’s output',
  reasoning: 'in the reasoning',
} as const
const MAX_COVERS = 3

/** One hit: who, when, what covers it, and the passage. */
export const HitRow = memo(function HitRow({ hit, position, isActive, onSelect, onOpen }: Props) {
  const look = { kind: hit.kind, role: hit.role, depth: hit.depth } as const
  const isCode = hit.field === 'tool_input' || hit.field === 'tool_output' || hit.role === 'tool'
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows come and go with the scrolling
    // biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys and Enter of the search field do the same
    <div
      id={`hit-${position}`}
      className={classNames(styles.hit, isActive && styles.active)}
      role="row"
      tabIndex={-1}
      aria-selected={isActive}
      onClick={() => onSelect(position)}
      onDoubleClick={() => onOpen(position)}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see the row */}
      <div role="gridcell" tabIndex={-1}>
        <span
          className={styles.window}
          data-in={hit.inContext}
          title={hit.inContext ? 'In the window: the model sees it' : 'Not in the window itself'}
        />
        <div className={styles.head}>
          <span className={styles.swatch} style={{ background: nodeColor(look) }} />
          <span className={styles.kind} style={{ color: nodeTextColor(look) }}>
            {nodeLabel(look)}
          </span>
          <span className={styles.id}>{hit.id}</span>
          {FIELDS[hit.field] !== '' && <span>{FIELDS[hit.field]}</span>}
          {hit.isPartial && <Chip title="Found by some of the words, not by all of them">some words</Chip>}
          <span className={styles.covers} title="Summaries that stand for it">
            {hit.coveredBy.length > 0 && <span>under</span>}
            {hit.coveredBy.slice(0, MAX_COVERS).map((id) => (
              <NodeLink key={id} id={id} maxChars={12} conversationId={hit.conversationId} />
            ))}
            {hit.coveredBy.length > MAX_COVERS && <span>+{hit.coveredBy.length - MAX_COVERS}</span>}
          </span>
          {isActive && (
            <span className={styles.open}>
              <Kbd>↵</Kbd> {viewOf(hit)}
            </span>
          )}
          <span className={styles.time}>
            <TimeText atMs={hit.createdAtMs} form="short" />
          </span>
        </div>
        <Snippet text={hit.snippet} matches={hit.matches} isCode={isCode} />
      </div>
    </div>
  )
})
