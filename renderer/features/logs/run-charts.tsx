import type { ActivityHistory } from '../../../core/contract/activity.ts'
import { formatCompact, formatCount, plural } from '../../ui/format.ts'
import { binned, roundTop, type TimeRange } from './chart-scale.ts'
import styles from './time-chart.module.css'
import { TimeChart } from './time-chart.tsx'

export type ChartProps = {
  readonly history: ActivityHistory
  readonly selected: TimeRange | null
  readonly onSelect: (range: TimeRange | null) => void
}

const BINS = 24

/** How many runs there were, and how many of them failed. */
export function RunChart({ history, selected, onSelect }: ChartProps) {
  const bins = binned(history.runs, history, BINS).map(({ things, ...range }) => {
    const failed = things.filter(({ isFailed }) => isFailed).length
    return { ...range, failed, done: things.length - failed }
  })
  const failed = bins.reduce((sum, bin) => sum + bin.failed, 0)
  const done = history.runs.length - failed
  return (
    <TimeChart
      title="Compaction runs"
      figures={
        <>
          <b className={styles.strong}>{formatCount(done)}</b> ended
          {failed > 0 && <span className={styles.error}> · {formatCount(failed)} failed</span>}
        </>
      }
      label={`${plural(done, 'run')} ended, ${formatCount(failed)} failed.`}
      range={history}
      selected={selected}
      onSelect={onSelect}
      top={roundTop(Math.max(...bins.map((bin) => bin.failed + bin.done)))}
      format={formatCompact}
      nothing={history.runs.length === 0 ? 'no run in this time' : null}
    >
      {({ x, y }) =>
        bins.map((bin) => {
          const width = Math.max(2, x(bin.toMs) - x(bin.fromMs) - 2)
          return (
            <g key={bin.fromMs}>
              <rect
                x={x(bin.fromMs) + 1}
                y={y(bin.done)}
                width={width}
                height={y(0) - y(bin.done)}
                fill="var(--leaf)"
              />
              <rect
                x={x(bin.fromMs) + 1}
                y={y(bin.done + bin.failed)}
                width={width}
                height={y(bin.done) - y(bin.done + bin.failed)}
                fill="var(--error)"
              />
            </g>
          )
        })
      }
    </TimeChart>
  )
}

/** The tokens of the window before (ring) and after (dot) each run. */
export function TokenChart({ history, selected, onSelect }: ChartProps) {
  const runs = history.runs.filter(({ tokensBefore }) => tokensBefore > 0)
  const sum = (of: 'tokensBefore' | 'tokensAfter') => runs.reduce((total, run) => total + run[of], 0)
  const text = `${formatCompact(sum('tokensBefore'))} → ${formatCompact(sum('tokensAfter'))}`
  return (
    <TimeChart
      title="Tokens before → after"
      figures={
        <>
          <b className={styles.strong}>{text}</b> in {plural(runs.length, 'run')}
        </>
      }
      label={`${text} in ${plural(runs.length, 'run')}.`}
      range={history}
      selected={selected}
      onSelect={onSelect}
      top={roundTop(Math.max(0, ...runs.map(({ tokensBefore }) => tokensBefore)))}
      format={formatCompact}
      nothing={runs.length === 0 ? 'no run in this time' : null}
    >
      {({ x, y }) =>
        runs.map(({ runId, atMs, tokensBefore, tokensAfter }) => (
          <g key={`${runId} ${atMs}`}>
            <line x1={x(atMs)} x2={x(atMs)} y1={y(tokensBefore)} y2={y(tokensAfter)} stroke="var(--control)" />
            <circle
              cx={x(atMs)}
              cy={y(tokensBefore)}
              r={3}
              fill="var(--ground)"
              stroke="var(--dim)"
              strokeWidth={1.5}
            />
            <circle cx={x(atMs)} cy={y(tokensAfter)} r={3} fill="var(--lit)" />
          </g>
        ))
      }
    </TimeChart>
  )
}
