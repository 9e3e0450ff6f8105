import { scaleLinear, scaleTime } from 'd3-scale'
import { type KeyboardEvent, type PointerEvent, useMemo, useState } from 'react'
import { meaningOf } from '../../../core/contract/glossary.ts'
import type { CompactionEvent, Pruning } from '../../../core/contract/time-travel.ts'
import type { Usage } from '../../../core/contract/usage.ts'
import { navigate, type RoutePatch } from '../../routes.ts'
import { depthColor, depthLabel } from '../../ui/depth-color.ts'
import { depthMarks } from '../../ui/depth-marks.ts'
import { formatCompact, formatCount, formatPressure, formatTokens, plural } from '../../ui/format.ts'
import { formatClock, formatDate, formatShort } from '../../ui/format-time.ts'
import { runAddress } from '../../ui/run-address.ts'
import { useWidth } from '../../ui/use-width.ts'
import {
  type Freed,
  freedAddress,
  freedByRun,
  freedText,
  freedTokens,
  type Spending,
  spendingOf,
  spentText,
} from './chart-lanes.ts'
import { FREED_PX, FreedLane, SPENT_PX, SpentLane } from './chart-lanes.tsx'
import styles from './pressure-chart.module.css'
import { type CurvePoint, chartTop, eventNear, indexAt, peakOf, thinned } from './pressure-curve.ts'

type Props = {
  readonly conversationId: number
  readonly points: readonly CurvePoint[]
  readonly events: readonly CompactionEvent[]
  readonly prunings: readonly Pruning[]
  /** What the answers used; undefined while it is being read. */
  readonly usage: Usage | undefined
  /** The time at which the axis begins, or null for an axis of messages. */
  readonly originMs: number | null
  readonly budgetTokens: number
  readonly softTokens: number
  readonly hardTokens: number
}

const HEIGHT = 128
const MARK_PX = 7
const AXIS_PX = 18
const LEFT = 44
const RIGHT = 2
/** The width that a label of the axis needs. */
const TICK_PX = 110
const CHAR_PX = 6.5
const LABEL_PX = 15
const REACH_PX = 6

/** What the pointer or the keys are at: a point of the curve, or a bar of a lane below it. */
type Chosen =
  | { readonly kind: 'point'; readonly index: number }
  | { readonly kind: 'freed'; readonly freed: Freed }
  | { readonly kind: 'spent'; readonly index: number }

/**
 * The tokens of the window over time, with the thresholds and the compactions, and below them what each run freed and
 * what the answers cost. A click leads to the message or run.
 */
export function PressureChart(props: Props) {
  const { conversationId, points, events, prunings, usage, originMs, budgetTokens, softTokens, hardTokens } = props
  const [box, boxWidth] = useWidth<HTMLDivElement>()
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const width = Math.max(0, boxWidth - LEFT - RIGHT)
  const freed = useMemo(() => freedByRun(points, events, prunings), [points, events, prunings])
  const spending = useMemo(
    () => (usage === undefined ? null : spendingOf(usage, points, originMs, width)),
    [usage, points, originMs, width],
  )
  const lanes = lanesOf(freed.length > 0, spending !== null)
  const peak = peakOf(points)
  const top = chartTop(peak?.tokens ?? 0, hardTokens)
  const now = points.at(-1)
  const extent = now?.x || 1
  const x = (at: number) => (at / extent) * width
  const y = (tokens: number) => HEIGHT - (tokens / top) * HEIGHT
  const line = useMemo(() => {
    const at = ({ x: place, tokens }: CurvePoint) =>
      `${((place / extent) * width).toFixed(1)} ${(HEIGHT - (tokens / top) * HEIGHT).toFixed(1)}`
    return thinned(points, width, extent).map(at).join('L')
  }, [points, width, extent, top])
  const marks = useMemo(() => {
    const onAxis = points.flatMap(({ x: place, event }) =>
      event === null ? [] : [{ x: place / extent, depth: events[event]?.depth ?? 0 }],
    )
    return depthMarks(onAxis, width, MARK_PX)
  }, [points, events, extent, width])
  const share = (tokens: number) => formatPressure(tokens / budgetTokens)
  const label =
    `Tokens in the window over ${plural(now?.messages ?? 0, 'message')}: ` +
    `at most ${formatCount(peak?.tokens ?? 0)} (${share(peak?.tokens ?? 0)}) after message ${formatCount(peak?.messages ?? 0)}, ` +
    `${formatCount(now?.tokens ?? 0)} (${share(now?.tokens ?? 0)}) now, ${plural(events.length, 'replacement')} on the way. ` +
    'The arrow keys move along it, Page Up and Page Down from compaction to compaction, Enter opens the message or run.'
  const index = chosen?.kind === 'point' ? chosen.index : null
  const point = index === null ? undefined : points[index]
  const textOf = (at: CurvePoint | undefined) => [
    ...pointText(at, events, originMs, budgetTokens),
    ...laneText(at, events, freed, spending),
  ]
  const under = (event: PointerEvent<HTMLElement>): Chosen => {
    const bounds = event.currentTarget.getBoundingClientRect()
    const place = ((event.clientX - bounds.left - LEFT) / (width || 1)) * extent
    const reach = (REACH_PX / (width || 1)) * extent
    const below = event.clientY - bounds.top
    if (lanes.freed !== null && below >= lanes.freed && below < lanes.freed + FREED_PX) {
      const nearest = freed.toSorted((a, b) => Math.abs(a.x - place) - Math.abs(b.x - place))[0]
      if (nearest !== undefined && Math.abs(nearest.x - place) <= reach) return { kind: 'freed', freed: nearest }
    }
    if (spending && lanes.spent !== null && below >= lanes.spent && below < lanes.spent + SPENT_PX) {
      const bar = spending.bars.findIndex(({ x0, x1 }) => place >= x0 && place < x1)
      if (bar >= 0) return { kind: 'spent', index: bar }
    }
    const onMark = below > HEIGHT ? eventNear(points, place, reach) : null
    return { kind: 'point', index: onMark ?? indexAt(points, place) }
  }
  const open = () => {
    const address =
      chosen?.kind === 'freed'
        ? freedAddress(chosen.freed)
        : chosen?.kind === 'spent'
          ? messageAddress(spending?.bars[chosen.index]?.message ?? null)
          : pointAddress(point, events)
    if (address !== null) navigate({ conversationId, ...address }, 'push')
  }
  const press = (event: KeyboardEvent) => {
    const next = steppedTo(event.key, index, points)
    if (event.key === 'Enter' && chosen !== null) open()
    else if (next !== null) setChosen({ kind: 'point', index: next })
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const tip = tipOf(chosen, spending, originMs)
  return (
    <div
      className={styles.chart}
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={points.length - 1}
      aria-valuenow={index ?? points.length - 1}
      aria-valuetext={textOf(point ?? now).join(', ')}
      onKeyDown={press}
      onBlur={() => setChosen(null)}
      onPointerMove={(event) => setChosen(under(event))}
      onPointerLeave={() => setChosen(null)}
      onClick={open}
    >
      <svg width={boxWidth} height={lanes.end + AXIS_PX} aria-hidden="true">
        <g transform={`translate(${LEFT} 0)`}>
          {scaleLinear([0, top], [HEIGHT, 0])
            .ticks(4)
            .map((tokens) => (
              <g key={tokens}>
                <line className={styles.grid} x1={0} x2={width} y1={y(tokens)} y2={y(tokens)} />
                <text className={styles.tick} x={-8} y={y(tokens) + 4} textAnchor="end">
                  {formatCompact(tokens)}
                </text>
              </g>
            ))}
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
            {[...marks].map(([depth, d]) => (
              <path key={depth} className={styles.mark} d={d} stroke={depthColor(depth)} />
            ))}
          </g>
          {lanes.freed !== null && (
            <g transform={`translate(0 ${lanes.freed})`}>
              <FreedLane freed={freed} x={x} width={width} chosen={chosen?.kind === 'freed' ? chosen.freed : null} />
            </g>
          )}
          {spending && lanes.spent !== null && (
            <g transform={`translate(0 ${lanes.spent})`}>
              <SpentLane
                spending={spending}
                x={x}
                width={width}
                chosen={chosen?.kind === 'spent' ? chosen.index : null}
              />
            </g>
          )}
          {axisTicks(originMs, extent, width, now?.messages ?? 0).map((tick) => (
            <g key={tick.at}>
              <line className={styles.floor} x1={tick.x} x2={tick.x} y1={lanes.end - 4} y2={lanes.end} />
              <text className={styles.tick} x={tick.x} y={lanes.end + 14} textAnchor={tick.anchor}>
                {tick.label}
              </text>
            </g>
          ))}
          {point !== undefined && (
            <>
              <line className={styles.cross} x1={x(point.x)} x2={x(point.x)} y1={0} y2={lanes.end} />
              <circle className={styles.dot} cx={x(point.x)} cy={y(point.tokens)} r={3.5} />
            </>
          )}
        </g>
      </svg>
      {[
        { name: 'τ soft', tokens: softTokens, className: styles.softLabel },
        { name: 'τ hard', tokens: hardTokens, className: styles.hardLabel },
      ]
        .filter(({ tokens }) => tokens <= top)
        // When the two lines are too close for two labels, only the hard threshold is labelled.
        .filter(({ name }) => name === 'τ hard' || hardTokens > top || y(softTokens) - y(hardTokens) >= LABEL_PX)
        .map(({ name, tokens, className }) => (
          <span
            key={name}
            className={className}
            style={{ top: y(tokens) }}
            title={meaningOf('τ soft, τ hard')}
            aria-hidden="true"
          >
            {name} {formatCompact(tokens)}
          </span>
        ))}
      {point !== undefined && <ChartTip lines={textOf(point)} leftPx={LEFT + x(point.x)} widthPx={boxWidth} />}
      {tip && <ChartTip lines={tip.lines} leftPx={LEFT + x(tip.x)} widthPx={boxWidth} />}
    </div>
  )
}

type Lanes = { readonly freed: number | null; readonly spent: number | null; readonly end: number }

/** Where each lane below the marks begins, and where all of them end. */
function lanesOf(hasFreed: boolean, hasSpent: boolean): Lanes {
  const marks = HEIGHT + MARK_PX + 4
  const freedEnd = hasFreed ? marks + FREED_PX : marks
  return {
    freed: hasFreed ? marks : null,
    spent: hasSpent ? freedEnd : null,
    end: hasSpent ? freedEnd + SPENT_PX : hasFreed ? freedEnd : HEIGHT + MARK_PX + 2,
  }
}

type Tip = { readonly lines: readonly string[]; readonly x: number }

function tipOf(chosen: Chosen | null, spending: Spending | null, originMs: number | null): Tip | null {
  if (chosen?.kind === 'freed') return { lines: freedText(chosen.freed), x: chosen.freed.x }
  const bar = chosen?.kind === 'spent' ? spending?.bars[chosen.index] : undefined
  return bar && spending ? { lines: spentText(bar, spending.unit, originMs), x: (bar.x0 + bar.x1) / 2 } : null
}

const TIP_WIDTH = 260

type ChartTipProps = { readonly lines: readonly string[]; readonly leftPx: number; readonly widthPx: number }

/** Describes the chosen point. Right of the middle it stands on the left, so that it never covers what comes next. */
function ChartTip({ lines: [first, ...others], leftPx, widthPx }: ChartTipProps) {
  const left = leftPx + 12 + TIP_WIDTH <= widthPx ? leftPx + 12 : Math.max(0, leftPx - 12 - TIP_WIDTH)
  return (
    <div className={styles.tip} style={{ left, width: TIP_WIDTH }} aria-hidden="true">
      <p>
        <b>{first}</b>
      </p>
      {others.map((line) => (
        <p key={line} className={styles.dim}>
          {line}
        </p>
      ))}
    </div>
  )
}

/** Says what the window held at a point, when that was, and where a click leads. */
function pointText(
  point: CurvePoint | undefined,
  events: readonly CompactionEvent[],
  originMs: number | null,
  budgetTokens: number,
): readonly string[] {
  if (point === undefined) return []
  const event = point.event === null ? undefined : events[point.event]
  const atMs = event?.atMs ?? (originMs === null ? null : originMs + point.x)
  return [
    `${formatTokens(Math.round(point.tokens))}, ${formatPressure(point.tokens / budgetTokens)}`,
    `${atMs === null ? '' : `${formatShort(atMs)}, `}after message ${formatCount(point.messages)}`,
    ...(event === undefined
      ? []
      : [`${depthLabel(event.depth)}: ${formatCount(event.sourceTokens)} → ${formatCount(event.tokens)} tokens`]),
  ]
}

/** What the lanes show at a point, for those who move by keys. */
function laneText(
  point: CurvePoint | undefined,
  events: readonly CompactionEvent[],
  freed: readonly Freed[],
  spending: Spending | null,
): readonly string[] {
  if (point === undefined) return []
  const runId = point.event === null ? '' : events[point.event]?.runId
  const run = runId === '' ? undefined : freed.find((one) => one.runId === runId)
  const bar = spending?.bars.find(({ x0, x1 }) => point.x > x0 && point.x <= x1)
  return [
    ...(run === undefined ? [] : [`its run freed ${formatTokens(freedTokens(run))}`]),
    ...(bar === undefined || spending === null ? [] : [`answers here: ${spentText(bar, spending.unit, null)[0]}`]),
  ]
}

/** Leads to what made a point: the run or, where runs are not recorded, its summary; otherwise the message. */
function pointAddress(point: CurvePoint | undefined, events: readonly CompactionEvent[]): RoutePatch | null {
  const replacement = point?.event == null ? undefined : events[point.event]
  if (replacement === undefined) return messageAddress(point?.message ?? null)
  const { runId, summaryId } = replacement
  return runId === '' ? { view: 'lineage', selection: summaryId } : runAddress(runId)
}

const messageAddress = (message: number | null): RoutePatch | null =>
  message === null ? null : { view: 'transcript', selection: `msg_${message}` }

/** Returns the index of the point to which a key leads, or null for a key that does not move. */
function steppedTo(key: string, from: number | null, points: readonly CurvePoint[]): number | null {
  const last = points.length - 1
  const at = from ?? last
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, at - 1)
    case 'ArrowRight':
      return Math.min(last, at + 1)
    case 'Home':
      return 0
    case 'End':
      return last
    case 'PageUp':
      return found(points.findLastIndex(({ event }, index) => event !== null && index < at))
    case 'PageDown':
      return found(points.findIndex(({ event }, index) => event !== null && index > at))
    default:
      return null
  }
}

const found = (index: number): number | null => (index < 0 ? null : index)

type AxisTick = {
  readonly at: number
  readonly x: number
  readonly label: string
  readonly anchor: 'start' | 'middle' | 'end'
}

/** Round local times, or round numbers of messages, along the axis. A label that would touch the one before is left out. */
function axisTicks(originMs: number | null, extent: number, width: number, messages: number): readonly AxisTick[] {
  // Before it is measured, all of them would stand at one place.
  if (width === 0) return []
  const count = Math.max(2, Math.floor(width / TICK_PX))
  const ticks = originMs === null ? messageTicks(messages, width, count) : timeTicks(originMs, extent, width, count)
  let right = Number.NEGATIVE_INFINITY
  return ticks.map(({ at, x, label }) => {
    const anchor = x < TICK_PX / 3 ? 'start' : x > width - TICK_PX / 3 ? 'end' : 'middle'
    const length = label.length * CHAR_PX
    const left = anchor === 'start' ? x : anchor === 'end' ? x - length : x - length / 2
    const fits = left > right + CHAR_PX
    if (fits) right = left + length
    return { at, x, anchor, label: fits ? label : '' }
  })
}

function messageTicks(messages: number, width: number, count: number) {
  const scale = scaleLinear([0, messages], [0, width])
  return scale.ticks(count).map((at) => ({ at, x: scale(at), label: formatCount(at) }))
}

function timeTicks(originMs: number, extent: number, width: number, count: number) {
  const scale = scaleTime([originMs, originMs + extent], [0, width])
  let day = ''
  return scale.ticks(count).map((date) => {
    const atMs = date.getTime()
    const isMidnight = date.getHours() === 0 && date.getMinutes() === 0
    const isNewDay = formatDate(atMs) !== day
    day = formatDate(atMs)
    return { at: atMs, x: scale(date), label: isMidnight ? day : isNewDay ? formatShort(atMs) : formatClock(atMs) }
  })
}
