import type { Strata } from '../../../core/contract/strata.ts'
import { useFindings } from '../../ui/use-findings.ts'
import type { Hit } from './hit.ts'
import styles from './strata-stage.module.css'
import { tooltipText } from './tooltip-text.ts'
import type { Point } from './use-strata-gestures.ts'

type Props = {
  readonly hit: Hit
  readonly at: Point
  readonly strata: Strata
  /** Inner width of what it stands in; it turns to the other side of the pointer near the right edge. */
  readonly width: number
}

const WIDTH = 260

/** Facts about what the pointer is over. Hidden from screen readers, which have the tree. */
export function StrataTooltip({ hit, at, strata, width }: Props) {
  const text = tooltipText(hit, strata, useFindings())
  const isLeft = at.x + WIDTH + 20 > width
  return (
    <div
      className={styles.tooltip}
      style={{ top: at.y + 16, ...(isLeft ? { right: width - at.x + 10 } : { left: at.x + 14 }), maxWidth: WIDTH }}
      aria-hidden="true"
    >
      {text.id !== null && <div className={styles.tooltipId}>{text.id}</div>}
      <div>{text.title}</div>
      {text.lines.map((line) => (
        <div key={line} className={styles.tooltipLine}>
          {line}
        </div>
      ))}
    </div>
  )
}
