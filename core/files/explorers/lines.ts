/** The rest of a longer line is left out, because a pattern that is looked for in it could take long. */
const LONGEST_LINE_CHARS = 16 * 1024

/** The lines of a text without what ends them. A line break at the very end begins no line. */
export function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const lineBreak = text.indexOf('\n', from)
    const end = lineBreak < 0 ? text.length : lineBreak
    const line = text.slice(from, Math.min(end, from + LONGEST_LINE_CHARS))
    yield line.endsWith('\r') ? line.slice(0, -1) : line
    from = end + 1
  }
}

const PIECE_CHARS = 16 * 1024

/** A text in pieces so small that no parser needs longer than a slice of time for one. */
export function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += PIECE_CHARS) yield text.slice(from, from + PIECE_CHARS)
}
