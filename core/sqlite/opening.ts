import { EXCERPT_CHARS, excerptOf } from '../text.ts'

/**
 * SQL for the first `:bytes` bytes of a text, with "…" when there are more. `substr` on text would end at a NUL
 * character, which hostile content may hold; cut as bytes, the last character may be broken.
 * Never null, as `substr` is of no bytes at all.
 */
export const opening = (text: string): string => `
      coalesce(CAST(substr(CAST(${text} AS BLOB), 1, CAST(:bytes AS INTEGER)) AS TEXT), '') ||
      iif(octet_length(${text}) > CAST(:bytes AS INTEGER), '…', '')`
const BROKEN_END = /\ufffd{1,3}…$/

/** Bytes that are read for an excerpt: enough when every character takes four, or three of four are white space. */
export const EXCERPT_BYTES = EXCERPT_CHARS * 4

/** The excerpt of a text of which `opening` was read. */
export const openingExcerpt = (text: string): string =>
  excerptOf(text.endsWith('…') ? text.replace(BROKEN_END, '…') : text)
