import type { Messages } from '../memory/messages.ts'
import type { Axis } from './strata-axis.ts'

export type Tick = { readonly x: number; readonly atMs: number }

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STEPS = [1, 5, 15]
  .map((minutes) => minutes * MINUTE)
  .concat([1, 3, 6, 12].map((hours) => hours * HOUR))
  .concat([1, 2, 7, 14, 28, 91, 182, 364].map((days) => days * DAY))
const MAX_TICKS = 24

/**
 * Returns round UTC times along x: days, hours, or minutes in a short conversation. On an axis without time a tick
 * stands before the first message at or after its time. When several ticks fall on one x, because nothing was said
 * meanwhile, the last one is kept.
 */
export function ticksOf(messages: Messages, axis: Axis): Tick[] {
  const first = messages.clockMs[0]
  const last = messages.clockMs[messages.length - 1]
  if (first === undefined || last === undefined || Number.isNaN(first)) return []
  const step =
    STEPS.find((size) => Math.floor((last - first) / size) < MAX_TICKS) ?? wholeDays((last - first) / MAX_TICKS)
  const ticks = new Map<number, Tick>()
  for (let atMs = Math.ceil(first / step) * step; atMs <= last && ticks.size < MAX_TICKS; atMs += step) {
    const x = axis.originMs === null ? axis.startOf(messages.positionAtTime(atMs)) : atMs - axis.originMs
    ticks.set(x, { x, atMs })
  }
  return [...ticks.values()]
}

const wholeDays = (ms: number): number => (Math.floor(ms / DAY) + 1) * DAY
