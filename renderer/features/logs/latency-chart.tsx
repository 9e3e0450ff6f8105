import type { Latency } from '../../../core/contract/activity.ts'
import { formatCompact, formatDuration, plural } from '../../ui/format.ts'
import { roundTop, type TimeRange } from './chart-scale.ts'
import type { ChartProps } from './run-charts.tsx'
import styles from './time-chart.module.css'
import { type Scale, TimeChart } from './time-chart.tsx'

/** How long searches and expansions took: the median, and the 95th percentile dotted. */
export function LatencyChart({ history, selected, onSelect }: ChartProps) {
  const { search, expand } = history
  const all = [...search, ...expand]
  const slowest = Math.max(0, ...all.map(({ p95Ms }) => p95Ms))
  const calls = all.reduce((sum, { count }) => sum + count, 0)
  return (
    <TimeChart
      title="Search and expand, ms"
      figures={
        <>
          <i className={styles.stroke} style={{ color: 'var(--d1)' }} />
          search
          <i className={`${styles.stroke} ${styles.gap}`} style={{ color: 'var(--leaf)' }} />
          expand
          <i className={`${styles.stroke} ${styles.gap}`} data-dotted="" />
          p95
        </>
      }
      label={`${plural(calls, 'call')}, at most ${formatDuration(slowest)} for 95 of 100.`}
      range={history}
      selected={selected}
      onSelect={onSelect}
      top={roundTop(slowest)}
      format={formatCompact}
      nothing={calls === 0 ? 'no search and no expansion in this time' : null}
    >
      {(scale) => (
        <>
          <Lines parts={search} color="var(--d1)" scale={scale} within={history} />
          <Lines parts={expand} color="var(--leaf)" scale={scale} within={history} />
        </>
      )}
    </TimeChart>
  )
}

type LinesProps = {
  readonly parts: readonly Latency[]
  readonly color: string
  readonly scale: Scale
  readonly within: TimeRange
}

function Lines({ parts, color, scale: { x, y }, within }: LinesProps) {
  const at = ({ fromMs, toMs }: Latency) => x((Math.max(within.fromMs, fromMs) + Math.min(within.toMs, toMs)) / 2)
  const path = (of: 'p50Ms' | 'p95Ms') => `M${parts.map((part) => `${at(part)} ${y(part[of])}`).join('L')}`
  if (parts.length === 0) return null
  return (
    <>
      <path d={path('p50Ms')} fill="none" stroke={color} strokeWidth={1.5} strokeLinejoin="round" />
      <path d={path('p95Ms')} fill="none" stroke={color} strokeWidth={1.5} strokeDasharray="1.5 3" />
      {parts.map((part) => (
        <circle key={part.fromMs} cx={at(part)} cy={y(part.p50Ms)} r={1.75} fill={color} />
      ))}
    </>
  )
}
