import type { Strata } from '#core/contract/strata.ts'
import { keptOf } from '#renderer/ui/data/kept-of.ts'

/** The summaries of one depth, divided into lanes without overlaps. */
export type SummaryRow = {
  readonly depth: number
  /** Indexes of the columns, sorted by x0 and by x1 alike. */
  readonly lanes: readonly (readonly number[])[]
}

/** Finds summaries by depth and x, and by id, without looking at all of them. */
export type SummaryIndex = {
  /** Deepest first, as they are drawn. */
  readonly rows: readonly SummaryRow[]
  /** Returns the index of a summary in the columns, by its id. */
  readonly entryOf: (id: string) => number | undefined
  /** The lane of each summary, and the number of lanes with which it shares its height: 1 without overlaps. */
  readonly lane: Uint32Array
  readonly laneCount: Uint32Array
}

type Summaries = Strata['summaries']

/** Bars that overlap by less than this part of the history are neighbours, and shorter bars are points. */
const TOUCHING = 1e-9

/** Builds the index, once per answer of the core. O(n log n). */
export const indexSummaries = keptOf(indexOf)

function indexOf({ summaries, extent }: Pick<Strata, 'summaries' | 'extent'>): SummaryIndex {
  const lane = new Uint32Array(summaries.id.length)
  const laneCount = new Uint32Array(summaries.id.length).fill(1)
  const rows = [...placesByDepth(summaries)]
    .sort(([a], [b]) => b - a)
    .map(([depth, entries]) => ({
      depth,
      lanes: splitIntoLanes(summaries, entries, extent * TOUCHING, lane, laneCount),
    }))
  return { rows, entryOf: entriesById(summaries), lane, laneCount }
}

/** What is asked for first makes the map: a drawing in which nothing is selected needs none. */
function entriesById({ id }: Summaries): SummaryIndex['entryOf'] {
  let entries: Map<string, number> | null = null
  return (wanted) => {
    entries ??= new Map(id.map((own, entry) => [own, entry]))
    return entries.get(wanted)
  }
}

function placesByDepth({ depth, x0, x1 }: Summaries): Map<number, number[]> {
  const byDepth = new Map<number, number[]>()
  depth.forEach((d, entry) => {
    const entries = byDepth.get(d)
    if (entries) entries.push(entry)
    else byDepth.set(d, [entry])
  })
  const at = (column: readonly number[], entry: number) => column[entry] ?? 0
  for (const entries of byDepth.values()) entries.sort((a, b) => at(x0, a) - at(x0, b) || at(x1, a) - at(x1, b))
  return byDepth
}

/**
 * Gives every bar a lane that has ended before it begins. Bars that overlap, directly or through others, share the
 * height of the row; the rest keep all of it. Bars without width cannot hide anything: they share the last lane.
 */
function splitIntoLanes(
  { x0, x1 }: Summaries,
  entries: number[],
  touching: number,
  lane: Uint32Array,
  laneCount: Uint32Array,
): number[][] {
  const start = (entry: number) => (x0[entry] ?? 0) + touching
  const end = (entry: number) => x1[entry] ?? 0
  // In a sound memory nothing overlaps.
  if (areApart(entries, start, end)) return [entries]
  const bars = entries.filter((entry) => end(entry) > start(entry))
  const points = entries.filter((entry) => end(entry) <= start(entry))
  const byEnd = [...bars].sort((a, b) => end(a) - end(b))
  const lanes: number[][] = []
  let ended = 0
  let groupFirst = 0
  let groupEnd = Number.NEGATIVE_INFINITY
  let lanesOfGroup = 0
  let free: number[] = []
  const closeGroup = (next: number) => {
    for (const entry of bars.slice(groupFirst, next)) laneCount[entry] = lanesOfGroup
    groupFirst = next
    lanesOfGroup = 0
    free = []
  }
  bars.forEach((entry, order) => {
    if (start(entry) >= groupEnd) {
      closeGroup(order)
      ended = order
    }
    for (let done = byEnd[ended]; done !== undefined && end(done) <= start(entry); done = byEnd[++ended])
      free.push(lane[done] ?? 0)
    const own = free.pop() ?? lanesOfGroup++
    lane[entry] = own
    groupEnd = Math.max(groupEnd, end(entry))
    const members = lanes[own]
    if (members) members.push(entry)
    else lanes[own] = [entry]
  })
  closeGroup(bars.length)
  return points.length > 0 ? [...lanes, points] : lanes
}

/** Whether sorted bars follow each other, and each of them has a width. */
function areApart(
  entries: readonly number[],
  start: (entry: number) => number,
  end: (entry: number) => number,
): boolean {
  let ended = Number.NEGATIVE_INFINITY
  for (const entry of entries) {
    if (start(entry) < ended || end(entry) <= start(entry)) return false
    ended = end(entry)
  }
  return true
}
