/** Returns at most `chars` UTF-16 units from the start of a text, and never half of a character. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text
  const last = text.charCodeAt(chars - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars)
}

/** How many characters of a text an excerpt shows, for example in a table row. */
export const EXCERPT_CHARS = 160

// Line breaks of every kind, tabs, byte order marks and all other control characters.
const BLANKS = /[\s\p{Cc}]+/gu

// The same but for single spaces. Most texts have none, and looking for one takes a third of the time of replacing.
const MORE_THAN_SPACES = /[^\S ]|\p{Cc}| {2}/u

// A control sequence begins with ESC and "[" (ECMA-48, section 5.4).
// biome-ignore lint/suspicious/noControlCharactersInRegex: no class of characters means ESC alone
const CONTROL_SEQUENCES = /\u001b\[[\d;:?]*[ -/]*[@-~]/g

/**
 * Returns the beginning of a text on one line, at most `chars` characters, with "…" at the end when something was left
 * out.
 */
export function excerptOf(text: string, chars = EXCERPT_CHARS): string {
  // This is enough to fill the line even when most of it is white space, and a megabyte is never scanned for it.
  const head = text.length > chars * 8 ? text.slice(0, chars * 8) : text
  const line = blanksToSpaces(head).trim()
  const isWhole = line.length <= chars && head.length === text.length
  return isWhole ? line.toWellFormed() : `${trimSurrogate(line.slice(0, chars - 1))}…`.toWellFormed()
}

/** Replaces every run of white space and control characters by one space. */
export const blanksToSpaces = (text: string): string => (MORE_THAN_SPACES.test(text) ? text.replace(BLANKS, ' ') : text)

/** Removes what programs write to colour a terminal. */
export const withoutColours = (text: string): string =>
  text.includes('\u001b') ? text.replace(CONTROL_SEQUENCES, '') : text

/** Whether a text has no characters but those of ASCII, NUL included. */
export const isAscii = (text: string): boolean => !/[\u0080-\uffff]/.test(text)

/** Returns a text without line breaks: every run of white space becomes one space. */
export const singleLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Removes half of a character at the end of a cut text. */
export function trimSurrogate(text: string): string {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800 ? text.slice(0, -1) : text
}

/** Names a number of things: `1 message`, `12,345 messages`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** Formats a size as `2.1 MB`. */
export function sizeText(value: number): string {
  if (value < 1000) return `${value} B`
  const units = ['kB', 'MB', 'GB', 'TB']
  let scaled = value / 1000
  let unit = 0
  while (scaled >= 1000 && unit < units.length - 1) {
    scaled /= 1000
    unit += 1
  }
  return `${scaled < 10 ? scaled.toFixed(1) : Math.round(scaled)} ${units[unit]}`
}
