import type { Strata } from '#core/contract/strata.ts'
import { formatCount } from '#renderer/ui/texts/format.ts'
import { formatClock, formatDate, formatSecond } from '#renderer/ui/texts/format-time.ts'
import { type Scale, toPx, toX } from './viewport.ts'

/** A tick of the axis. Its label is empty when it would touch the one before. */
export type Tick = { readonly px: number; readonly label: string }

type TickInput = Pick<Strata, 'axis' | 'originMs' | 'ticks'> & {
  readonly scale: Scale
  readonly nowMs: number
}

/** Room for a time of day and air around it, in CSS pixels. */
const APART_PX = 72
/** Room for a day, perhaps with its year, and a time of day. */
const LONG_PX = 128
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const TIME_STEPS_MS = [
  1,
  5,
  20,
  100,
  500,
  1000,
  5000,
  15_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
]

/**
 * Ticks in sight, from left to right: clock times as long as two of them are in sight, then positions (message 2,500,
 * token 1.2 M). Along time there are clock times at every zoom.
 */
export function axisTicks(input: TickInput): readonly Tick[] {
  const { axis, originMs, ticks, scale } = input
  const clock = clockTicks(ticks, input)
  if (clock.length >= 2) return clock
  if (axis !== 'time') return [...clock, ...placeTicks(axis, scale)].sort((a, b) => a.px - b.px)
  return originMs === null ? clock : clockTicks(timeSteps(originMs, scale), input)
}

function clockTicks(ticks: Strata['ticks'], { scale, nowMs }: TickInput): readonly Tick[] {
  const inSight = ticks
    .map(({ x, atMs }) => ({ px: toPx(scale, x), atMs }))
    .filter(({ px }) => px >= scale.left - 0.5 && px <= scale.left + scale.width + 0.5)
  const labelled = new Set(withRoom(inSight))
  let lastDay = ''
  return inSight.map((tick) => {
    const { px, atMs } = tick
    if (!labelled.has(tick)) return { px, label: '' }
    const day = dayLabel(atMs, nowMs)
    const label = isMidnight(atMs) ? day : day === lastDay ? timeLabel(atMs) : `${day} ${timeLabel(atMs)}`
    lastDay = day
    return { px, label }
  })
}

type ClockTick = { readonly px: number; readonly atMs: number }

/** Days first, then what there is room for between them. */
function withRoom(ticks: readonly ClockTick[]): readonly ClockTick[] {
  const chosen: ClockTick[] = []
  const byPosition = [...ticks.filter(({ atMs }) => isMidnight(atMs)), ...ticks.filter(({ atMs }) => !isMidnight(atMs))]
  for (const tick of byPosition) {
    const width = chosen.some(({ atMs }) => isSameDay(atMs, tick.atMs)) || isMidnight(tick.atMs) ? APART_PX : LONG_PX
    const fits = chosen.every(({ px }) => (px > tick.px ? px - tick.px >= width : tick.px - px >= APART_PX))
    if (fits) chosen.push(tick)
  }
  return chosen
}

const isMidnight = (atMs: number): boolean => formatClock(atMs) === '00:00' && atMs % MINUTE_MS === 0

const isSameDay = (a: number, b: number): boolean => new Date(a).toDateString() === new Date(b).toDateString()

const dayLabel = (atMs: number, nowMs: number): string => (isSameDay(atMs, nowMs) ? 'today' : formatDate(atMs, nowMs))

const timeLabel = (atMs: number): string =>
  atMs % 1000 === 0 ? clockLabel(atMs) : `${formatSecond(atMs)}.${String(atMs % 1000).padStart(3, '0')}`

const clockLabel = (atMs: number): string => (atMs % MINUTE_MS === 0 ? formatClock(atMs) : formatSecond(atMs))

function timeSteps(originMs: number, scale: Scale): Strata['ticks'] {
  const wanted = ((scale.x1 - scale.x0) / scale.width) * APART_PX
  const step = TIME_STEPS_MS.find((candidate) => candidate >= wanted) ?? Math.ceil(wanted / DAY_MS) * DAY_MS
  const first = Math.ceil((originMs + scale.x0) / step) * step
  const count = Math.max(0, Math.floor((originMs + scale.x1 - first) / step) + 1)
  return Array.from({ length: count }, (_, i) => ({ x: first + i * step - originMs, atMs: first + i * step }))
}

function placeTicks(axis: 'messages' | 'tokens', scale: Scale): readonly Tick[] {
  const step = niceStep(((scale.x1 - scale.x0) / scale.width) * APART_PX * 1.6)
  const [unit, first] = axis === 'messages' ? ['message', 1] : ['token', 0]
  const [left, right] = [toX(scale, scale.left), toX(scale, scale.left + scale.width)]
  // Message 1 is drawn from 0 to 1.
  const [from, to] = [Math.ceil((left + first) / step), Math.floor((right + first) / step)]
  const steps = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => (from + i) * step)
  // The name of the first is wide, so it stands only where the next one is far enough.
  const isFirstInSight = left <= 0 && (steps[0] ?? Number.POSITIVE_INFINITY) - first > step / 2
  return (isFirstInSight ? [first, ...steps] : steps).map((place, i) => ({
    px: toPx(scale, place - first),
    label: i === 0 ? `${unit} ${formatCount(place)}` : formatCount(place),
  }))
}

/** The next of 1, 2, 5, 10, 20, 50 … that is not below `wanted`. */
export function niceStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1)))
  return ([1, 2, 5, 10].find((factor) => factor * power >= wanted) ?? 10) * power
}
