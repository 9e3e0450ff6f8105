import { barFill, mergedFacts } from './bar-color.ts'
import { mergeNarrow, type Run } from './merge-narrow.ts'
import type { DepthBand } from './row-layout.ts'
import { DIMMED, isWithin, OF_SELECTION, type Scene } from './scene.ts'
import type { Rect, Shape } from './shapes.ts'
import type { SummaryRow } from './summary-index.ts'
import { toPx } from './viewport.ts'

/** Bars narrower than this, in CSS pixels, are merged with their neighbours. */
export const NARROW_PX = 1.5

/** All summaries in sight, a row for each depth. */
export function drawSummaries(scene: Scene): Shape[] {
  return scene.index.rows.flatMap((row, order) => {
    const band = scene.rows.depths[order]
    return band ? row.lanes.flatMap((lane) => drawLane(scene, row, lane, band)) : []
  })
}

function drawLane(scene: Scene, row: SummaryRow, lane: readonly number[], band: DepthBand): Rect[] {
  const { summaries } = scene.strata
  const bars: Rect[] = []
  for (const run of mergeNarrow({ x0: summaries.x0, x1: summaries.x1, places: lane }, scene.scale, NARROW_PX)) {
    const bar = drawRun(scene, row, lane, run, band)
    const previous = bars.at(-1)
    const joined = previous && joinAlike(previous, bar)
    if (joined) bars[bars.length - 1] = joined
    else bars.push(bar)
  }
  return bars
}

function drawRun(scene: Scene, row: SummaryRow, lane: readonly number[], run: Run, band: DepthBand): Rect {
  const { summaries } = scene.strata
  const places = run.first === run.last ? [lane[run.first] ?? 0] : lane.slice(run.first, run.last + 1)
  const first = places[0] ?? 0
  const last = places.at(-1) ?? first
  const isLit = places.some((place) => summaries.inWindow[place] === 1)
  const isOfSelection =
    scene.selected !== null &&
    row.depth <= scene.selected.depth &&
    isWithin(scene.selected, summaries.x0[first] ?? 0, summaries.x1[last] ?? 0)
  return {
    kind: 'rect',
    ...barBox(scene, first, run, band),
    fill: barFill(scene.colorBy, mergedFacts(summaries, places), scene.palette, scene.age),
    opacity: isLit ? 1 : isOfSelection ? OF_SELECTION : DIMMED,
  }
}

type Box = Required<Pick<Rect, 'x' | 'y' | 'w' | 'h' | 'radius'>>

/** Where a bar stands: its lane's share of the row, with a gap to its neighbour when there is room for one. */
function barBox(scene: Scene, place: number, { px0, px1 }: Pick<Run, 'px0' | 'px1'>, band: DepthBand): Box {
  const width = px1 - px0
  const gap = width >= 8 ? 2 : width >= 3 ? 1 : width >= NARROW_PX ? 0.5 : 0
  const lanes = scene.index.laneCount[place] ?? 1
  const laneHeight = band.h / lanes
  const w = Math.max(width - gap, 1)
  const h = Math.max(laneHeight - (lanes > 1 && laneHeight > 3 ? 1 : 0), 0.5)
  return {
    x: px0 + gap / 2,
    y: band.y + laneHeight * (scene.index.lane[place] ?? 0),
    w,
    h,
    radius: Math.min(2, w / 4, h / 4),
  }
}

/** Two slivers that look the same and touch are one rectangle to paint. */
function joinAlike(left: Rect, right: Rect): Rect | null {
  const isSliver = (rect: Rect) => (rect.radius ?? 0) < 0.5
  const touches = right.x - (left.x + left.w) < 0.75
  if (!touches || !isSliver(right) || (left.radius ?? 0) >= 0.5) return null
  if (left.fill !== right.fill || left.opacity !== right.opacity || left.y !== right.y || left.h !== right.h)
    return null
  return { ...left, w: Math.max(right.x + right.w - left.x, left.w) }
}

/** The box of one summary as it is drawn, for the outline of the selection and of what the pointer is over. */
export function summaryBox(scene: Scene, place: number): Box | null {
  const { summaries } = scene.strata
  const band = scene.rows.depths.find(({ depth }) => depth === summaries.depth[place])
  if (band === undefined) return null
  const px0 = toPx(scene.scale, summaries.x0[place] ?? 0)
  const px1 = toPx(scene.scale, summaries.x1[place] ?? 0)
  return barBox(scene, place, { px0, px1 }, band)
}
