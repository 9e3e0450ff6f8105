import { formatCompact, plural } from '../../ui/format.ts'
import { roundTop } from './chart-scale.ts'
import type { ChartProps } from './run-charts.tsx'
import styles from './time-chart.module.css'
import { TimeChart } from './time-chart.tsx'

/** The findings of scans over time. They hold until the next scan. */
export function FindingChart({ history, selected, onSelect }: ChartProps) {
  const { scans, toMs } = history
  const last = scans.at(-1)
  const found = last === undefined ? '' : `${plural(last.errors, 'error')}, ${plural(last.warnings, 'warning')}`
  return (
    <TimeChart
      title="Integrity failures"
      figures={
        last === undefined ? (
          'not checked'
        ) : (
          <>
            <span className={last.errors > 0 ? styles.error : undefined}>{plural(last.errors, 'error')}</span>
            {', '}
            <span className={last.warnings > 0 ? styles.warning : undefined}>{plural(last.warnings, 'warning')}</span>{' '}
            in the last of {plural(scans.length, 'scan')}
          </>
        )
      }
      label={
        last === undefined ? 'Not checked in this time.' : `${found} in the last of ${plural(scans.length, 'scan')}.`
      }
      range={history}
      selected={selected}
      onSelect={onSelect}
      top={roundTop(Math.max(0, ...scans.map(({ errors, warnings }) => errors + warnings)))}
      format={formatCompact}
      nothing={last === undefined ? 'no scan in this time' : null}
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
