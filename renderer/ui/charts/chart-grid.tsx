import styles from './chart-grid.module.css'

type Props = {
  readonly values: readonly number[]
  readonly y: (value: number) => number
  readonly format: (value: number) => string
  /** Where the lines begin and end, in pixels. The values stand left of them. */
  readonly left: number
  readonly right: number
}

/** The lines of a chart for some of its values. The size of their texts is that of the chart. */
export function ChartGrid({ values, y, format, left, right }: Props) {
  return values.map((value) => (
    <g key={value}>
      <line className={styles.line} x1={left} x2={right} y1={y(value)} y2={y(value)} />
      <AxisText x={left - 8} y={y(value) + 4} anchor="end">
        {format(value)}
      </AxisText>
    </g>
  ))
}

type AxisTextProps = {
  readonly x: number
  readonly y: number
  readonly anchor: 'start' | 'middle' | 'end'
  readonly children: string
}

/** A text at an axis of a chart. */
export function AxisText({ x, y, anchor, children }: AxisTextProps) {
  return (
    <text className={styles.text} x={x} y={y} textAnchor={anchor}>
      {children}
    </text>
  )
}
