import type { StrataAxis } from '../contract/strata.ts'
import type { History } from '../memory/history.ts'
import type { GraphNode, SummaryGraph } from '../memory/summary-graph.ts'

/** Where the messages of a history stand along x. Both ends never decrease with the rank. */
export type Axis = {
  /** x runs from 0 to here. */
  readonly extent: number
  /** Time axis: the time at x = 0; null on the others, and where no message has a time. */
  readonly originMs: number | null
  startOf(rank: number): number
  endOf(rank: number): number
}

/** Messages that share one clock time are drawn side by side within this time, or until the next message. */
const SAME_TIME_MS = 1000
/** Longest time that one message is drawn for: what comes after it is silence, not message. */
const MESSAGE_MS = 60_000

/** Lays a history out along an axis; on the time axis by its steady clock. */
export function axisOf(history: History, axis: StrataAxis): Axis {
  switch (axis) {
    case 'messages':
      return { extent: history.length, originMs: null, startOf: (rank) => rank, endOf: (rank) => rank + 1 }
    case 'tokens':
      return {
        extent: history.totalTokens,
        originMs: null,
        startOf: (rank) => history.tokensBefore[rank] ?? 0,
        endOf: (rank) => history.tokensBefore[rank + 1] ?? 0,
      }
    case 'time':
      return timeAxis(history)
  }
}

/** Where the messages from `first` to `last` begin and end. */
export const spanOf = (axis: Axis, first: number, last: number): readonly [x0: number, x1: number] => [
  axis.startOf(first),
  axis.endOf(last),
]

/** Where a node stands: over what it covers; where it covers nothing, at the time at which it was made. */
export function nodeSpan(graph: SummaryGraph, node: GraphNode, axis: Axis): readonly [x0: number, x1: number] {
  const [first] = node.ranges
  const end = node.ranges.at(-1)
  if (first !== undefined && end !== undefined) return spanOf(axis, first, end - 1)
  const rank = node.createdAtMs === null ? graph.history.length : graph.history.rankAtTime(node.createdAtMs)
  const x = rank >= graph.history.length ? axis.extent : axis.startOf(rank)
  return [x, x]
}

function timeAxis(history: History): Axis {
  const starts = spread(history.clockMs)
  const last = starts.length - 1
  const origin = history.clockMs[0]
  const endOf = (rank: number): number => {
    const start = starts[rank] ?? 0
    return Math.min(starts[rank + 1] ?? Number.POSITIVE_INFINITY, start + MESSAGE_MS)
  }
  // The last one has no next message to end at: it is as long as its neighbour of the same time, or a second.
  const before = last > 0 ? (starts[last] as number) - (starts[last - 1] as number) : SAME_TIME_MS
  const lastLength = before > 0 && before < SAME_TIME_MS ? before : SAME_TIME_MS
  const extent = last < 0 ? 0 : (starts[last] as number) + lastLength
  return {
    extent,
    originMs: origin === undefined || Number.isNaN(origin) ? null : origin,
    startOf: (rank) => starts[rank] ?? 0,
    endOf: (rank) => (rank >= last ? extent : endOf(rank)),
  }
}

/** Milliseconds since the first message, with messages of one and the same time drawn apart evenly. */
function spread(clockMs: Float64Array): Float64Array {
  const starts = new Float64Array(clockMs.length)
  const origin = clockMs[0] ?? 0
  const timeOf = (rank: number): number => (Number.isNaN(origin) ? 0 : (clockMs[rank] as number) - origin)
  for (let first = 0; first < clockMs.length; ) {
    const time = timeOf(first)
    let next = first + 1
    while (next < clockMs.length && timeOf(next) === time) next += 1
    const room = next < clockMs.length ? Math.min(SAME_TIME_MS, timeOf(next) - time) : SAME_TIME_MS
    for (let rank = first; rank < next; rank += 1) starts[rank] = time + (room * (rank - first)) / (next - first)
    first = next
  }
  return starts
}
