import type { CompactionEvent } from '../../../core/contract/time-travel.ts'
import { depthLabel } from '../../ui/depth-color.ts'
import { formatCount, formatPressure, formatTokens } from '../../ui/format.ts'
import { formatShort } from '../../ui/format-time.ts'
import styles from './pressure-chart.module.css'
import type { CurvePoint } from './pressure-curve.ts'

type Props = {
  readonly point: CurvePoint
  readonly events: readonly CompactionEvent[]
  readonly budgetTokens: number
  readonly leftPx: number
  readonly widthPx: number
}

const TIP_WIDTH = 240

/** What the pointer is on. */
export function ChartTip({ point, events, budgetTokens, leftPx, widthPx }: Props) {
  const event = point.event === null ? undefined : events[point.event]
  const left = Math.max(0, Math.min(leftPx + 12, widthPx - TIP_WIDTH))
  return (
    <div className={styles.tip} style={{ left, width: TIP_WIDTH }}>
      <p>
        <b>{formatTokens(Math.round(point.tokens))}</b>, {formatPressure(point.tokens / budgetTokens)}
      </p>
      <p className={styles.dim}>
        after message {formatCount(point.messages)}
        {event !== undefined && (
          <>
            {' '}
            and {depthLabel(event.depth)} of {formatShort(event.atMs)}: {formatCount(event.sourceTokens)} →{' '}
            {formatCount(event.tokens)}
          </>
        )}
      </p>
    </div>
  )
}
