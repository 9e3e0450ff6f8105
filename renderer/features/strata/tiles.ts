import { isWhole, type Limits, type Viewport, wholeOf, widthOf } from './viewport.ts'

/** A range of messages to fetch, in columns. */
export type Tile = Viewport & { readonly buckets: number }

/** The smallest width of a column on the screen, in CSS pixels. */
const COLUMN_PX = 1.5
const MOST_BUCKETS = 8192

const bucketsFor = (widthPx: number): number => Math.min(MOST_BUCKETS, Math.max(64, Math.ceil(widthPx / COLUMN_PX)))

/**
 * The whole history in as many columns as fit the plot. `widthPx` is rounded, so that resizing rarely fetches again.
 */
export const overviewTile = (limits: Limits, widthPx: number): Tile => ({
  ...wholeOf(limits),
  buckets: bucketsFor(Math.ceil(widthPx / 256) * 256),
})

/**
 * The range to fetch for a viewport, with air around it; null when the overview is fine enough. Ranges lie on a
 * grid whose size doubles, so that small movements need nothing new and going back finds what was fetched.
 */
export function detailTile(viewport: Viewport, limits: Limits, widthPx: number): Tile | null {
  if (isWhole(viewport, limits)) return null
  const whole = wholeOf(limits)
  const size = 2 ** Math.ceil(Math.log2(widthOf(viewport) * 1.5))
  if (size >= whole.x1 * 2) return null
  const step = size / 4
  const x0 = Math.floor(viewport.x0 / step) * step
  // A tile is up to three times as wide as the part in sight.
  const buckets = bucketsFor(Math.ceil(widthPx / 256) * 256 * 3)
  return { x0: Math.max(0, x0), x1: Math.min(x0 + size, whole.x1), buckets }
}
