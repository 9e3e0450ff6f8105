import { excerptOf, withoutColours } from '#core/text.ts'

// Format characters include the marks that reverse the order of what follows them, and those without a width.
const UNSEEN = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}]+/gu

/**
 * A piece of a file as a summary may show it: on one line, at most `chars` characters, without control characters,
 * without marks that change the direction of the text, and without halves of characters.
 */
export function shown(text: string, chars: number): string {
  const head = withoutColours(text.length > chars * 8 ? text.slice(0, chars * 8) : text)
  const clean = excerptOf(head.toWellFormed().replace(UNSEEN, ''), chars)
  return text.length <= chars * 8 || clean.endsWith('…') ? clean : `${clean}…`
}

/** The end of a text in the same form. */
export function shownEnd(text: string, chars: number): string {
  const clean = [...shown(text, text.length + 1)]
  return clean.length < chars ? clean.join('') : clean.slice(1 - chars).join('')
}

/** The same in quotation marks. */
export const quoted = (text: string, chars: number): string => `"${shown(text, chars)}"`

const COUNTS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** 1234 as "1,234". */
export const counted = (count: number): string => COUNTS.format(count)

export const article = (noun: string): string => (/^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`)
