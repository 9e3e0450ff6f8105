import type { Size } from '#renderer/ui/charts/use-size.ts'
import type { GraphViewport } from './fit.ts'
import { boxOf, type WholeLayout } from './whole-layout.ts'

const FIRST_ZOOM = { least: 0.62, most: 1 } as const
/** Smaller than this, boxes are thinner than a line. */
const WHOLE_ZOOM = { least: 0.05, most: 1 } as const
const MARGIN = 24

/** Shows everything where that can be read, and otherwise as many columns as can. */
export function firstViewport(layout: WholeLayout, size: Size, selected: number): GraphViewport {
  const whole = wholeZoom(layout, size)
  const columns = within((size.width - 2 * MARGIN) / Math.max(1, layout.bounds.w), FIRST_ZOOM)
  return viewportAt(layout, size, selected, whole >= FIRST_ZOOM.least ? whole : columns)
}

/** Shows everything, as long as its boxes can still be told apart. */
export const wholeViewport = (layout: WholeLayout, size: Size, selected: number): GraphViewport =>
  viewportAt(layout, size, selected, wholeZoom(layout, size))

export const wholeZoom = ({ bounds }: WholeLayout, { width, height }: Size): number =>
  within(
    Math.min((width - 2 * MARGIN) / Math.max(1, bounds.w), (height - 2 * MARGIN) / Math.max(1, bounds.h)),
    WHOLE_ZOOM,
  )

const within = (zoom: number, { least, most }: { readonly least: number; readonly most: number }): number =>
  Math.max(least, Math.min(most, zoom))

/** Shows the selection, or else the newest summary of the window, and what is around it. */
function viewportAt(layout: WholeLayout, size: Size, selected: number, zoom: number): GraphViewport {
  const { bounds, graph } = layout
  const shown = selected >= 0 ? selected : graph.nodes.inWindow.lastIndexOf(1)
  const box = shown >= 0 ? boxOf(layout, shown) : bounds
  return {
    x: offset(bounds.x * zoom, bounds.w * zoom, (box.x + box.w / 2) * zoom, size.width),
    y: offset(bounds.y * zoom, bounds.h * zoom, (box.y + box.h / 2) * zoom, size.height),
    zoom,
  }
}

/**
 * Returns how far to move the drawing on one axis. A drawing that fits stands in the middle of the room. Of a larger one, the
 * part around a point is shown, without empty room at an end.
 */
function offset(from: number, length: number, around: number, room: number): number {
  if (length + 2 * MARGIN <= room) return room / 2 - (from + length / 2)
  return Math.min(MARGIN - from, Math.max(room - MARGIN - (from + length), room / 2 - around))
}
