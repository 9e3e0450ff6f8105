import type { CompactionEvent } from '#core/contract/time-travel.ts'
import type { RoutePatch } from '#renderer/routes.ts'
import { runAddress } from '#renderer/ui/data/run-address.ts'
import { depthLabel } from '#renderer/ui/nodes/depth-color.ts'
import { formatCount, formatPressure, formatTokens } from '#renderer/ui/texts/format.ts'
import { formatShort } from '#renderer/ui/texts/format-time.ts'
import { type Freed, freedAddress, freedText, freedTokens, type Spending, spentText } from './chart-lanes.ts'
import { FREED_PX, SPENT_PX } from './chart-lanes.tsx'
import { type CurvePoint, eventNear, indexAt } from './pressure-curve.ts'

/** The height of the marks of compactions. */
export const MARK_PX = 7

/** What the pointer or the keys are at: a point of the curve, or a bar of a lane below it. */
export type Chosen =
  | { readonly kind: 'point'; readonly index: number }
  | { readonly kind: 'freed'; readonly freed: Freed }
  | { readonly kind: 'spent'; readonly index: number }

export type Lanes = { readonly freed: number | null; readonly spent: number | null; readonly end: number }

/** Where each lane below the marks begins, and where all of them end. */
export function lanesOf(height: number, hasFreed: boolean, hasSpent: boolean): Lanes {
  const marks = height + MARK_PX + 4
  const freedEnd = hasFreed ? marks + FREED_PX : marks
  return {
    freed: hasFreed ? marks : null,
    spent: hasSpent ? freedEnd : null,
    end: hasSpent ? freedEnd + SPENT_PX : hasFreed ? freedEnd : height + MARK_PX + 2,
  }
}

/** What is drawn, from left to right. */
type Drawn = {
  readonly points: readonly CurvePoint[]
  readonly freed: readonly Freed[]
  readonly spending: Spending | null
}

/**
 * What is under the pointer. `place` and `reach` are in units of the axis; `below`, the distance from the top, and the
 * height of the curve are in pixels.
 */
export function chosenAt(
  { place, reach, below }: { readonly place: number; readonly reach: number; readonly below: number },
  lanes: Lanes,
  height: number,
  { points, freed, spending }: Drawn,
): Chosen {
  if (lanes.freed !== null && below >= lanes.freed && below < lanes.freed + FREED_PX) {
    const near = freed.filter(({ x }) => Math.abs(x - place) <= reach)
    const nearest = near.toSorted((a, b) => Math.abs(a.x - place) - Math.abs(b.x - place))[0]
    if (nearest !== undefined) return { kind: 'freed', freed: nearest }
  }
  if (spending && lanes.spent !== null && below >= lanes.spent && below < lanes.spent + SPENT_PX) {
    const bar = spending.bars.findIndex(({ x0, x1 }) => place >= x0 && place < x1)
    if (bar >= 0) return { kind: 'spent', index: bar }
  }
  const onMark = below > height ? eventNear(points, place, reach) : null
  return { kind: 'point', index: onMark ?? indexAt(points, place) }
}

type Tip = { readonly lines: readonly string[]; readonly x: number }

export function tipOf(chosen: Chosen | null, spending: Spending | null, originMs: number | null): Tip | null {
  if (chosen?.kind === 'freed') return { lines: freedText(chosen.freed), x: chosen.freed.x }
  const bar = chosen?.kind === 'spent' ? spending?.bars[chosen.index] : undefined
  return bar && spending ? { lines: spentText(bar, spending.unit, originMs), x: (bar.x0 + bar.x1) / 2 } : null
}

type Readings = Pick<Drawn, 'freed' | 'spending'> & {
  /** The time at which the axis begins, or null for an axis of messages. */
  readonly originMs: number | null
  readonly budgetTokens: number
}

/** Describes a point in words: what the window held and when that was, and what the lanes show there. */
export function describePoint(
  point: CurvePoint | undefined,
  events: readonly CompactionEvent[],
  { originMs, budgetTokens, freed, spending }: Readings,
): readonly string[] {
  if (point === undefined) return []
  const event = point.event === null ? undefined : events[point.event]
  const run = event && event.runId !== '' ? freed.find(({ runId }) => runId === event.runId) : undefined
  const bar = spending?.bars.find(({ x0, x1 }) => point.x > x0 && point.x <= x1)
  const atMs = event?.atMs ?? (originMs === null ? null : originMs + point.x)
  return [
    `${formatTokens(Math.round(point.tokens))}, ${formatPressure(point.tokens / budgetTokens)}`,
    `${atMs === null ? '' : `${formatShort(atMs)}, `}after message ${formatCount(point.messages)}`,
    ...(event === undefined
      ? []
      : [`${depthLabel(event.depth)}: ${formatCount(event.sourceTokens)} → ${formatCount(event.tokens)} tokens`]),
    ...(run === undefined ? [] : [`its compaction freed ${formatTokens(freedTokens(run))}`]),
    ...(bar === undefined || spending === null ? [] : [`answers here: ${spentText(bar, spending.unit, null)[0]}`]),
  ]
}

/** Leads to what was chosen: a run, a message or a summary. Null where there is nothing to be led to. */
export function chosenAddress(
  chosen: Chosen | null,
  point: CurvePoint | undefined,
  events: readonly CompactionEvent[],
  spending: Spending | null,
): RoutePatch | null {
  if (chosen?.kind === 'freed') return freedAddress(chosen.freed)
  if (chosen?.kind === 'spent') return messageAddress(spending?.bars[chosen.index]?.message ?? null)
  return pointAddress(point, events)
}

/** Leads to what made a point: the run or, where runs are not recorded, its summary; otherwise the message. */
function pointAddress(point: CurvePoint | undefined, events: readonly CompactionEvent[]): RoutePatch | null {
  const replacement = point?.event == null ? undefined : events[point.event]
  if (replacement === undefined) return messageAddress(point?.message ?? null)
  const { runId, summaryId } = replacement
  return runId === '' ? { view: 'layers', selection: summaryId } : runAddress(runId)
}

const messageAddress = (message: number | null): RoutePatch | null =>
  message === null ? null : { view: 'messages', selection: `msg_${message}` }

/** Returns the index of the point to which a key leads, or null for a key that does not move. */
export function steppedTo(key: string, from: number | null, points: readonly CurvePoint[]): number | null {
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
