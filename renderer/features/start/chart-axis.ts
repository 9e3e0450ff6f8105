import { scaleLinear, scaleTime } from 'd3-scale'
import { keptOf } from '#renderer/ui/data/kept-of.ts'
import { formatCount } from '#renderer/ui/texts/format.ts'
import { formatClock, formatDate, formatSecond, formatShort } from '#renderer/ui/texts/format-time.ts'
import { type CurvePoint, thinned } from './pressure-curve.ts'

/** What the axis counts. */
export const AXES = ['time', 'messages'] as const
export type ChartAxis = (typeof AXES)[number]

/** How much of an axis of time is shown. */
export const TIME_RANGES = ['all', '24h', '7d', '30d'] as const
export type TimeRange = (typeof TIME_RANGES)[number]

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const TIME_RANGE_MS: Readonly<Record<TimeRange, number | null>> = {
  all: null,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
}
export const TIME_RANGE_OPTIONS = [
  { value: 'all', label: 'all', hint: 'From the first message on' },
  { value: '24h', label: '24 h', hint: 'The last 24 hours before the newest message' },
  { value: '7d', label: '7 days', hint: 'The last 7 days before the newest message' },
  { value: '30d', label: '30 days', hint: 'The last 30 days before the newest message' },
] as const

/** The width that a label of the axis needs. */
const TICK_PX = 110
const CHAR_PX = 6.5

export type Axis = { readonly from: number; readonly extent: number }

/** The axis reaches over all curves. Its units count from the origin of the conversation. */
export function axisOf(
  ownExtent: number,
  originMs: number | null,
  others: readonly { readonly originMs: number; readonly points: readonly CurvePoint[] }[],
): Axis {
  const starts = others.map((other) => other.originMs - (originMs ?? 0))
  const ends = others.map((other, index) => (starts[index] ?? 0) + (other.points.at(-1)?.x ?? 0))
  const from = Math.min(0, ...starts)
  return { from, extent: Math.max(ownExtent, ...ends) - from || 1 }
}

/** Returns the end of an axis of time that a range shows. It is as long as the range, also where nothing was said that early. */
export function endOf({ from, extent }: Axis, range: TimeRange): Axis {
  const length = TIME_RANGE_MS[range] ?? extent
  return { from: from + extent - length, extent: length }
}

/** Returns the points of a curve from a place on, where it begins as high as it is drawn there. */
export const pointsFrom = keptOf(partFrom)

function partFrom(points: readonly CurvePoint[], from: number): readonly CurvePoint[] {
  const before = points.findLastIndex(({ x }) => x < from)
  const [point, next] = [points[before], points[before + 1]]
  if (point === undefined) return points
  const share = next === undefined ? 0 : (from - point.x) / (next.x - point.x)
  const tokens = point.tokens + ((next?.tokens ?? 0) - point.tokens) * share
  return [{ ...point, x: from, tokens, event: null }, ...points.slice(before + 1)]
}

/** In pixels, and the tokens at the top. */
export type ChartSize = { readonly width: number; readonly height: number; readonly top: number }

/** Draws a curve, which stays at its last height until the end of the axis. */
export function lineOf(
  points: readonly CurvePoint[],
  start: number,
  { from, extent }: Axis,
  { width, height, top }: ChartSize,
): string {
  const at = ({ x, tokens }: CurvePoint) =>
    `${(((start + x - from) / extent) * width).toFixed(1)} ${(height - (tokens / top) * height).toFixed(1)}`
  const own = points.at(-1)?.x || 1
  return `${thinned(points, (own / extent) * width, own)
    .map(at)
    .join('L')}H${width}`
}

type AxisTick = {
  readonly at: number
  readonly x: number
  readonly label: string
  readonly anchor: 'start' | 'middle' | 'end'
}

/**
 * Round local times, or round numbers of messages, along the axis. A label that would touch the one before, or that says
 * the same, is left out.
 */
export function axisTicks(
  originMs: number | null,
  extent: number,
  width: number,
  messages: number,
): readonly AxisTick[] {
  // Before it is measured, all of them would stand at one place.
  if (width === 0) return []
  const count = Math.max(2, Math.floor(width / TICK_PX))
  const ticks = originMs === null ? messageTicks(messages, width, count) : timeTicks(originMs, extent, width, count)
  let right = Number.NEGATIVE_INFINITY
  return ticks.map(({ at, x, label }, index) => {
    const anchor = x < TICK_PX / 3 ? 'start' : x > width - TICK_PX / 3 ? 'end' : 'middle'
    const length = label.length * CHAR_PX
    const left = anchor === 'start' ? x : anchor === 'end' ? x - length : x - length / 2
    const fits = left > right + CHAR_PX && label !== ticks[index - 1]?.label
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
    const isMidnight = date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0
    const isNewDay = formatDate(atMs) !== day
    day = formatDate(atMs)
    const clock = atMs % MINUTE_MS === 0 ? formatClock(atMs) : formatSecond(atMs)
    return { at: atMs, x: scale(date), label: isMidnight ? day : isNewDay ? formatShort(atMs) : clock }
  })
}
