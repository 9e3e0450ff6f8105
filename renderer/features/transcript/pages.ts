/** Messages a page: one request. */
export const PAGE_SIZE = 100
/** UTF-16 units of each text on a page; what is longer comes whole on request. */
export const PAGE_CHARS = 6_000

/**
 * Browsers paint in 32-bit floats: four million pixels down a place is still exact to a quarter of a pixel, at sixteen
 * million lines of text begin to dance. (Chromium ends at 2^25 altogether.)
 */
const MAX_LIST_PX = 4_000_000
const USUAL_ROW_PX = 84
const LEAST_ROW_PX = 2
/**
 * The height of a row that is being loaded. No row is smaller, because otherwise hundreds of rows would come into sight
 * and be fetched.
 */
export const PLACEHOLDER_PX = 64

/** Pages that hold the rows from `first` to `last`, both included. */
export function pagesOf(first: number, last: number, total: number): readonly number[] {
  if (total === 0 || last < first) return []
  const from = Math.floor(Math.max(0, first) / PAGE_SIZE)
  const to = Math.floor(Math.min(total - 1, last) / PAGE_SIZE)
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
}

/** Height to assume for rows that were not seen yet, so that a million of them can still be scrolled to the end. */
export function assumedRowPx(total: number): number {
  return Math.max(LEAST_ROW_PX, Math.min(USUAL_ROW_PX, Math.floor(MAX_LIST_PX / Math.max(1, total))))
}
