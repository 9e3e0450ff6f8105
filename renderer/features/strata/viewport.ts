import type { Strata } from '#core/contract/strata.ts'

/** The range of x that is shown, in axis units. `x0 < x1`. */
export type Viewport = { readonly x0: number; readonly x1: number }

/** The limits of a viewport: from 0 to `extent`, and never narrower than `minWidth`. */
export type Limits = { readonly extent: number; readonly minWidth: number }

/** The smallest width of a view: a few messages, or what they would take. */
const MIN_WIDTH: Readonly<Record<Strata['axis'], number>> = { messages: 6, tokens: 200, time: 5000 }

export const limitsOf = ({ axis, extent }: Pick<Strata, 'axis' | 'extent'>): Limits => ({
  extent,
  minWidth: MIN_WIDTH[axis],
})

/** A viewport on the screen, from pixel `left` on, `width` pixels wide. */
export type Scale = Viewport & { readonly left: number; readonly width: number }

/** The viewport of everything. An empty history still has a width, by which positions are divided. */
export const wholeOf = ({ extent }: Limits): Viewport => ({ x0: 0, x1: extent > 0 ? extent : 1 })

export const widthOf = (viewport: Viewport): number => viewport.x1 - viewport.x0

/** Moves a viewport within its limits, with the same width if possible. */
export function clampViewport(viewport: Viewport, limits: Limits): Viewport {
  const whole = wholeOf(limits)
  const width = Math.min(Math.max(widthOf(viewport), Math.min(limits.minWidth, whole.x1)), whole.x1)
  const middle = (viewport.x0 + viewport.x1) / 2
  const wanted = width === widthOf(viewport) ? viewport.x0 : middle - width / 2
  const x0 = Math.min(Math.max(wanted, 0), whole.x1 - width)
  return { x0, x1: x0 + width }
}

/** Zooms by `factor` (above 1: closer) so that `aboutX` stays where it is on the screen. */
export function zoomViewport(viewport: Viewport, aboutX: number, factor: number, limits: Limits): Viewport {
  const whole = wholeOf(limits)
  const width = Math.min(Math.max(widthOf(viewport) / factor, Math.min(limits.minWidth, whole.x1)), whole.x1)
  const x0 = aboutX - ((aboutX - viewport.x0) / widthOf(viewport)) * width
  return clampViewport({ x0, x1: x0 + width }, limits)
}

/** Moves by `deltaX` axis units. */
export const panViewport = (viewport: Viewport, deltaX: number, limits: Limits): Viewport =>
  clampViewport({ x0: viewport.x0 + deltaX, x1: viewport.x1 + deltaX }, limits)

/** Returns a viewport with a range and a small margin on both sides. */
export function viewportAround(x0: number, x1: number, limits: Limits): Viewport {
  const air = Math.max((x1 - x0) * 0.08, limits.minWidth * 0.25)
  return clampViewport({ x0: x0 - air, x1: x1 + air }, limits)
}

/** Moves just far enough to show a range. For a range wider than the viewport nothing changes. */
export function viewportRevealing(viewport: Viewport, x0: number, x1: number, limits: Limits): Viewport {
  if (x1 >= viewport.x0 && x0 <= viewport.x1) return viewport
  const delta = (x0 + x1) / 2 - (viewport.x0 + viewport.x1) / 2
  return panViewport(viewport, delta, limits)
}

/** Returns a viewport between two others, with `t` from 0 to 1. The width changes by ratio, as with zooming. */
export function viewportBetween(from: Viewport, to: Viewport, t: number): Viewport {
  const widthFrom = widthOf(from)
  const widthTo = widthOf(to)
  const width = widthFrom * (widthTo / widthFrom) ** t
  // The share of the way that this width stands for, so that the edges move straight to their goal.
  const share = widthFrom === widthTo ? t : (width - widthFrom) / (widthTo - widthFrom)
  const x0 = from.x0 + (to.x0 - from.x0) * share
  return { x0, x1: x0 + width }
}

/** The viewport as it stands in an address, or null for everything: `12.5..90`. */
export function viewportText({ x0, x1 }: Viewport, limits: Limits): string | null {
  return isWhole({ x0, x1 }, limits) ? null : `${Number(x0.toFixed(2))}..${Number(x1.toFixed(2))}`
}

/** The inverse of {@link viewportText}. Null for everything, and for a text that is no viewport. */
export function parseViewport(text: string | null): Viewport | null {
  const [, x0, x1] = /^(\d{1,15}(?:\.\d+)?)\.\.(\d{1,15}(?:\.\d+)?)$/.exec(text ?? '') ?? []
  return Number(x0) < Number(x1) ? { x0: Number(x0), x1: Number(x1) } : null
}

export const toPx = (scale: Scale, x: number): number =>
  scale.left + ((x - scale.x0) / (scale.x1 - scale.x0)) * scale.width

export const toX = (scale: Scale, px: number): number =>
  scale.x0 + ((px - scale.left) / scale.width) * (scale.x1 - scale.x0)

export const isWhole = (viewport: Viewport, limits: Limits): boolean =>
  viewport.x0 <= 0 && viewport.x1 >= wholeOf(limits).x1
