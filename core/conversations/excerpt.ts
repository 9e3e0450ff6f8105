/** Characters of an excerpt (NodeCard). */
export const EXCERPT_CHARS = 160

/** The beginning of a text on one line, without control characters, at most `chars` UTF-16 units. */
export function excerptOf(text: string, chars = EXCERPT_CHARS): string {
  const line = text
    .slice(0, chars * 4)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: hostile text must not move a cursor
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim()
  return line.length <= chars ? line : `${cutText(line, chars - 1)}…`
}

/** At most `chars` UTF-16 units from the start of a text, never half of a character. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text
  const last = text.charCodeAt(chars - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars)
}
