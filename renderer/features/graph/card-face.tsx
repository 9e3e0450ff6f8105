import type { ReactNode } from 'react'
import { classNames } from '#renderer/ui/controls/class-names.ts'
import { type NodeLook, nodeColor } from '#renderer/ui/nodes/depth-color.ts'
import { FindingMark, NoteMark } from '#renderer/ui/nodes/node-marks.tsx'
import { useName } from '#renderer/ui/nodes/use-names.ts'
import { shortenId } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import styles from './lineage-graph.module.css'

type Props = {
  readonly id: string
  readonly look: NodeLook
  readonly isInWindow: boolean
  readonly isSelected: boolean
  /** True for the card around which a graph is drawn. */
  readonly isCentre?: boolean
  /** The line below the name. */
  readonly facts: ReactNode
  readonly children?: ReactNode
}

/** What a card of a graph shows: the name of its node with its marks, and a line of facts. */
export function CardFace({ id, look, isInWindow, isSelected, isCentre, facts, children }: Props) {
  const name = useName(id)
  const isMissing = look.kind === 'missing'
  return (
    <div
      className={classNames(
        styles.card,
        isCentre && styles.centre,
        isSelected && styles.selected,
        isMissing && styles.missing,
      )}
      style={{ borderLeftColor: isMissing ? 'var(--error)' : nodeColor(look) }}
      title={name === null ? id : `${name}\n${id}`}
    >
      <div className={styles.title}>
        <FindingMark id={id} />
        <NoteMark id={id} />
        <span className={styles.name}>
          <bdi className="cut">
            <MarkedText text={name ?? shortenId(id, 22)} />
          </bdi>
        </span>
        {isInWindow && <span className={styles.lit} title="in the window" role="img" aria-label="in the window" />}
      </div>
      <div className={styles.facts}>{facts}</div>
      {children}
    </div>
  )
}
