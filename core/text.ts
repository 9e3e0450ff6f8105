/** Returns at most `chars` UTF-16 units from the start of a text, and never half of a character. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text
  const last = text.charCodeAt(chars - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars)
}

/** How many characters of a text an excerpt shows, for example in a table row. */
export const EXCERPT_CHARS = 160

// Line breaks of every kind, tabs, other control characters and byte order marks.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const UNPRINTABLE = /[\s\u0000-\u001f\u007f-\u009f\ufeff]+/g

// The same but for single spaces. Most texts have none, and looking for one takes a third of the time of replacing.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const MORE_THAN_SPACES = /[^\S ]|[\u0000-\u001f\u007f-\u009f\ufeff]| {2}/

/**
 * Returns the beginning of a text on one line, at most `chars` characters, with "…" at the end when something was left
 * out.
 */
export function excerptOf(text: string, chars = EXCERPT_CHARS): string {
  // This is enough to fill the line even when most of it is white space, and a megabyte is never scanned for it.
  const head = text.length > chars * 8 ? text.slice(0, chars * 8) : text
  const line = (MORE_THAN_SPACES.test(head) ? head.replace(UNPRINTABLE, ' ') : head).trim()
  const isWhole = line.length <= chars && head.length === text.length
  return isWhole ? line.toWellFormed() : `${trimSurrogate(line.slice(0, chars - 1))}…`.toWellFormed()
}

/** Returns a text without line breaks: every run of white space becomes one space. */
export const singleLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Removes half of a character at the end of a cut text. */
export function trimSurrogate(text: string): string {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800 ? text.slice(0, -1) : text
}
