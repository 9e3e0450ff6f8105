import { useMemo, useState } from 'react'
import type { CompactionEvent } from '../../../core/contract/time-travel.ts'
import { depthColor, depthLabel } from '../../ui/depth-color.ts'
import { depthMarks } from '../../ui/depth-marks.ts'
import { formatCompact, formatCount, formatPressure, formatTokens, plural } from '../../ui/format.ts'
import { formatShort } from '../../ui/format-time.ts'
import { useWidth } from '../../ui/use-width.ts'
import styles from './pressure-chart.module.css'
import { type CurvePoint, chartTop, peakOf, pointAt, thinned } from './pressure-curve.ts'

type Props = {
  readonly points: readonly CurvePoint[]
  readonly events: readonly CompactionEvent[]
  readonly messages: number
  readonly budgetTokens: number
  readonly softTokens: number
  readonly hardTokens: number
}

const HEIGHT = 128
const MARK_PX = 7
const LABEL_PX = 15

/** The tokens of the window after each message, with the thresholds and the compactions. */
export function PressureChart({ points, events, messages, budgetTokens, softTokens, hardTokens }: Props) {
  const [box, width] = useWidth<HTMLDivElement>()
  const [hovered, setHovered] = useState<CurvePoint | null>(null)
  const peak = peakOf(points)
  const top = chartTop(peak?.tokens ?? 0, hardTokens)
  const x = (count: number) => (messages === 0 ? 0 : (count / messages) * width)
  const y = (tokens: number) => HEIGHT - (tokens / top) * HEIGHT
  const line = useMemo(() => {
    const at = ({ messages: count, tokens }: CurvePoint) =>
      `${((count / (messages || 1)) * width).toFixed(1)} ${(HEIGHT - (tokens / top) * HEIGHT).toFixed(1)}`
    return thinned(points, width, messages).map(at).join('L')
  }, [points, width, messages, top])
  const marks = useMemo(() => {
    const onAxis = events.map(({ messages: count, depth }) => ({ x: count / (messages || 1), depth }))
    return depthMarks(onAxis, width, MARK_PX)
  }, [events, messages, width])
  const now = points.at(-1)
  const share = (tokens: number) => formatPressure(tokens / budgetTokens)
  const label =
    `Tokens in the window over ${plural(messages, 'message')}: ` +
    `at most ${formatCount(peak?.tokens ?? 0)} (${share(peak?.tokens ?? 0)}) after message ${formatCount(peak?.messages ?? 0)}, ` +
    `${formatCount(now?.tokens ?? 0)} (${share(now?.tokens ?? 0)}) now, ${plural(events.length, 'replacement')} on the way.`
  return (
    <div
      className={styles.chart}
      ref={box}
      onPointerMove={(event) => {
        const bounds = event.currentTarget.getBoundingClientRect()
        setHovered(pointAt(points, ((event.clientX - bounds.left) / bounds.width) * messages))
      }}
      onPointerLeave={() => setHovered(null)}
    >
      <svg width={width} height={HEIGHT + MARK_PX + 2} role="img" aria-label={label}>
        <path className={styles.area} d={`M0 ${HEIGHT}L${line}L${width} ${HEIGHT}Z`} />
        <path className={styles.line} d={`M${line}`} />
        {[
          { name: 'soft', tokens: softTokens, className: styles.soft },
          { name: 'hard', tokens: hardTokens, className: styles.hard },
        ]
          .filter(({ tokens }) => tokens <= top)
          .map(({ name, tokens, className }) => (
            <line key={name} className={className} x1={0} x2={width} y1={y(tokens)} y2={y(tokens)} />
          ))}
        <line className={styles.floor} x1={0} x2={width} y1={HEIGHT} y2={HEIGHT} />
        <g transform={`translate(0 ${HEIGHT + 2})`}>
          {[...marks].map(([depth, path]) => (
            <path key={depth} className={styles.mark} d={path} stroke={depthColor(depth)} />
          ))}
        </g>
        {hovered !== null && (
          <>
            <line
              className={styles.cross}
              x1={x(hovered.messages)}
              x2={x(hovered.messages)}
              y1={0}
              y2={HEIGHT + MARK_PX}
            />
            <circle className={styles.dot} cx={x(hovered.messages)} cy={y(hovered.tokens)} r={3.5} />
          </>
        )}
      </svg>
      {[
        { name: 'τ soft', tokens: softTokens, className: styles.softLabel },
        { name: 'τ hard', tokens: hardTokens, className: styles.hardLabel },
      ]
        .filter(({ tokens }) => tokens <= top)
        // When the two lines are too close for two labels, only the hard threshold is labelled.
        .filter(({ name }) => name === 'τ hard' || hardTokens > top || y(softTokens) - y(hardTokens) >= LABEL_PX)
        .map(({ name, tokens, className }) => (
          <span key={name} className={className} style={{ top: y(tokens) }} aria-hidden="true">
            {name} {formatCompact(tokens)}
          </span>
        ))}
      {hovered !== null && (
        <ChartTip
          point={hovered}
          events={events}
          budgetTokens={budgetTokens}
          leftPx={x(hovered.messages)}
          widthPx={width}
        />
      )}
    </div>
  )
}

type ChartTipProps = {
  readonly point: CurvePoint
  readonly events: readonly CompactionEvent[]
  readonly budgetTokens: number
  readonly leftPx: number
  readonly widthPx: number
}

const TIP_WIDTH = 240

/** Describes the point under the pointer. */
function ChartTip({ point, events, budgetTokens, leftPx, widthPx }: ChartTipProps) {
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
