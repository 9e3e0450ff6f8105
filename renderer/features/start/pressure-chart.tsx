import { scaleLinear } from 'd3-scale'
import { type KeyboardEvent, type PointerEvent, useMemo, useState } from 'react'
import { meaningOf } from '#core/contract/glossary.ts'
import type { CompactionEvent, Pruning } from '#core/contract/time-travel.ts'
import type { Usage } from '#core/contract/usage.ts'
import { navigate } from '#renderer/routes.ts'
import { AxisText, ChartGrid } from '#renderer/ui/charts/chart-grid.tsx'
import { depthMarks } from '#renderer/ui/charts/depth-marks.ts'
import { useWidth } from '#renderer/ui/charts/use-size.ts'
import { keptOf } from '#renderer/ui/data/kept-of.ts'
import { depthColor } from '#renderer/ui/nodes/depth-color.ts'
import { formatCompact, formatCount, formatPressure, plural } from '#renderer/ui/texts/format.ts'
import { type Axis, axisTicks, type ChartSize, lineOf, pointsFrom } from './chart-axis.ts'
import { freedByRun, spendingFrom, spendingOf } from './chart-lanes.ts'
import { FreedLane, SpentLane } from './chart-lanes.tsx'
import {
  type Chosen,
  chosenAddress,
  chosenAt,
  describePoint,
  lanesOf,
  MARK_PX,
  steppedTo,
  tipOf,
} from './chart-reading.ts'
import { CurveNames, namesWidth } from './curve-names.tsx'
import type { OtherCurve } from './other-curves.ts'
import styles from './pressure-chart.module.css'
import { type CurvePoint, chartTop, peakOf, stepsOn } from './pressure-curve.ts'

type Props = {
  readonly conversationId: number
  /** The whole curve. */
  readonly curve: readonly CurvePoint[]
  /** The part of the axis that is shown. */
  readonly axis: Axis
  readonly events: readonly CompactionEvent[]
  readonly prunings: readonly Pruning[]
  /** What the answers used; undefined while it is being read. */
  readonly usage: Usage | undefined
  /** The time at which the axis begins, or null for an axis of messages. */
  readonly originMs: number | null
  readonly budgetTokens: number
  readonly softTokens: number
  readonly hardTokens: number
  /** The name of the conversation, where others are drawn as well. */
  readonly name: string | null
  readonly others: readonly OtherCurve[]
  readonly onChoose: ((conversationId: number) => void) | undefined
}

const HEIGHT_PX = 128
/** Several curves need more room to be told apart: a part of the window's height. */
const SEVERAL = { share: 0.22, least: 172, most: 300 }
const AXIS_PX = 18
const LEFT = 44
const RIGHT = 2
const LABEL_PX = 15
const REACH_PX = 6

const heightOfSeveral = (): number =>
  Math.round(Math.max(SEVERAL.least, Math.min(SEVERAL.most, innerHeight * SEVERAL.share)))

const marksOf = keptOf(
  (points: readonly CurvePoint[], events: readonly CompactionEvent[], from: number, extent: number, width: number) => {
    const onAxis = points.flatMap(({ x, event }) =>
      event === null ? [] : [{ x: (x - from) / extent, depth: events[event]?.depth ?? 0 }],
    )
    return depthMarks(onAxis, width, MARK_PX)
  },
)

/**
 * The tokens of the window over time, with the thresholds and the compactions, and below them what each run freed and
 * what the answers cost. A click leads to the message or run.
 */
export function PressureChart(props: Props) {
  const { conversationId, curve, events, prunings, usage, originMs, budgetTokens, softTokens, hardTokens } = props
  const { axis, name, onChoose } = props
  const [box, boxWidth] = useWidth<HTMLDivElement>()
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const points = pointsFrom(curve, axis.from)
  const others = useMemo(
    () =>
      props.others.map((other) => {
        const start = other.originMs - (originMs ?? 0)
        return { ...other, start, points: pointsFrom(other.points, axis.from - start) }
      }),
    [props.others, originMs, axis],
  )
  const names = namesWidth(boxWidth)
  const right = others.length > 0 ? names : RIGHT
  const height = others.length > 0 ? heightOfSeveral() : HEIGHT_PX
  const width = Math.max(0, boxWidth - LEFT - right)
  const now = points.at(-1)
  const ownExtent = now?.x || 1
  const freedInAll = freedByRun(curve, events, prunings)
  const freed = useMemo(() => freedInAll.filter(({ x }) => x >= axis.from), [freedInAll, axis])
  const spending = useMemo(() => {
    const whole = usage === undefined ? null : spendingOf(usage, curve, originMs, (ownExtent / axis.extent) * width)
    return whole && spendingFrom(whole, axis.from)
  }, [usage, curve, originMs, ownExtent, axis, width])
  const lanes = lanesOf(height, freed.length > 0, spending !== null)
  const peak = peakOf(points)
  const highest = others.reduce((most, other) => Math.max(most, peakOf(other.points)?.tokens ?? 0), peak?.tokens ?? 0)
  const top = chartTop(highest, hardTokens)
  const x = (at: number) => ((at - axis.from) / axis.extent) * width
  const y = (tokens: number) => height - (tokens / top) * height
  const size = useMemo(() => ({ width, height, top }), [width, height, top])
  const greyLines = useMemo(
    () => others.map((other) => lineOf(other.points, other.start, axis, size)),
    [others, axis, size],
  )
  const share = (tokens: number) => formatPressure(tokens / budgetTokens)
  const label =
    `Tokens in the window over ${plural(now?.messages ?? 0, 'message')}: ` +
    `at most ${formatCount(Math.round(peak?.tokens ?? 0))} (${share(peak?.tokens ?? 0)}) after message ${formatCount(Math.round(peak?.messages ?? 0))}, ` +
    `${formatCount(now?.tokens ?? 0)} (${share(now?.tokens ?? 0)}) now, ${plural(stepsOn(points), 'replacement')} on the way. ` +
    'The arrow keys move along it, Page Up and Page Down from compaction to compaction, Enter opens the message or compaction.'
  const index = chosen?.kind === 'point' ? chosen.index : null
  const point = index === null ? undefined : points[index]
  const textOf = (at: CurvePoint | undefined) => describePoint(at, events, { originMs, budgetTokens, freed, spending })
  const under = (event: PointerEvent<HTMLElement>): Chosen => {
    const bounds = event.currentTarget.getBoundingClientRect()
    const place = axis.from + ((event.clientX - bounds.left - LEFT) / (width || 1)) * axis.extent
    const reach = (REACH_PX / (width || 1)) * axis.extent
    const at = { place, reach, below: event.clientY - bounds.top }
    return chosenAt(at, lanes, height, { points, freed, spending })
  }
  const open = () => {
    const address = chosenAddress(chosen, point, events, spending)
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
  const chart = (
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
          <ChartGrid
            values={scaleLinear([0, top], [height, 0]).ticks(4)}
            y={y}
            format={formatCompact}
            left={0}
            right={width}
          />
          {greyLines.map((grey, index) => (
            <path key={others[index]?.conversationId} className={styles.other} d={`M${grey}`} />
          ))}
          <Curve points={points} axis={axis} size={size} />
          {[
            { name: 'soft', tokens: softTokens, className: styles.soft },
            { name: 'hard', tokens: hardTokens, className: styles.hard },
          ]
            .filter(({ tokens }) => tokens <= top)
            .map(({ name, tokens, className }) => (
              <line key={name} className={className} x1={0} x2={width} y1={y(tokens)} y2={y(tokens)} />
            ))}
          <line className={styles.floor} x1={0} x2={width} y1={height} y2={height} />
          <g transform={`translate(0 ${height + 2})`}>
            <Marks points={points} events={events} axis={axis} width={width} />
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
          {axisTicks(originMs === null ? null : originMs + axis.from, axis.extent, width, now?.messages ?? 0).map(
            (tick) => (
              <g key={tick.at}>
                <line className={styles.floor} x1={tick.x} x2={tick.x} y1={lanes.end - 4} y2={lanes.end} />
                <AxisText x={tick.x} y={lanes.end + 14} anchor={tick.anchor}>
                  {tick.label}
                </AxisText>
              </g>
            ),
          )}
          {point !== undefined && (
            <>
              <line className={styles.cross} x1={x(point.x)} x2={x(point.x)} y1={0} y2={lanes.end} />
              <circle className={styles.dot} cx={x(point.x)} cy={y(point.tokens)} r={3.5} />
            </>
          )}
        </g>
      </svg>
      <ThresholdLabels {...{ softTokens, hardTokens, top, y }} />
      {point !== undefined && <ChartTip lines={textOf(point)} leftPx={LEFT + x(point.x)} widthPx={boxWidth} />}
      {tip && <ChartTip lines={tip.lines} leftPx={LEFT + x(tip.x)} widthPx={boxWidth} />}
    </div>
  )
  if (others.length === 0) return chart
  const ends = [
    { conversationId, name: name ?? '', tokens: now?.tokens ?? 0 },
    ...others.map((other) => ({ ...other, tokens: other.points.at(-1)?.tokens ?? 0 })),
  ].map(({ conversationId, name, tokens }) => ({ conversationId, name, y: y(tokens), share: share(tokens) }))
  return (
    <div className={styles.named}>
      {chart}
      <CurveNames ends={ends} floor={height} width={names} onChoose={onChoose} />
    </div>
  )
}

type CurveProps = { readonly points: readonly CurvePoint[]; readonly axis: Axis }

/** It and the marks are rendered by themselves, each in a short task: a long conversation has many thousand points. */
function Curve({ points, axis, size }: CurveProps & { readonly size: ChartSize }) {
  const line = useMemo(() => lineOf(points, 0, axis, size), [points, axis, size])
  const start = (((points[0]?.x ?? 0) - axis.from) / axis.extent) * size.width
  return (
    <>
      <path className={styles.area} d={`M${start} ${size.height}L${line}V${size.height}Z`} />
      <path className={styles.line} d={`M${line}`} />
    </>
  )
}

type MarksProps = CurveProps & { readonly events: readonly CompactionEvent[]; readonly width: number }

function Marks({ points, events, axis, width }: MarksProps) {
  if (width === 0) return null
  return [...marksOf(points, events, axis.from, axis.extent, width)].map(([depth, d]) => (
    <path key={depth} className={styles.mark} d={d} stroke={depthColor(depth)} />
  ))
}

type ThresholdLabelsProps = {
  readonly softTokens: number
  readonly hardTokens: number
  /** The tokens at the top of the chart. */
  readonly top: number
  readonly y: (tokens: number) => number
}

/** They stand at the left, where the curve of a window begins low. */
function ThresholdLabels({ softTokens, hardTokens, top, y }: ThresholdLabelsProps) {
  // When the two lines are too close for two labels, only the hard threshold is labelled.
  const isRoomForBoth = hardTokens > top || y(softTokens) - y(hardTokens) >= LABEL_PX
  return [
    { name: 'compact at', tokens: softTokens, className: styles.softLabel, isShown: isRoomForBoth },
    { name: 'must at', tokens: hardTokens, className: styles.hardLabel, isShown: true },
  ]
    .filter(({ tokens, isShown }) => isShown && tokens <= top)
    .map(({ name, tokens, className }) => (
      <span
        key={name}
        className={className}
        style={{ top: y(tokens), left: LEFT }}
        title={meaningOf('τ soft, τ hard')}
        aria-hidden="true"
      >
        {name} {formatCompact(tokens)}
      </span>
    ))
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
        <p key={line} className="dim">
          {line}
        </p>
      ))}
    </div>
  )
}
