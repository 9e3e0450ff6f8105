import { groupMarks } from './mark-groups.ts'
import type { Scene } from './scene.ts'
import type { Shape } from './shapes.ts'
import { axisTicks } from './ticks.ts'
import { toPx } from './viewport.ts'

const LABEL_GAP = 12

/** Draws the names of the rows in the gutter. */
export function drawRowLabels({ strata, rows, palette }: Scene): Shape[] {
  const label = (text: string, band: { y: number; h: number }): Shape => ({
    kind: 'text',
    x: rows.plot.left - LABEL_GAP,
    y: band.y + band.h / 2,
    text,
    fill: palette.dim,
    align: 'right',
  })
  return [
    label('window', rows.window),
    ...rows.depths.map((band) => label(band.label, band)),
    label('msgs', rows.messages),
    ...(strata.runs.length > 0 ? [label('runs', rows.runs)] : []),
  ]
}

/** The average width of a character in Inter relative to its size, to decide whether a label fits. */
const CHAR_PX = 6.2
/** A label may reach this far into the right margin. */
const OVERHANG_PX = 14

/**
 * Draws the axis with its ticks. A label that does not fit on the right is to the left of its tick, if it fits there.
 */
export function drawAxis(scene: Scene): Shape[] {
  const { rows, palette } = scene
  const { left, width } = rows.plot
  const line = { kind: 'line', stroke: palette['line-strong'], strokeWidth: 1 } as const
  let freeFrom = left
  const ticks = axisTicks({ ...scene.strata, scale: scene.scale, nowMs: scene.nowMs }).flatMap(
    ({ px, label }): Shape[] => {
      const mark: Shape = { ...line, x0: px, y0: rows.axisY, x1: px, y1: rows.axisY + (label === '' ? 3 : 5) }
      const labelWidth = label.length * CHAR_PX
      const align = px + labelWidth > left + width + OVERHANG_PX ? 'right' : 'left'
      const start = align === 'right' ? px - labelWidth : px
      if (label === '' || start < freeFrom - CHAR_PX) return [mark]
      freeFrom = start + labelWidth + CHAR_PX
      const x = align === 'right' ? px - 3 : px + 3
      return [mark, { kind: 'text', x, y: rows.axisY + 13, text: label, fill: palette.dim, align }]
    },
  )
  return [{ ...line, x0: left, y0: rows.axisY, x1: left + width, y1: rows.axisY }, ...ticks]
}

/** Draws the whole history in small: the part in sight, the selection, and findings. */
export function drawOverview({ strata, rows, scale, selected, range, palette }: Scene): Shape[] {
  const band = rows.overview
  const { left, width } = rows.plot
  const extent = strata.extent > 0 ? strata.extent : 1
  const whole = { x0: 0, x1: extent, left, width }
  const thumb = overviewThumb(scale, whole.x1, rows.plot)
  const tick = (x: number, w: number, fill: string, opacity = 1): Shape => ({
    kind: 'rect',
    x: toPx(whole, x),
    y: band.y + 3,
    w: Math.max(2, w),
    h: band.h - 6,
    fill,
    opacity,
  })
  return [
    { kind: 'rect', x: left, ...band, w: width, radius: 4, fill: palette.panel, stroke: palette.line, strokeWidth: 1 },
    { kind: 'rect', x: thumb.x, ...band, w: thumb.w, radius: 4, fill: palette.d1, opacity: 0.4 },
    ...(range ? [tick(range.x0, toPx(whole, range.x1) - toPx(whole, range.x0), palette.user, 0.45)] : []),
    ...groupMarks(strata.marks, whole).map(({ x0, uncovered }) =>
      tick(x0, 2, uncovered > 0 ? palette.error : palette.warning),
    ),
    ...(selected ? [tick(selected.x0, toPx(whole, selected.x1) - toPx(whole, selected.x0), palette.text, 0.6)] : []),
    { kind: 'rect', x: thumb.x, ...band, w: thumb.w, radius: 4, stroke: palette['line-strong'], strokeWidth: 1 },
  ]
}

/** Returns the position of the part in sight in the overview. It is never too narrow to be dragged. */
export function overviewThumb(
  { x0, x1 }: { readonly x0: number; readonly x1: number },
  extent: number,
  plot: { readonly left: number; readonly width: number },
): { readonly x: number; readonly w: number } {
  const w = Math.min(plot.width, Math.max(14, ((x1 - x0) / extent) * plot.width))
  const middle = plot.left + ((x0 + x1) / 2 / extent) * plot.width
  return { x: Math.min(Math.max(middle - w / 2, plot.left), plot.left + plot.width - w), w }
}
