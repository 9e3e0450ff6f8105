import { useSyncExternalStore } from 'react'
import type { Strata } from '#core/contract/strata.ts'
import { useFindings } from '#renderer/ui/data/use-findings.ts'
import { useName } from '#renderer/ui/nodes/use-names.ts'
import { useNotes } from '#renderer/ui/nodes/use-notes.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import type { Hit } from './hit.ts'
import type { Hovering } from './hovering.ts'
import styles from './strata-stage.module.css'
import { tooltipText } from './tooltip-text.ts'
import type { Point } from './use-strata-gestures.ts'

type Props = {
  readonly hovering: Hovering
  readonly strata: Strata
  /** The inner width of its container. Near the right edge it is shown on the left of the pointer. */
  readonly width: number
}

const WIDTH = 260

/** Facts about the thing under the pointer. Screen readers use the tree instead. */
export function StrataTooltip({ hovering, ...props }: Props) {
  const hovered = useSyncExternalStore(hovering.subscribe, hovering.now)
  return hovered && <Tooltip {...hovered} {...props} />
}

type TooltipProps = Omit<Props, 'hovering'> & { readonly hit: Hit; readonly at: Point }

function Tooltip({ hit, at, strata, width }: TooltipProps) {
  const text = tooltipText(hit, strata, useFindings(), useNotes())
  const name = useName(text.id)
  const isLeft = at.x + WIDTH + 20 > width
  return (
    <div
      className={styles.tooltip}
      style={{ top: at.y + 16, ...(isLeft ? { right: width - at.x + 10 } : { left: at.x + 14 }), maxWidth: WIDTH }}
      aria-hidden="true"
    >
      {name !== null && (
        <div className={styles.tooltipName}>
          <MarkedText text={name} />
        </div>
      )}
      {text.id !== null && <div className={styles.tooltipId}>{text.id}</div>}
      <div>{text.title}</div>
      {text.lines.map((line) => (
        <div key={line} className="dim">
          {line}
        </div>
      ))}
    </div>
  )
}
