import type { ActivityHistory, Latency } from '#core/contract/activity.ts'
import { formatCompact, formatCount, formatDuration, formatPercent, plural } from '#renderer/ui/texts/format.ts'
import { binned, roundTop, type TimeRange } from './chart-scale.ts'
import styles from './time-chart.module.css'
import { type Scale, TimeChart } from './time-chart.tsx'

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
      title="Compactions"
      figures={
        <>
          <b className={styles.strong}>{formatCount(done)}</b> ended
          {failed > 0 && <span className={styles.error}> · {formatCount(failed)} failed</span>}
        </>
      }
      label={`${plural(done, 'compaction')} ended, ${formatCount(failed)} failed.`}
      range={history}
      selected={selected}
      onSelect={onSelect}
      top={roundTop(Math.max(...bins.map((bin) => bin.failed + bin.done)))}
      format={formatCompact}
      nothing={history.runs.length === 0 ? 'no compaction in this time' : null}
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

/** Why no tokens are drawn, or null. A run that failed early has none. */
export function noTokensText(runs: readonly Pick<ActivityHistory['runs'][number], 'tokensBefore'>[]): string | null {
  if (runs.some(({ tokensBefore }) => tokensBefore > 0)) return null
  return runs.length === 0 ? 'no compaction in this time' : 'no tokens are known of the compactions in this time'
}

/** The tokens of the window before (ring) and after (dot) each run. */
export function TokenChart({ history, selected, onSelect }: ChartProps) {
  const runs = history.runs.filter(({ tokensBefore }) => tokensBefore > 0)
  const sum = (of: 'tokensBefore' | 'tokensAfter') => runs.reduce((total, run) => total + run[of], 0)
  const text = `${formatCompact(sum('tokensBefore'))} → ${formatCompact(sum('tokensAfter'))}`
  const nothing = noTokensText(history.runs)
  return (
    <TimeChart
      title="Tokens before → after"
      figures={
        nothing === null ? (
          <>
            <b className={styles.strong}>{text}</b> in {plural(runs.length, 'compaction')}
          </>
        ) : (
          'none'
        )
      }
      label={nothing === null ? `${text} in ${plural(runs.length, 'compaction')}.` : `${nothing}.`}
      range={history}
      selected={selected}
      onSelect={onSelect}
      top={roundTop(Math.max(0, ...runs.map(({ tokensBefore }) => tokensBefore)))}
      format={formatCompact}
      nothing={nothing}
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

/** The findings of scans over time. They hold until the next scan. */
export function FindingChart({ history, selected, onSelect }: ChartProps) {
  const { scans, toMs } = history
  const last = scans.at(-1)
  const found = last === undefined ? '' : `${plural(last.errors, 'error')}, ${plural(last.warnings, 'warning')}`
  return (
    <TimeChart
      title="Failed checks"
      figures={
        last === undefined ? (
          'not checked'
        ) : (
          <>
            <span className={last.errors > 0 ? styles.error : undefined}>{plural(last.errors, 'error')}</span>
            {', '}
            <span className={last.warnings > 0 ? styles.warning : undefined}>{plural(last.warnings, 'warning')}</span>{' '}
            in the last of {plural(scans.length, 'check')}
          </>
        )
      }
      label={
        last === undefined ? 'Not checked in this time.' : `${found} in the last of ${plural(scans.length, 'check')}.`
      }
      range={history}
      selected={selected}
      onSelect={onSelect}
      top={roundTop(Math.max(0, ...scans.map(({ errors, warnings }) => errors + warnings)))}
      format={formatCompact}
      nothing={last === undefined ? 'no check in this time' : null}
    >
      {({ x, y }) =>
        scans.map(({ atMs, errors, warnings }, index) => {
          const right = x(scans[index + 1]?.atMs ?? toMs)
          const width = Math.max(1, right - x(atMs))
          return (
            <g key={`${atMs} ${errors}`}>
              <rect
                x={x(atMs)}
                y={y(errors + warnings)}
                width={width}
                height={y(errors) - y(errors + warnings)}
                fill="var(--warning)"
                opacity={0.35}
              />
              <rect
                x={x(atMs)}
                y={y(errors)}
                width={width}
                height={y(0) - y(errors)}
                fill="var(--error)"
                opacity={0.55}
              />
              <path
                d={`M${x(atMs)} ${y(errors + warnings)}H${right}`}
                stroke={errors > 0 ? 'var(--error)' : 'var(--warning)'}
                strokeWidth={1.5}
                opacity={errors + warnings > 0 ? 1 : 0.4}
              />
            </g>
          )
        })
      }
    </TimeChart>
  )
}

/** The share of answers that stand in the window or can be found again, of each probe. A line joins those of one conversation. */
export function ProbeChart({ history, selected, onSelect }: ChartProps) {
  const { probes } = history
  const last = probes.at(-1)
  const figure = last === undefined ? '' : formatPercent(last.recall)
  return (
    <TimeChart
      title="Known or found when probed"
      figures={
        <>
          <b className={styles.strong}>{figure}</b> in the last of {plural(probes.length, 'probe')}
        </>
      }
      label={`${figure} in the last of ${plural(probes.length, 'probe')}.`}
      range={history}
      selected={selected}
      onSelect={onSelect}
      top={1}
      format={formatPercent}
      nothing={last === undefined ? 'no probe in this time' : null}
    >
      {({ x, y }) =>
        [...Map.groupBy(probes, ({ conversationId }) => conversationId)].map(([conversationId, some]) => (
          <g key={conversationId}>
            <path
              d={`M${some.map(({ atMs, recall }) => `${x(atMs)} ${y(recall)}`).join('L')}`}
              fill="none"
              stroke="var(--control)"
            />
            {some.map(({ atMs, recall }) => (
              <circle key={atMs} cx={x(atMs)} cy={y(recall)} r={3} fill="var(--lit)" />
            ))}
          </g>
        ))
      }
    </TimeChart>
  )
}

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
