import { MARGIN } from './block.ts'
import type { Box } from './placed-items.ts'

/** A viewport as React Flow has it: a point p of the drawing is at p × zoom + (x, y) on the screen. */
export type GraphViewport = { readonly x: number; readonly y: number; readonly zoom: number }

type Size = { readonly width: number; readonly height: number }

/** Smaller than this the cards cannot be read. */
const MIN_READABLE = 0.72

/**
 * Shows all of the bounds as large as they can be read. Bounds that do not fit are cut around the focus, which is at
 * the origin.
 */
export function fitGraph(bounds: Box, focus: Box, { width, height }: Size): GraphViewport {
  const room = { width: width - 2 * MARGIN, height: height - 2 * MARGIN }
  const wanted = Math.min(1, room.width / Math.max(bounds.w, 1), room.height / Math.max(bounds.h, 1))
  const zoom = Math.max(wanted, MIN_READABLE)
  const centre = (from: number, length: number, focusAt: number, roomLength: number) =>
    length * zoom <= roomLength ? from + length / 2 : focusAt
  return {
    x: width / 2 - centre(bounds.x, bounds.w, focus.x + focus.w / 2, room.width) * zoom,
    y: height / 2 - centre(bounds.y, bounds.h, focus.y + focus.h / 2, room.height) * zoom,
    zoom,
  }
}

/** Moves no further than needed to show a box. Of a box that does not fit, the upper left part is shown. */
export function revealBox(viewport: GraphViewport, box: Box, { width, height }: Size): GraphViewport {
  const { zoom } = viewport
  const move = (offset: number, from: number, length: number, room: number) => {
    const start = from * zoom + offset
    const end = start + length * zoom
    if (start < MARGIN) return offset + MARGIN - start
    if (end > room - MARGIN) return offset - Math.min(end - (room - MARGIN), start - MARGIN)
    return offset
  }
  return { x: move(viewport.x, box.x, box.w, width), y: move(viewport.y, box.y, box.h, height), zoom }
}

/** The smallest box around several. */
export function boxAround(boxes: readonly Box[]): Box {
  if (boxes.length === 0) return { x: 0, y: 0, w: 0, h: 0 }
  const x = Math.min(...boxes.map((box) => box.x))
  const y = Math.min(...boxes.map((box) => box.y))
  return {
    x,
    y,
    w: Math.max(...boxes.map((box) => box.x + box.w)) - x,
    h: Math.max(...boxes.map((box) => box.y + box.h)) - y,
  }
}
