import { NARROW_PX } from './draw-summaries.ts'
import { mergeNarrow } from './merge-narrow.ts'
import { depthFill } from './palette.ts'
import type { DepthBand } from './row-layout.ts'
import type { Scene } from './scene.ts'
import { type Line, outlineOf, type Shape } from './shapes.ts'
import { toPx } from './viewport.ts'

const HATCH_PX = 6
/** A narrower bar has no room for hatching inside its outline. */
const LEAST_HATCHED_PX = 5

type Box = { readonly x: number; readonly y: number; readonly w: number; readonly h: number }

/** Draws the nodes that a plan would make, outlined and hatched because they do not exist yet. */
export function drawPlan(scene: Scene): Shape[] {
  const { plan, rows, scale, palette } = scene
  if (plan === undefined) return []
  const { x0, x1 } = plan.bars
  return rows.depths.flatMap((band) => {
    const entries = plan.bars.rows.get(band.depth) ?? []
    return mergeNarrow({ x0, x1, entries }, scale, NARROW_PX).flatMap(({ px0, px1 }) =>
      drawBar(boxIn(band, px0, px1), depthFill(palette, band.depth)),
    )
  })
}

/** Draws the outline of the selected step. */
export function drawFocusedStep(scene: Scene): Shape[] {
  const box = scene.plan?.focused == null ? null : plannedBox(scene, scene.plan.focused)
  return box ? [outlineOf(box, scene.palette.text, 1.5)] : []
}

/** Returns the box of a step, or null when it has none. */
export function plannedBox({ plan, rows, scale }: Scene, step: number): Box | null {
  const entry = plan?.bars.step.indexOf(step) ?? -1
  const band = rows.depths.find(({ depth }) => depth === plan?.bars.depth[entry])
  if (plan === undefined || band === undefined) return null
  return boxIn(band, toPx(scale, plan.bars.x0[entry] ?? 0), toPx(scale, plan.bars.x1[entry] ?? 0))
}

function boxIn(band: DepthBand, px0: number, px1: number): Box {
  const gap = px1 - px0 > LEAST_HATCHED_PX ? 2 : 0
  return { x: px0 + gap / 2, y: band.y, w: Math.max(px1 - px0 - gap, 1), h: band.h }
}

function drawBar(box: Box, color: string): Shape[] {
  const body: Shape = { kind: 'rect', ...box, radius: Math.min(2, box.w / 4), fill: color, opacity: 0.16 }
  if (box.w < LEAST_HATCHED_PX) return [{ ...body, opacity: 0.45 }]
  const { x, y, w, h } = box
  const outline: Shape = { kind: 'rect', x: x + 0.5, y: y + 0.5, w: w - 1, h: h - 1, radius: 2, stroke: color }
  return [body, ...hatch(box, color), outline]
}

/** Slanted lines that end at the edges of the box. */
export function hatch({ x, y, w, h }: Box, stroke: string): Line[] {
  const count = Math.max(0, Math.ceil((w + h) / HATCH_PX) - 1)
  return Array.from({ length: count }, (_, i): Line => {
    // The position where a line of 45° meets the bottom edge, from the left end of the box.
    const foot = (i + 1) * HATCH_PX - h
    const left = Math.max(foot, 0)
    const right = Math.min(foot + h, w)
    return {
      kind: 'line',
      x0: x + left,
      y0: y + h - (left - foot),
      x1: x + right,
      y1: y + h - (right - foot),
      stroke,
      strokeWidth: 1,
      opacity: 0.5,
    }
  })
}
