import type { StrataMessages } from '../../../core/contract/strata.ts'
import type { CompactionEvent, Pruning } from '../../../core/contract/time-travel.ts'
import { firstIndex } from '../../ui/first-index.ts'

/** The window after a number of messages. */
export type CurvePoint = {
  readonly messages: number
  readonly tokens: number
  /** The index of the event before this point, or null after a message. */
  readonly event: number | null
}

type Columns = Pick<StrataMessages, 'count' | 'tokens'>
type Replacement = Pick<CompactionEvent, 'messages' | 'activeTokens'>

/**
 * Active tokens over the history: what every message adds, less what the agent pruned without a summary. Right after each
 * compaction it is what the window held there, as the time slider shows it. Exact at the edges of the columns; within a
 * column of several messages each counts the same.
 */
export function pressureCurve(
  { count, tokens }: Columns,
  replacements: readonly Replacement[],
  prunings: readonly Pick<Pruning, 'messages' | 'tokens'>[] = [],
): readonly CurvePoint[] {
  const events = stepsOf(replacements, prunings)
  const points: CurvePoint[] = [{ messages: 0, tokens: 0, event: null }]
  let [messages, sum, next] = [0, 0, 0]
  const push = (event: number | null) => points.push({ messages, tokens: Math.max(0, sum), event })
  for (const [index, columnCount] of count.entries()) {
    const [start, added] = [messages, tokens[index] ?? 0]
    const end = start + columnCount
    for (let event = events[next]; event !== undefined && event.messages <= end; event = events[next]) {
      const at = Math.max(messages, event.messages)
      sum += ((at - messages) / columnCount) * added
      // The window was at its fullest just before this event.
      if (at > messages) {
        messages = at
        push(null)
      }
      sum = event.after(sum)
      push(event.index)
      next += 1
    }
    if (end > messages) {
      sum += ((end - messages) / columnCount) * added
      messages = end
      push(null)
    }
  }
  for (let event = events[next]; event !== undefined; event = events[next]) {
    sum = event.after(sum)
    push(event.index)
    next += 1
  }
  return points
}

type Step = {
  readonly messages: number
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
  prunings: readonly Pick<Pruning, 'messages' | 'tokens'>[],
): readonly Step[] {
  const steps = replacements.map(({ messages, activeTokens }, index): Step => {
    return { messages, index, after: () => activeTokens }
  })
  if (prunings.length === 0) return steps
  const pruned = prunings.map(
    ({ messages, tokens }): Step => ({ messages, index: null, after: (before) => before - tokens }),
  )
  return [...pruned, ...steps].sort((a, b) => a.messages - b.messages)
}

/** Returns the point with the most tokens, or null when there is none. */
export function peakOf(points: readonly CurvePoint[]): CurvePoint | null {
  return points.reduce<CurvePoint | null>((most, point) => (most && most.tokens >= point.tokens ? most : point), null)
}

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
export function thinned(points: readonly CurvePoint[], widthPx: number, messages: number): readonly CurvePoint[] {
  if (points.length <= widthPx * 3 || messages === 0) return points
  const column = (point: CurvePoint) => Math.floor((point.messages / messages) * widthPx)
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

/** Returns the last point at or before a number of messages, or the first point. */
export function pointAt(points: readonly CurvePoint[], messages: number): CurvePoint | null {
  const next = firstIndex(points.length, (index) => (points[index]?.messages ?? 0) > messages)
  return points[Math.max(0, next - 1)] ?? null
}
