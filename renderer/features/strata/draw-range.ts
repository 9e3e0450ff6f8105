import { figuresText } from './range-figures.ts'
import type { Scene } from './scene.ts'
import { FONT_SIZE, type Shape } from './shapes.ts'
import { toPx } from './viewport.ts'

/** The band above all rows that says what is in the range. Its ends can be dragged. */
export const RANGE_BAND = { y: 4, h: 18 }
const HANDLE_WIDTH = 5
/** The average width of a character in Inter relative to its size, to decide whether a label fits. */
const CHAR_PX = FONT_SIZE * 0.56
const LABEL_PAD = 8

/** Draws the marked range through all rows: a tint behind everything, and lines at its ends. */
export function drawRange({ range, rows, scale, palette }: Scene): { behind: Shape[]; over: Shape[] } {
  if (range == null) return { behind: [], over: [] }
  const [x0, x1] = [toPx(scale, range.x0), toPx(scale, range.x1)]
  const top = RANGE_BAND.y + RANGE_BAND.h
  const fill = palette.user
  const line = { kind: 'line', y0: RANGE_BAND.y, y1: rows.axisY, stroke: fill, strokeWidth: 1, opacity: 0.8 } as const
  const handle = (x: number): Shape => ({
    kind: 'rect',
    x: x - HANDLE_WIDTH / 2,
    y: RANGE_BAND.y - 2,
    w: HANDLE_WIDTH,
    h: RANGE_BAND.h + 4,
    radius: 2,
    fill,
  })
  const w = Math.max(x1 - x0, 1)
  return {
    behind: [
      { kind: 'rect', x: x0, y: top, w, h: rows.axisY - top, fill, opacity: 0.07 },
      { kind: 'rect', x: x0, ...RANGE_BAND, w, fill, opacity: 0.22 },
    ],
    over: [{ ...line, x0, x1: x0 }, { ...line, x0: x1, x1 }, handle(x0), handle(x1)],
  }
}

/** Writes the figures into the band, or beside it when it is too narrow. */
export function drawRangeLabel(scene: Scene): Shape[] {
  const { range, palette } = scene
  const at = range == null ? null : labelPlace(scene)
  if (range == null || at === null) return []
  const y = RANGE_BAND.y + RANGE_BAND.h / 2
  return [{ kind: 'text', ...at, y, fill: palette.text }]
}

type Label = { readonly text: string; readonly x: number; readonly align: 'left' | 'center' | 'right' }

/** Of the figures as many stand in the band as have room, the first ones; without room for one, all stand beside it. */
function labelPlace({ range, rows, scale }: Scene): Label | null {
  if (range == null) return null
  const text = figuresText(range.figures)
  const { left } = rows.plot
  const right = left + rows.plot.width
  const [from, to] = [Math.max(toPx(scale, range.x0), left), Math.min(toPx(scale, range.x1), right)]
  if (to < left || from > right) return null
  const parts = text.split(' · ')
  for (let count = parts.length; count > 0; count -= 1) {
    const first = parts.slice(0, count).join(' · ')
    if (first.length * CHAR_PX + 2 * LABEL_PAD <= to - from) return { text: first, x: (from + to) / 2, align: 'center' }
  }
  const width = text.length * CHAR_PX
  return to + LABEL_PAD + width <= right || from - left < width
    ? { text, x: Math.min(to + LABEL_PAD, Math.max(left, right - width)), align: 'left' }
    : { text, x: from - LABEL_PAD, align: 'right' }
}

/** Returns the pixels along x that the band and its words take, or null without a range in sight. */
export function rangeBandPx(scene: Scene): { readonly x0: number; readonly x1: number } | null {
  const { range, scale } = scene
  const at = range == null ? null : labelPlace(scene)
  if (range == null || at === null) return null
  const width = at.text.length * CHAR_PX
  const start = at.align === 'left' ? at.x : at.align === 'right' ? at.x - width : at.x - width / 2
  return { x0: Math.min(toPx(scale, range.x0), start), x1: Math.max(toPx(scale, range.x1), start + width) }
}
