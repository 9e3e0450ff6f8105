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
/** No number is longer. The rest of a piece is held back when it may end within one. */
const LONGEST_PREFIX = 24

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

/** Takes the numbers from the lines of a text that comes in pieces. */
export function* piecesWithoutNumbers(pieces: Iterable<string>, numbers: LineNumbers): Generator<string> {
  let rest = ''
  let isLineStart = true
  for (const piece of pieces) {
    const text = rest + piece
    const lastLine = text.lastIndexOf('\n') + 1
    const isUndecided: boolean = text.length - lastLine < LONGEST_PREFIX && (lastLine > 0 || isLineStart)
    const end = isUndecided ? lastLine : text.length
    yield cleaned(text.slice(0, end), isLineStart, numbers)
    rest = text.slice(end)
    if (end > 0) isLineStart = isUndecided
  }
  yield cleaned(rest, isLineStart, numbers)
}

function cleaned(text: string, isLineStart: boolean, numbers: LineNumbers): string {
  if (isLineStart) return withoutNumbers(text, numbers)
  const next = text.indexOf('\n') + 1
  return next === 0 ? text : text.slice(0, next) + withoutNumbers(text.slice(next), numbers)
}
