import { withSigns } from '#renderer/ui/texts/hidden-characters.ts'
import { barFill, mergedFacts } from './bar-color.ts'
import { firstNotBelow, mergeNarrow, type Run } from './merge-narrow.ts'
import { wordsOn } from './palette.ts'
import type { DepthBand } from './row-layout.ts'
import { DIMMED, isWithin, OF_SELECTION, type Scene } from './scene.ts'
import { FONT_SIZE, type Rect, type Shape } from './shapes.ts'
import { FILTERED_OUT, isRunShown } from './strata-filter.ts'
import type { SummaryRow } from './summary-index.ts'
import { toPx, toX } from './viewport.ts'

/** Bars narrower than this, in CSS pixels, are merged with their neighbours. */
export const NARROW_PX = 1.5

/** The distance of words from the edge of their bar. */
const WORDS_PAD = 7

/** Draws all summaries in sight, in a row for each depth. */
export function drawSummaries(scene: Scene): Shape[] {
  return scene.index.rows.flatMap((row, order) => {
    const band = scene.rows.depths[order]
    return band ? row.lanes.flatMap((lane) => drawLane(scene, row, lane, band)) : []
  })
}

function drawLane(scene: Scene, row: SummaryRow, lane: readonly number[], band: DepthBand): Shape[] {
  const { summaries } = scene.strata
  const gap = gapOf(scene, row)
  const bars: Rect[] = []
  const words: Shape[] = []
  const shares: Shape[] = []
  const isThere = scene.replay?.isThere
  for (const run of mergeNarrow({ x0: summaries.x0, x1: summaries.x1, entries: lane }, scene.scale, NARROW_PX)) {
    if (isThere !== undefined && !isAnyOf(isThere, lane, run)) continue
    const bar: Rect = {
      kind: 'rect',
      ...barBox(scene, lane[run.first] ?? 0, run, band, gap),
      fill: barFill(scene.colorBy, mergedFacts(summaries, lane, run), scene.palette, scene.age),
      opacity: opacityOf(scene, row, lane, run) * (isRunShown(scene, lane, run) ? 1 : FILTERED_OUT),
    }
    if (scene.colorBy === 'survival') shares.push(...drawShare(scene, bar, run))
    if (run.first === run.last) words.push(...drawName(scene, summaries.id[lane[run.first] ?? 0], bar))
    const previous = bars.at(-1)
    const joined = previous && joinAlike(previous, bar)
    if (joined) bars[bars.length - 1] = joined
    else bars.push(bar)
  }
  return [...bars, ...shares, ...words]
}

/** The height of the line below a bar that says which share of the details of its messages stands in the window. */
const SHARE_HEIGHT = 3
const LEAST_SHARE_PX = 6

/** Draws below a bar, as far as its messages have been counted, how many of their details still stand in the window. */
function drawShare({ overview, scale, palette }: Scene, bar: Rect, run: Run): readonly Shape[] {
  if (overview?.survival === undefined || bar.w < LEAST_SHARE_PX || bar.h < 3 * SHARE_HEIGHT) return []
  const { columns, entries, survival } = overview
  const [x0, x1] = [toX(scale, run.px0), toX(scale, run.px1)]
  let [details, kept] = [0, 0]
  for (let at = firstNotBelow(columns.x1, entries, x0); at < entries.length; at++) {
    const middle = ((columns.x0[at] ?? 0) + (columns.x1[at] ?? 0)) / 2
    if (middle >= x1) break
    if (middle < x0) continue
    details += survival.details[at] ?? 0
    kept += survival.kept[at] ?? 0
  }
  if (details === 0) return []
  const line = { kind: 'rect', x: bar.x, y: bar.y + bar.h - SHARE_HEIGHT, h: SHARE_HEIGHT } as const
  return [
    { ...line, w: bar.w, fill: palette.ground, opacity: 0.45 },
    { ...line, w: (bar.w * kept) / details, fill: palette.lit },
  ]
}

/** Draws the name of a summary into its bar, in the part that is in sight. */
function drawName({ names, scale, palette }: Scene, id: string | undefined, bar: Rect): readonly Shape[] {
  const name = id === undefined ? undefined : names?.get(id)
  if (name === undefined || bar.h < FONT_SIZE + 2) return []
  const x = Math.max(bar.x, scale.left) + WORDS_PAD
  const maxWidth = Math.min(bar.x + bar.w, scale.left + scale.width) - WORDS_PAD - x
  if (maxWidth < 2 * FONT_SIZE) return []
  const fill = wordsOn(bar.fill ?? palette.ground, bar.opacity ?? 1, palette)
  return [{ kind: 'text', x, y: bar.y + bar.h / 2 + 0.5, text: withSigns(name), fill, align: 'left', maxWidth }]
}

/** Whether one of some merged summaries is marked in a column. */
function isAnyOf(column: Uint8Array, lane: readonly number[], { first, last }: Run): boolean {
  for (let order = first; order <= last; order++) if (column[lane[order] ?? 0] === 1) return true
  return false
}

/** A merged bar is bright when one of its summaries is in the window, so that the window is never hidden. */
function opacityOf(
  { strata, selected, core, replay }: Scene,
  { depth }: SummaryRow,
  lane: readonly number[],
  run: Run,
): number {
  const { x0, x1 } = strata.summaries
  const inWindow = replay?.inWindow ?? strata.summaries.inWindow
  for (let order = run.first; order <= run.last; order++) {
    const entry = lane[order] ?? 0
    if ((inWindow[entry] === 1 && core == null) || entry === selected?.entry) return 1
  }
  if (core != null) {
    for (let order = run.first; order <= run.last; order++)
      if (core.layers.some(({ entry }) => entry === lane[order])) return 1
    return DIMMED / 2
  }
  const isBelowSelection = selected !== null && depth <= selected.depth
  const isOfSelection =
    isBelowSelection && isWithin(selected, x0[lane[run.first] ?? 0] ?? 0, x1[lane[run.last] ?? 0] ?? 0)
  return isOfSelection ? OF_SELECTION : DIMMED
}

type Box = Required<Pick<Rect, 'x' | 'y' | 'w' | 'h' | 'radius'>>

/** Returns the box of a bar: its lane's share of the row, with a gap to its neighbour when it is wide enough. */
function barBox(
  { index }: Scene,
  entry: number,
  { px0, px1 }: Pick<Run, 'px0' | 'px1'>,
  band: DepthBand,
  rowGap: number,
): Box {
  const width = px1 - px0
  const gap = Math.min(rowGap, width / 3)
  const lanes = index.laneCount[entry] ?? 1
  const laneHeight = band.h / lanes
  const w = Math.max(width - gap, 1)
  const h = Math.max(laneHeight - (lanes > 1 && laneHeight > 3 ? 1 : 0), 0.5)
  const y = band.y + laneHeight * (index.lane[entry] ?? 0)
  return { x: px0 + gap / 2, y, w, h, radius: Math.min(2, w / 4, h / 4) }
}

/**
 * Returns one gap for a whole row, from the mean width of its bars. Single gaps among narrow bars would look like
 * damage.
 */
function gapOf({ strata, scale }: Scene, row: SummaryRow | undefined): number {
  const bars = row?.lanes.reduce((count, lane) => count + lane.length, 0) ?? 0
  const meanPx = ((strata.extent / Math.max(bars, 1)) * scale.width) / (scale.x1 - scale.x0)
  return meanPx < NARROW_PX ? 0 : Math.min(2, meanPx * 0.16)
}

/** Joins two narrow bars that touch and look the same into one rectangle. */
function joinAlike(left: Rect, right: Rect): Rect | null {
  const isSliver = (rect: Rect) => (rect.radius ?? 0) < 0.5
  const touches = right.x - (left.x + left.w) < 0.75
  if (!touches || !isSliver(right) || (left.radius ?? 0) >= 0.5) return null
  if (left.fill !== right.fill || left.opacity !== right.opacity || left.y !== right.y || left.h !== right.h)
    return null
  return { ...left, w: Math.max(right.x + right.w - left.x, left.w) }
}

/** Returns the box of one summary, for the outline of the selection and of the bar under the pointer. */
export function summaryBox(scene: Scene, entry: number): Box | null {
  const { summaries } = scene.strata
  const band = scene.rows.depths.find(({ depth }) => depth === summaries.depth[entry])
  const row = scene.index.rows.find(({ depth }) => depth === summaries.depth[entry])
  if (band === undefined) return null
  const px0 = toPx(scene.scale, summaries.x0[entry] ?? 0)
  const px1 = toPx(scene.scale, summaries.x1[entry] ?? 0)
  return barBox(scene, entry, { px0, px1 }, band, gapOf(scene, row))
}
