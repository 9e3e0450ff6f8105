import type { StrataMessages } from '../../../core/contract/strata.ts'
import { mergeNarrow, type Run } from './merge-narrow.ts'
import { roleFill } from './palette.ts'
import { type Buckets, DIMMED, isWithin, OF_SELECTION, type Scene } from './scene.ts'
import type { Rect, Shape } from './shapes.ts'
import type { Viewport } from './viewport.ts'

const COLUMN_PX = 1.5

/** The histogram of the messages: fine where it has been fetched, coarse around it until then. */
export function drawMessages(scene: Scene): Shape[] {
  const { detail, overview } = scene
  const around = overview ? drawBuckets(scene, overview, (x) => detail === null || x < detail.x0 || x > detail.x1) : []
  return detail ? [...around, ...drawBuckets(scene, detail, () => true)] : around
}

function drawBuckets(scene: Scene, { columns, places }: Buckets, isWanted: (x: number) => boolean): Rect[] {
  const rects: Rect[] = []
  for (const run of mergeNarrow({ x0: columns.x0, x1: columns.x1, places }, scene.scale, COLUMN_PX)) {
    const x0 = columns.x0[run.first] ?? 0
    const x1 = columns.x1[run.last] ?? 0
    if (isWanted((x0 + x1) / 2)) rects.push(drawColumn(scene, columns, run, { x0, x1 }))
  }
  return rects
}

function drawColumn(scene: Scene, columns: StrataMessages, run: Run, stretch: Viewport): Rect {
  const { messages: band } = scene.rows
  let largest = 0
  let inWindow = 0
  let loudest = run.first
  for (let place = run.first; place <= run.last; place++) {
    largest = Math.max(largest, columns.maxTokens[place] ?? 0)
    inWindow += columns.inWindow[place] ?? 0
    if ((columns.tokens[place] ?? 0) > (columns.tokens[loudest] ?? 0)) loudest = place
  }
  const height = Math.max(1, columnHeight(largest, scene.largestTokens) * band.h)
  const width = run.px1 - run.px0
  const gap = width >= 6 ? 1.5 : width >= 2 ? 0.75 : 0
  return {
    kind: 'rect',
    x: run.px0 + gap / 2,
    y: band.y + band.h - height,
    w: Math.max(width - gap, 1),
    h: height,
    fill: roleFill(scene.palette, columns.role[loudest] ?? 0),
    opacity: inWindow > 0 ? 1 : isWithin(scene.selected, stretch.x0, stretch.x1) ? OF_SELECTION : DIMMED,
  }
}

/** Share of the row's height. Logarithmic, since one tool result may be as large as a thousand questions. */
export const columnHeight = (tokens: number, largestTokens: number): number =>
  Math.log1p(tokens / 24) / Math.log1p(Math.max(largestTokens, 1) / 24)
