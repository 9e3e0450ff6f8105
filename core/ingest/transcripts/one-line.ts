const LONGEST_TITLE = 80

/** Returns the first line with text, cut to 80 characters. */
export function oneLine(text: string): string {
  const line = text.trim().split('\n', 1)[0]?.trim() ?? ''
  const characters = [...line.slice(0, 4 * LONGEST_TITLE)]
  return characters.length <= LONGEST_TITLE ? line : `${characters.slice(0, LONGEST_TITLE - 1).join('')}…`
}
