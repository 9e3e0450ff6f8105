import { excerptOf } from '../../text.ts'

// Format characters include the marks that reverse the order of what follows them, and those without a width.
const UNSEEN = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}]+/gu

/**
 * A piece of a file as a summary may show it: on one line, at most `chars` characters, without control characters,
 * without marks that change the direction of the text, and without halves of characters.
 */
export function shown(text: string, chars: number): string {
  const head = text.length > chars * 8 ? text.slice(0, chars * 8) : text
  const clean = excerptOf(head.toWellFormed().replace(UNSEEN, ''), chars)
  return head.length === text.length || clean.endsWith('…') ? clean : `${clean}…`
}

/** The same in quotation marks. */
export const quoted = (text: string, chars: number): string => `"${shown(text, chars)}"`

const COUNTS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** 1234 as "1,234". */
export const counted = (count: number): string => COUNTS.format(count)

/** "1 row", "1,234 rows". */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${counted(count)} ${count === 1 ? one : many}`
