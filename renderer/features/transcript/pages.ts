/** Messages a page: one request. */
export const PAGE_SIZE = 100
/** UTF-16 units of each text on a page; what is longer comes whole on request. */
export const PAGE_CHARS = 6_000

/**
 * The height that a browser can scroll is bounded (Chromium: 2^25 CSS pixels,
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/platform/geometry/layout_unit.h).
 */
const MAX_LIST_PX = 24_000_000
const USUAL_ROW_PX = 84
const LEAST_ROW_PX = 8

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
