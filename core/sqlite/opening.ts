import { EXCERPT_CHARS, excerptOf } from '../text.ts'

/**
 * SQL for the first `:bytes` bytes of a text, with "…" when there are more. `substr` on text would stop at a NUL
 * character, which hostile content may hold. Cut by bytes, the last character may be broken. The result is never null,
 * because `substr` of zero bytes is not null.
 */
export const opening = (text: string): string => `
      coalesce(CAST(substr(CAST(${text} AS BLOB), 1, CAST(:bytes AS INTEGER)) AS TEXT), '') ||
      iif(octet_length(${text}) > CAST(:bytes AS INTEGER), '…', '')`
const BROKEN_END = /\ufffd{1,3}…$/

/**
 * The number of bytes that is read for an excerpt. It is enough if every character takes four bytes, or three of four
 * are white space.
 */
export const EXCERPT_BYTES = EXCERPT_CHARS * 4

/** Returns the excerpt of a text whose beginning was read by `opening`. */
export const openingExcerpt = (text: string): string =>
  excerptOf(text.endsWith('…') ? text.replace(BROKEN_END, '…') : text)
