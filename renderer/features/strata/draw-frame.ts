import { groupMarks } from './mark-groups.ts'
import type { OverviewBar } from './overview-layers.ts'
import { depthFill, type Palette } from './palette.ts'
import type { Band } from './row-layout.ts'
import { DIMMED, type Scene } from './scene.ts'
import type { Shape } from './shapes.ts'
import { axisTicks } from './ticks.ts'
import { toPx } from './viewport.ts'

const LABEL_GAP = 12
/** The distance of the layers of the overview from its edge. */
const OVERVIEW_PAD = 3

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
    label(rows.names.window, rows.window),
    ...rows.depths.map((band) => label(band.label, band)),
    label(rows.names.messages, rows.messages),
    ...(strata.runs.length > 0 ? [label(rows.names.runs, rows.runs)] : []),
    label(rows.names.overview, rows.overview),
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

/** Draws the whole history in small: its layers, the window, the part in sight, the selection, and findings. */
export function drawOverview({ strata, rows, scale, selected, range, layers, replay, palette }: Scene): Shape[] {
  const band = rows.overview
  const { left, width } = rows.plot
  const extent = strata.extent > 0 ? strata.extent : 1
  const whole = { x0: 0, x1: extent, left, width }
  const thumb = overviewThumb(scale, whole.x1, rows.plot)
  const isWhole = thumb.w >= width
  const over = (x0: number, x1: number, fill: string, opacity = 1): Shape => {
    const w = Math.max(2, toPx(whole, x1) - toPx(whole, x0))
    return { kind: 'rect', x: toPx(whole, x0), y: band.y + 1, w, h: band.h - 2, fill, opacity }
  }
  const depths = rows.depths.map(({ depth }) => depth)
  const past = replay == null ? 1 : DIMMED
  return [
    { kind: 'rect', x: left, ...band, w: width, radius: 4, fill: palette.panel },
    ...layers().map(({ layer, x, w, isSeen }): Shape => {
      const fill = layer === 'window' ? palette.lit : layer === 'messages' ? palette.tool : depthFill(palette, layer)
      return { kind: 'rect', x, w, ...overviewRow(layer, depths, band), fill, opacity: past * (isSeen ? 1 : DIMMED) }
    }),
    ...(range ? [over(range.x0, range.x1, palette.user, 0.35)] : []),
    ...(selected ? [over(selected.x0, selected.x1, palette.text, 0.3)] : []),
    ...groupMarks(strata.marks, whole).map(({ x0, uncovered }) =>
      over(x0, x0, uncovered > 0 ? palette.error : palette.warning),
    ),
    { kind: 'rect', x: left, ...band, w: width, radius: 4, stroke: palette.line, strokeWidth: 1 },
    ...(isWhole ? [] : drawThumb(thumb, band, palette)),
  ]
}

const drawThumb = (thumb: { readonly x: number; readonly w: number }, band: Band, palette: Palette): Shape[] => [
  { kind: 'rect', ...thumb, ...band, radius: 4, fill: palette.text, opacity: 0.12 },
  { kind: 'rect', ...thumb, ...band, radius: 4, stroke: palette.text, strokeWidth: 1 },
]

/** Returns where a layer stands in the overview: deepest on top, the window below all of them. */
function overviewRow(layer: OverviewBar['layer'], depths: readonly number[], { y, h }: Band): Band {
  const windowHeight = 2
  const rows = Math.max(1, depths.length)
  const pitch = (h - 2 * OVERVIEW_PAD - windowHeight - 1) / rows
  if (layer === 'window') return { y: y + h - OVERVIEW_PAD - windowHeight, h: windowHeight }
  // What no summary stands for takes the place of the leaves.
  const row = layer === 'messages' ? rows - 1 : Math.max(0, depths.indexOf(layer))
  return { y: y + OVERVIEW_PAD + row * pitch, h: Math.max(1, pitch - 1) }
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
