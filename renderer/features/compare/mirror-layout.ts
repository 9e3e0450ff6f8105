import type { ComparedSide, ComparedState, Comparison } from '#core/contract/comparison.ts'

/** The places that are in sight: from one, up to and without another. */
export type Sight = { readonly from: number; readonly to: number }

/** A summary as it is drawn, or several that are too narrow to be told apart. */
export type DrawnBar = {
  readonly left: number
  readonly width: number
  readonly state: ComparedState
  readonly isInWindow: boolean
  readonly title: string
  /** The index among the summaries of its side; of several, that of the first. */
  readonly index: number
  /** How many summaries are drawn as one. */
  readonly count: number
}

const LEAST_WIDTH = 3
const GAP = 1
/** A selected difference that is narrower is zoomed to. */
const LEAST_SEEN = 5

/** Places a bar by its first and last place. */
export function placed(
  first: number,
  last: number,
  { from, to }: Sight,
  width: number,
): { left: number; width: number } {
  const scale = width / Math.max(1, to - from)
  return { left: (first - from) * scale, width: (last + 1 - first) * scale }
}

/** The depths of both sides, so that equal depths stand opposite each other. */
export function depthsOf({ a, b }: Comparison): readonly number[] {
  return [...new Set([...a.layers.depth, ...b.layers.depth])].sort((x, y) => x - y)
}

/** Returns the bars of one depth that are in sight. Narrow neighbours in the same state are drawn as one. */
export function barsOf({ layers }: ComparedSide, depth: number, sight: Sight, width: number): DrawnBar[] {
  const bars: { -readonly [Key in keyof DrawnBar]: DrawnBar[Key] }[] = []
  for (const [index, own] of layers.depth.entries()) {
    if (own !== depth) continue
    const [first, last] = [layers.first[index] ?? 0, layers.last[index] ?? 0]
    if (last < sight.from || first >= sight.to) continue
    const span = placed(first, last, sight, width)
    const [left, right] = [Math.max(0, span.left), Math.min(width, span.left + span.width)]
    const state = layers.state[index] ?? 'only'
    const before = bars.at(-1)
    const isNarrow = right - left < LEAST_WIDTH
    if (
      before &&
      isNarrow &&
      before.width < LEAST_WIDTH * 2 &&
      before.state === state &&
      left - before.left - before.width < 2
    ) {
      before.width = Math.max(before.width, right - before.left)
      before.count += 1
      continue
    }
    bars.push({
      ...{ left, width: Math.max(1, right - left - GAP), state, index, count: 1 },
      isInWindow: layers.inWindow[index] ?? false,
      title: layers.title[index] ?? '',
    })
  }
  return bars
}

/** A run of a window as it is drawn. */
export type DrawnRun = { readonly left: number; readonly width: number; readonly isSummary: boolean }

/** Returns what of a window is in sight. Neighbours of one kind that are too narrow are drawn as one. */
export function windowOf({ window }: ComparedSide, sight: Sight, width: number): DrawnRun[] {
  const runs: { left: number; width: number; isSummary: boolean }[] = []
  for (const { first, last, id } of window) {
    if (last < sight.from || first >= sight.to) continue
    const span = placed(first, last, sight, width)
    const [left, right] = [Math.max(0, span.left), Math.min(width, span.left + span.width)]
    const before = runs.at(-1)
    if (
      before &&
      right - left < LEAST_WIDTH &&
      before.isSummary === (id !== null) &&
      left - before.left - before.width < 2
    )
      before.width = Math.max(before.width, right - before.left)
    else runs.push({ left, width: Math.max(1, right - left - GAP), isSummary: id !== null })
  }
  return runs
}

/** How far the columns of details reach, from 0 to 1, and by how much each side keeps more than the other. */
export type DetailColumn = { readonly left: number; readonly width: number; readonly a: number; readonly b: number }

/** Returns the details that stand in each window, by column, as shares of the largest column in sight. */
export function detailColumns({ details }: Comparison, sight: Sight, width: number): DetailColumn[] {
  if (details === null) return []
  const from = Math.floor(sight.from / details.width)
  const to = Math.min(details.details.length, Math.ceil(sight.to / details.width))
  const least = Math.max(1, Math.ceil((to - from) / Math.max(1, width / 2)))
  const columns: { first: number; last: number; a: number; b: number }[] = []
  for (let column = from; column < to; column += least) {
    const end = Math.min(to, column + least)
    const sum = (of: readonly number[]): number => of.slice(column, end).reduce((total, own) => total + own, 0)
    const first = column * details.width
    columns.push({ first, last: end * details.width - 1, a: sum(details.a), b: sum(details.b) })
  }
  const most = columns.reduce((top, { a, b }) => Math.max(top, a, b), 1)
  // Roots, so that a message with few details is seen beside the output of a tool.
  return columns.map(({ first, last, a, b }) => {
    const span = placed(first, last, sight, width)
    return { left: span.left, width: Math.max(0.5, span.width - 0.5), a: Math.sqrt(a / most), b: Math.sqrt(b / most) }
  })
}

/** Returns the sight after zooming by a factor around a place. It never leaves the axis, and holds eight places at least. */
export function zoomed({ from, to }: Sight, factor: number, around: number, places: number): Sight {
  const length = Math.min(places, Math.max(Math.min(8, places), (to - from) * factor))
  const start = around - ((around - from) / Math.max(1, to - from)) * length
  const begin = Math.min(Math.max(0, start), places - length)
  return { from: begin, to: begin + length }
}

/** Returns the sight after moving by some places. */
export function moved({ from, to }: Sight, by: number, places: number): Sight {
  const begin = Math.min(Math.max(0, from + by), Math.max(0, places - (to - from)))
  return { from: begin, to: begin + (to - from) }
}

/** Returns a sight in which some places can be seen: the same one when they are in it and not too narrow. */
export function revealing(sight: Sight, first: number, last: number, places: number, width: number): Sight {
  const { left, width: own } = placed(first, last, sight, width)
  const isInSight = left >= 0 && left + own <= width + 0.5
  if (isInSight && own >= LEAST_SEEN) return sight
  const length = Math.min(places, Math.max(80, (last + 1 - first) * 8))
  if (own >= LEAST_SEEN && own < width)
    return moved(sight, (first + last + 1) / 2 - (sight.from + sight.to) / 2, places)
  const middle = (first + last + 1) / 2
  return moved({ from: 0, to: length }, middle - length / 2, places)
}
