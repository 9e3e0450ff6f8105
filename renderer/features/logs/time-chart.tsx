import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react'
import { AxisText, ChartGrid } from '#renderer/ui/charts/chart-grid.tsx'
import { useWidth } from '#renderer/ui/charts/use-size.ts'
import { formatRange } from '#renderer/ui/texts/format-time.ts'
import { draggedRange, gridValues, steppedRange, type TimeRange, timeTicks } from './chart-scale.ts'
import styles from './time-chart.module.css'

export type Scale = { readonly x: (atMs: number) => number; readonly y: (value: number) => number }

type Props = {
  readonly title: string
  /** One line of figures, with the key of the colours. */
  readonly figures: ReactNode
  /** All of it in words. */
  readonly label: string
  readonly range: TimeRange
  readonly selected: TimeRange | null
  readonly onSelect: (range: TimeRange | null) => void
  readonly top: number
  readonly format: (value: number) => string
  /** Nothing happened in this time. */
  readonly nothing: string | null
  readonly children: (scale: Scale) => ReactNode
}

const HEIGHT = 116
const LEFT = 44
const RIGHT = 12
const TOP = 8

/** A chart over time. Dragging, or an arrow key, chooses a part of the time, which all charts and the log share. */
export function TimeChart(props: Props) {
  const { title, figures, label, range, selected, onSelect, top, format, nothing, children } = props
  const [box, width] = useWidth<HTMLDivElement>()
  const [dragMs, setDragMs] = useState<number | null>(null)
  const plotWidth = Math.max(1, width - LEFT - RIGHT)
  const spanMs = range.toMs - range.fromMs
  const x = (atMs: number) => LEFT + ((atMs - range.fromMs) / spanMs) * plotWidth
  const y = (value: number) => TOP + HEIGHT - (Math.min(value, top) / top) * HEIGHT
  const timeAt = (event: PointerEvent<HTMLElement>) => {
    const { left } = event.currentTarget.getBoundingClientRect()
    return range.fromMs + Math.min(1, Math.max(0, (event.clientX - left - LEFT) / plotWidth)) * spanMs
  }
  const press = (event: KeyboardEvent) => {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key] as 1 | -1 | undefined
    if (direction === undefined) return
    event.preventDefault()
    event.stopPropagation()
    onSelect(steppedRange(selected, range, direction))
  }
  return (
    <section className={styles.chart}>
      <h2 className={styles.title}>{title}</h2>
      <p className={styles.figures}>{figures}</p>
      <div
        className={styles.plot}
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label={`${title}. ${label} The arrow keys choose a part of the time.`}
        aria-valuemin={range.fromMs}
        aria-valuemax={range.toMs}
        aria-valuenow={selected?.fromMs ?? range.toMs}
        aria-valuetext={selected === null ? 'the whole time' : formatRange(selected.fromMs, selected.toMs)}
        onKeyDown={press}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          setDragMs(timeAt(event))
        }}
        onPointerMove={(event) => {
          const dragged = dragMs === null ? null : draggedRange(dragMs, timeAt(event), range)
          if (dragged !== null) onSelect(dragged)
        }}
        onPointerUp={(event) => {
          if (dragMs !== null) onSelect(draggedRange(dragMs, timeAt(event), range))
          setDragMs(null)
        }}
      >
        <svg width={width} height={HEIGHT + TOP + 22} aria-hidden="true">
          <ChartGrid values={gridValues(top)} y={y} format={format} left={LEFT} right={width - RIGHT} />
          {timeTicks(range).map(({ atMs, label: text }) => (
            <AxisText key={atMs} x={x(atMs)} y={HEIGHT + TOP + 17} anchor="middle">
              {text}
            </AxisText>
          ))}
          {width > 0 && children({ x, y })}
          {selected !== null && (
            <rect
              className={styles.selected}
              x={x(selected.fromMs)}
              y={TOP}
              width={Math.max(2, x(selected.toMs) - x(selected.fromMs))}
              height={HEIGHT}
            />
          )}
        </svg>
        {nothing !== null && <p className={styles.nothing}>{nothing}</p>}
      </div>
    </section>
  )
}
