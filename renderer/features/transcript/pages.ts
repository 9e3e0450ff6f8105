/** The number of messages on a page, which is one request. */
export const PAGE_SIZE = 100
/** The UTF-16 units of each text on a page. Longer texts are loaded on request. */
export const PAGE_CHARS = 6_000

/**
 * Browsers compute positions in 32-bit floats: at four million pixels a position is exact to a quarter of a pixel, and
 * at sixteen million lines of text become unsteady. (Chromium ends at 2^25.)
 */
const MAX_LIST_PX = 4_000_000
const USUAL_ROW_PX = 84
const LEAST_ROW_PX = 2
/**
 * The height of a row that is being loaded. No row is smaller, because otherwise hundreds of rows would come into sight
 * and be fetched.
 */
export const PLACEHOLDER_PX = 64

/** Returns the pages with the rows from `first` to `last`, both included. */
export function pagesOf(first: number, last: number, total: number): readonly number[] {
  if (total === 0 || last < first) return []
  const from = Math.floor(Math.max(0, first) / PAGE_SIZE)
  const to = Math.floor(Math.min(total - 1, last) / PAGE_SIZE)
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
}

/** Returns the number of the message that the counter names: the topmost one, and the last one at the end. */
export function counterOf(top: number, total: number, isAtEnd: boolean): number {
  return isAtEnd ? total : Math.min(top + 1, total)
}

/** Returns the assumed height of unseen rows, so that a million of them can be scrolled to the end. */
export function assumedRowPx(total: number): number {
  return Math.max(LEAST_ROW_PX, Math.min(USUAL_ROW_PX, Math.floor(MAX_LIST_PX / Math.max(1, total))))
}
