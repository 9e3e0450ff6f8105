/*
 * Tools that read files put a number before each line. What is in the file is recognised and described without them.
 */

/** Claude Code, `cat -n` (Claude Code before, OpenHands, SWE-agent), opencode. */
const STYLES = [/^ *(\d+)→/, /^ +(\d+)\t/, /^(\d{5,})\| /]
/** Behind line 99,999 the numbers of `cat -n` have no spaces before them. */
const PREFIXES = [/^ *\d+→/gm, /^ *\d+\t/gm, /^\d{5,}\| /gm]
const LINES_LOOKED_AT = 50
const FEWEST_LINES = 5
/** Some tools say before and behind the file what they did. */
const NUMBERED_SHARE = 0.8

/** Takes the numbers from lines. */
export type LineNumbers = { readonly prefix: RegExp }

/** Returns how the lines of a text are numbered, or null when they are not. */
export function lineNumbersIn(head: string): LineNumbers | null {
  const lines = head.split('\n', LINES_LOOKED_AT)
  if (lines.length < FEWEST_LINES) return null
  for (const [style, pattern] of STYLES.entries()) {
    const numbers = lines.flatMap((line) => pattern.exec(line)?.[1] ?? []).map(Number)
    const isAscending = numbers.every((number, at) => at === 0 || number === (numbers[at - 1] as number) + 1)
    if (numbers.length >= lines.length * NUMBERED_SHARE && isAscending) return { prefix: PREFIXES[style] as RegExp }
  }
  return null
}

export const withoutNumbers = (text: string, { prefix }: LineNumbers): string => text.replace(prefix, '')
