import type { StrataAxis } from '../contract/strata.ts'
import type { Memory } from '../memory/memory.ts'
import type { Messages } from '../memory/messages.ts'

/** Where each message begins and ends on the x axis. Neither value decreases with the position. */
export type Axis = {
  /** The end of the axis, which begins at 0. */
  readonly extent: number
  /** The time at x = 0 of a time axis. It is null on other axes and when no message has a time. */
  readonly originMs: number | null
  startOf(position: number): number
  endOf(position: number): number
}

/** Messages with the same time are drawn side by side within this time, or until the next message. */
const SAME_TIME_MS = 1000
/** A message is drawn for at most this time. What follows is silence and not the message. */
const MESSAGE_MS = 60_000

/**
 * Places the messages of a conversation along an axis. A time axis uses times that never decrease (see `steadyClock`).
 */
export function axisOf(messages: Messages, axis: StrataAxis): Axis {
  switch (axis) {
    case 'messages':
      return {
        extent: messages.length,
        originMs: null,
        startOf: (position) => position,
        endOf: (position) => position + 1,
      }
    case 'tokens':
      return {
        extent: messages.totalTokens,
        originMs: null,
        startOf: (position) => messages.tokensBefore[position] ?? 0,
        endOf: (position) => messages.tokensBefore[position + 1] ?? 0,
      }
    case 'time':
      return timeAxis(messages)
  }
}

/** Returns where the messages from `first` to `last` begin and end on the axis. */
export const rangeOf = (axis: Axis, first: number, last: number): readonly [x0: number, x1: number] => [
  axis.startOf(first),
  axis.endOf(last),
]

/**
 * Returns the range of a node on the axis: that of the messages it covers or, if it covers none, the time of its
 * creation.
 */
export function nodeRange(
  { messages, summaries, coverage }: Memory,
  node: number,
  axis: Axis,
): readonly [x0: number, x1: number] {
  const ranges = coverage.reach(node)
  const [first, end] = [ranges[0], ranges.at(-1)]
  if (first !== undefined && end !== undefined) return rangeOf(axis, first, end - 1)
  const { createdAtMs } = summaries.at(node)
  const position = createdAtMs === null ? messages.length : messages.positionAtTime(createdAtMs)
  const x = position >= messages.length ? axis.extent : axis.startOf(position)
  return [x, x]
}

function timeAxis(messages: Messages): Axis {
  const starts = spread(messages.clockMs)
  const last = starts.length - 1
  const origin = messages.clockMs[0]
  const endOf = (position: number): number => {
    const start = starts[position] ?? 0
    return Math.min(starts[position + 1] ?? Number.POSITIVE_INFINITY, start + MESSAGE_MS)
  }
  // The last message has no next one at which it could end. It is as long as its neighbour of the same time, or a
  // second.
  const before = last > 0 ? (starts[last] as number) - (starts[last - 1] as number) : SAME_TIME_MS
  const lastLength = before > 0 && before < SAME_TIME_MS ? before : SAME_TIME_MS
  const extent = last < 0 ? 0 : (starts[last] as number) + lastLength
  return {
    extent,
    originMs: origin === undefined || Number.isNaN(origin) ? null : origin,
    startOf: (position) => starts[position] ?? 0,
    endOf: (position) => (position >= last ? extent : endOf(position)),
  }
}

/** Returns milliseconds since the first message. Messages of the same time are spread evenly. */
function spread(clockMs: Float64Array): Float64Array {
  const starts = new Float64Array(clockMs.length)
  const origin = clockMs[0] ?? 0
  const timeOf = (position: number): number => (Number.isNaN(origin) ? 0 : (clockMs[position] as number) - origin)
  for (let first = 0; first < clockMs.length; ) {
    const time = timeOf(first)
    let next = first + 1
    while (next < clockMs.length && timeOf(next) === time) next += 1
    const room = next < clockMs.length ? Math.min(SAME_TIME_MS, timeOf(next) - time) : SAME_TIME_MS
    for (let position = first; position < next; position += 1)
      starts[position] = time + (room * (position - first)) / (next - first)
    first = next
  }
  return starts
}
