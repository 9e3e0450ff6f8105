import type { StrataMessages } from '#core/contract/strata.ts'
import type { CompactionEvent, Pruning } from '#core/contract/time-travel.ts'
import { firstIndex } from '#renderer/ui/data/first-index.ts'
import { keptOf } from '#renderer/ui/data/kept-of.ts'

/** The window after a number of messages. */
export type CurvePoint = {
  readonly messages: number
  readonly tokens: number
  /** Where it stands on the axis, in the axis's units. */
  readonly x: number
  /** The index of the event before this point, or null after a message. */
  readonly event: number | null
  /** The number of the message after which it is, or of the first one in a column of several. Null before all of them. */
  readonly message: number | null
}

type Columns = Pick<StrataMessages, 'count' | 'tokens' | 'x0' | 'x1' | 'firstMessage' | 'originMs'>
type Replacement = Pick<CompactionEvent, 'messages' | 'activeTokens' | 'atMs'>

/**
 * Active tokens over the history: what every message adds, less what the agent pruned without a summary. Right after each
 * compaction it is what the window held there, as the time slider shows it. Exact at the edges of the columns; within a
 * column of several messages each counts the same. An event whose time does not fit between its messages stands as near
 * to it as they allow: imported messages have the times of their agent, and a later run has that of this machine.
 */
export const pressureCurve = keptOf(curveOf)

function curveOf(
  { count, tokens, x0, x1, firstMessage, originMs }: Columns,
  replacements: readonly Replacement[],
  prunings: readonly Pick<Pruning, 'messages' | 'tokens' | 'atMs'>[] = [],
): readonly CurvePoint[] {
  const events = stepsOf(replacements, prunings)
  const points: CurvePoint[] = [{ messages: 0, tokens: 0, x: 0, event: null, message: null }]
  let [messages, sum, next, x] = [0, 0, 0, 0]
  let message: number | null = null
  const push = (event: number | null) => points.push({ messages, tokens: Math.max(0, sum), x, event, message })
  const apply = (event: Step, untilX: number) => {
    if (originMs !== undefined) x = Math.max(x, Math.min(untilX, event.atMs - originMs))
    sum = event.after(sum)
    push(event.index)
    next += 1
  }
  for (const [index, columnCount] of count.entries()) {
    const [start, added] = [messages, tokens[index] ?? 0]
    const [left, right] = [x0[index] ?? x, x1[index] ?? x]
    const end = start + columnCount
    // Nothing was said since the column before.
    if (left > x) {
      x = left
      push(null)
    }
    const isWithin = (event: Step): boolean => event.messages < end
    const goTo = (at: number) => {
      sum += ((at - messages) / columnCount) * added
      messages = at
      x = left + ((at - start) / columnCount) * (right - left)
      message = firstMessage[index] ?? null
      push(null)
    }
    for (let event = events[next]; event !== undefined && isWithin(event); event = events[next]) {
      // The window was at its fullest just before this event.
      if (event.messages > messages) goTo(event.messages)
      apply(event, x)
    }
    if (end > messages) goTo(end)
    const nextX = x0[index + 1] ?? right
    for (let event = events[next]; event !== undefined && event.messages <= end; event = events[next])
      apply(event, nextX)
  }
  for (let event = events[next]; event !== undefined; event = events[next]) apply(event, x)
  return points
}

type Step = {
  readonly messages: number
  readonly atMs: number
  readonly index: number | null
  /** Returns the tokens that are left after it. */
  readonly after: (tokens: number) => number
}

/**
 * Returns the steps of the curve in the order of the conversation. If outputs were pruned and summaries made at the
 * same position, the pruning comes first.
 */
function stepsOf(
  replacements: readonly Replacement[],
  prunings: readonly Pick<Pruning, 'messages' | 'tokens' | 'atMs'>[],
): readonly Step[] {
  const steps = replacements.map(({ messages, atMs, activeTokens }, index): Step => {
    return { messages, atMs, index, after: () => activeTokens }
  })
  if (prunings.length === 0) return steps
  const pruned = prunings.map(
    ({ messages, atMs, tokens }): Step => ({ messages, atMs, index: null, after: (before) => before - tokens }),
  )
  return [...pruned, ...steps].sort((a, b) => a.messages - b.messages)
}

/** Returns the point with the most tokens, or null when there is none. */
export const peakOf = keptOf((points: readonly CurvePoint[]): CurvePoint | null =>
  points.reduce<CurvePoint | null>((most, point) => (most && most.tokens >= point.tokens ? most : point), null),
)

/** Returns how many compaction steps are on a curve. */
export const stepsOn = keptOf(
  (points: readonly CurvePoint[]): number => points.filter(({ event }) => event !== null).length,
)

/** The depths of the summaries that were made on the way, for the key of the marks. */
export const depthsOn = (
  points: readonly CurvePoint[],
  events: readonly Pick<CompactionEvent, 'depth'>[],
): readonly number[] =>
  [...new Set(points.flatMap(({ event }) => (event === null ? [] : [events[event]?.depth ?? 0])))].toSorted(
    (a, b) => a - b,
  )

/** Returns the tokens at the top of the chart: the hard threshold, unless the window was never close to it. */
export function chartTop(peakTokens: number, hardTokens: number): number {
  const isNear = peakTokens >= hardTokens * 0.25
  return Math.max(1, isNear ? Math.max(peakTokens, hardTokens) * 1.06 : peakTokens * 1.15)
}

/** With a larger difference, something other than messages and compactions has changed the window. */
const TOLERATED = 0.02

/** Tells whether the curve ends at the present size of the window. */
export function endsAt(points: readonly CurvePoint[], windowTokens: number): boolean {
  const end = points.at(-1)?.tokens ?? 0
  return Math.abs(end - windowTokens) <= Math.max(windowTokens, 1) * TOLERATED
}

/** Reduces points to the width in pixels: of those in one column, the highest, the lowest and the last are kept. */
export function thinned(points: readonly CurvePoint[], widthPx: number, extent: number): readonly CurvePoint[] {
  if (points.length <= widthPx * 3 || extent === 0) return points
  const column = (point: CurvePoint) => Math.floor((point.x / extent) * widthPx)
  const kept: CurvePoint[] = []
  for (let from = 0; from < points.length; ) {
    const first = points[from]
    if (first === undefined) break
    let to = from
    let [low, high] = [from, from]
    for (let point: CurvePoint | undefined = first; point && column(point) === column(first); point = points[to]) {
      if (point.tokens < (points[low]?.tokens ?? 0)) low = to
      if (point.tokens > (points[high]?.tokens ?? 0)) high = to
      to += 1
    }
    for (const index of new Set([low, high].sort((a, b) => a - b).concat(to - 1))) {
      const point = points[index]
      if (point !== undefined) kept.push(point)
    }
    from = to
  }
  return kept
}

/** Returns the index of the last point at or before a place on the axis, or of the first point. */
export const indexAt = (points: readonly CurvePoint[], x: number): number =>
  Math.max(0, firstIndex(points.length, (index) => (points[index]?.x ?? 0) > x) - 1)

/** Returns the index of the event that is drawn nearest to a place on the axis, no farther than `reach`, or null. */
export function eventNear(points: readonly CurvePoint[], x: number, reach: number): number | null {
  let nearest: number | null = null
  let least = reach
  for (const [index, point] of points.entries()) {
    if (point.event === null || Math.abs(point.x - x) > least) continue
    nearest = index
    least = Math.abs(point.x - x)
  }
  return nearest
}
