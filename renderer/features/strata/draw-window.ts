import { rangeBandPx } from './draw-range.ts'
import { mergeNarrow } from './merge-narrow.ts'
import type { Scene } from './scene.ts'
import type { Rect, Shape } from './shapes.ts'
import { toPx } from './viewport.ts'

const NARROW_PX = 2
/** Room for the words "newest messages". */
const CAPTION_PX = 96

/** The opacity of active items that the model does not see. */
const LEFT_OUT = 0.3

/**
 * Draws the highlighted edge: what the model sees now, in the order of the history, over active items that are left
 * out.
 */
export function drawWindow({ strata, rows, scale, palette, replay }: Scene): Shape[] {
  if (replay != null) return drawRuns({ rows, scale, palette }, replay.window, 1)
  const runs = [...strata.window].sort((a, b) => a.x0 - b.x0 || a.x1 - b.x1)
  const edge = { rows, scale, palette }
  return [
    ...drawRuns(
      edge,
      runs.filter((run) => run.isLeftOut),
      LEFT_OUT,
    ),
    ...drawRuns(
      edge,
      runs.filter((run) => !run.isLeftOut),
      1,
    ),
  ]
}

type Edge = Pick<Scene, 'rows' | 'scale' | 'palette'>

function drawRuns(
  { rows, scale, palette }: Edge,
  runs: readonly { readonly x0: number; readonly x1: number }[],
  opacity: number,
): Shape[] {
  const ranges = { x0: runs.map((run) => run.x0), x1: runs.map((run) => run.x1), entries: runs.map((_, i) => i) }
  return mergeNarrow(ranges, scale, NARROW_PX).map(({ px0, px1 }): Rect => {
    const gap = px1 - px0 >= 5 ? 2 : px1 - px0 >= 3 ? 1 : 0
    const w = Math.max(px1 - px0 - gap, 1.5)
    return {
      kind: 'rect',
      x: px0 + gap / 2,
      ...rows.window,
      w,
      radius: Math.min(3, w / 2),
      fill: palette.lit,
      ...(opacity < 1 && { opacity }),
      y: rows.window.y,
    }
  })
}

/** Draws the range that is never compacted: tinted, with a dashed line at its beginning. */
export function drawFreshTail(scene: Scene): { plot: Shape[]; frame: Shape[] } {
  const { strata, rows, scale, palette } = scene
  if (strata.freshTailX >= strata.extent || scene.replay != null) return { plot: [], frame: [] }
  const start = toPx(scale, strata.freshTailX)
  const end = toPx(scale, strata.extent)
  const right = rows.plot.left + rows.plot.width
  const bottom = rows.messages.y + rows.messages.h
  const plot: Shape[] = [
    {
      kind: 'rect',
      x: start,
      y: rows.window.y - 7,
      w: end - start,
      h: bottom - rows.window.y + 7,
      fill: palette.lit,
      opacity: 0.08,
    },
    {
      kind: 'line',
      x0: start,
      y0: rows.window.y - 7,
      x1: start,
      y1: bottom,
      stroke: palette.lit,
      strokeWidth: 1,
      dash: [3, 3],
    },
  ]
  if (start > right || end < rows.plot.left) return { plot, frame: [] }
  const fits = start + CAPTION_PX <= right
  const x = fits ? Math.max(start, rows.plot.left) : right
  const band = rangeBandPx(scene)
  const from = fits ? x : x - CAPTION_PX
  if (band !== null && band.x1 > from && band.x0 < from + CAPTION_PX) return { plot, frame: [] }
  const caption: Shape = {
    kind: 'text',
    x,
    y: rows.captionY,
    text: 'newest messages',
    fill: palette['lit-text'],
    align: fits ? 'left' : 'right',
  }
  return { plot, frame: [caption] }
}
