import type { TranscriptPage } from '#core/contract/message.ts'

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

/** Compactions are asked for over so many rows at a time, so that scrolling seldom asks. */
const MARKED_ROWS = 10 * PAGE_SIZE

/** Returns the rows around those in sight whose compactions are asked for. The end is not included. */
export function marksNear({ first, last }: { readonly first: number; readonly last: number }): {
  readonly from: number
  readonly to: number
} {
  const from = Math.floor(Math.max(0, first - PAGE_SIZE) / MARKED_ROWS) * MARKED_ROWS
  return { from, to: Math.ceil((last + PAGE_SIZE + 1) / MARKED_ROWS) * MARKED_ROWS }
}

/** Returns the pages with the rows from `first` to `last`, both included. */
export function pagesOf(first: number, last: number, total: number): readonly number[] {
  if (total === 0 || last < first) return []
  const from = Math.floor(Math.max(0, first) / PAGE_SIZE)
  const to = Math.floor(Math.min(total - 1, last) / PAGE_SIZE)
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
}

/**
 * Returns a page with the messages that were written since it was read. A page that would have a gap, or would end before
 * its last message, is left as it is, so that it is read as a whole.
 * @param newer the messages after the last one that was known
 */
export function withNewer(
  kept: TranscriptPage | undefined,
  page: number,
  newer: TranscriptPage,
): TranscriptPage | undefined {
  const offset = page * PAGE_SIZE
  const messages = kept?.messages ?? []
  const from = offset + messages.length - newer.offset
  const end = Math.min(offset + PAGE_SIZE, newer.total) - newer.offset
  if (from < 0 || end > newer.messages.length) return kept
  return { offset, total: newer.total, messages: [...messages, ...newer.messages.slice(from, end)] }
}

/** Returns the number of the message that the counter names: the topmost one, and the last one at the end. */
export function counterOf(top: number, total: number, isAtEnd: boolean): number {
  return isAtEnd ? total : Math.min(top + 1, total)
}

/** Returns the assumed height of unseen rows, so that a million of them can be scrolled to the end. */
export function assumedRowPx(total: number): number {
  return Math.max(LEAST_ROW_PX, Math.min(USUAL_ROW_PX, Math.floor(MAX_LIST_PX / Math.max(1, total))))
}
