import type { Strata } from '../../../core/contract/strata.ts'

/** The summaries of one depth, split into lanes in which none overlaps another. */
export type SummaryRow = {
  readonly depth: number
  /** Places in the columns of the strata, sorted by x0 and by x1 alike. */
  readonly lanes: readonly (readonly number[])[]
}

/** Finds summaries by depth and x, and by id, without looking at all of them. */
export type SummaryIndex = {
  /** Deepest first, as they are drawn. */
  readonly rows: readonly SummaryRow[]
  /** Place of a summary by its id. */
  readonly placeOf: ReadonlyMap<string, number>
  /** Lane of each summary, and how many lanes it shares its height with: 1 where nothing overlaps. */
  readonly lane: Uint32Array
  readonly laneCount: Uint32Array
}

type Summaries = Strata['summaries']

/** Bars that share less than this part of the history are neighbours, and shorter bars are points. */
const TOUCHING = 1e-9

/** Builds the index, once per answer of the core. O(n log n). */
export function indexSummaries({ summaries, extent }: Pick<Strata, 'summaries' | 'extent'>): SummaryIndex {
  const lane = new Uint32Array(summaries.id.length)
  const laneCount = new Uint32Array(summaries.id.length).fill(1)
  const rows = [...placesByDepth(summaries)]
    .sort(([a], [b]) => b - a)
    .map(([depth, places]) => ({ depth, lanes: splitIntoLanes(summaries, places, extent * TOUCHING, lane, laneCount) }))
  return { rows, placeOf: new Map(summaries.id.map((id, place) => [id, place])), lane, laneCount }
}

function placesByDepth({ depth, x0, x1 }: Summaries): Map<number, number[]> {
  const byDepth = new Map<number, number[]>()
  depth.forEach((d, place) => {
    const places = byDepth.get(d)
    if (places) places.push(place)
    else byDepth.set(d, [place])
  })
  const at = (column: readonly number[], place: number) => column[place] ?? 0
  for (const places of byDepth.values()) places.sort((a, b) => at(x0, a) - at(x0, b) || at(x1, a) - at(x1, b))
  return byDepth
}

/**
 * Gives every bar a lane that has ended before it begins. Bars that overlap, directly or through others, share the
 * height of the row; the rest keep all of it. Bars without width cannot hide anything: they share the last lane.
 */
function splitIntoLanes(
  { x0, x1 }: Summaries,
  places: readonly number[],
  touching: number,
  lane: Uint32Array,
  laneCount: Uint32Array,
): number[][] {
  const start = (place: number) => (x0[place] ?? 0) + touching
  const end = (place: number) => x1[place] ?? 0
  const bars = places.filter((place) => end(place) > start(place))
  const points = places.filter((place) => end(place) <= start(place))
  const byEnd = [...bars].sort((a, b) => end(a) - end(b))
  const lanes: number[][] = []
  let ended = 0
  let groupFirst = 0
  let groupEnd = Number.NEGATIVE_INFINITY
  let lanesOfGroup = 0
  let free: number[] = []
  const closeGroup = (next: number) => {
    for (const place of bars.slice(groupFirst, next)) laneCount[place] = lanesOfGroup
    groupFirst = next
    lanesOfGroup = 0
    free = []
  }
  bars.forEach((place, order) => {
    if (start(place) >= groupEnd) {
      closeGroup(order)
      ended = order
    }
    for (let done = byEnd[ended]; done !== undefined && end(done) <= start(place); done = byEnd[++ended])
      free.push(lane[done] ?? 0)
    const own = free.pop() ?? lanesOfGroup++
    lane[place] = own
    groupEnd = Math.max(groupEnd, end(place))
    const members = lanes[own]
    if (members) members.push(place)
    else lanes[own] = [place]
  })
  closeGroup(bars.length)
  return points.length > 0 ? [...lanes, points] : lanes
}
