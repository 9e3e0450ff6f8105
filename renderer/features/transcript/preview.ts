/** The beginning of a text, and how much of it is hidden. */
export type Preview = { readonly head: string; readonly hiddenLines: number; readonly hiddenChars: number }

/** When only this many more lines follow, they are shown, too. */
const SLACK_LINES = 2

/** Returns the beginning of a text, about this many lines and characters at most. */
export function previewOf(text: string, maxLines: number, maxChars: number): Preview {
  const endOfLines = endOfLine(text, maxLines)
  const end = endOfLines > maxChars ? wholeCharacters(text, maxChars) : endOfLines
  const hidden = text.slice(end)
  const hiddenLines = linesIn(hidden.replace(/^\n/, '').trimEnd())
  const isLittle = text.length <= maxChars && hiddenLines <= SLACK_LINES
  if (isLittle || hidden.trim() === '') return { head: text.trimEnd(), hiddenLines: 0, hiddenChars: 0 }
  return { head: text.slice(0, end), hiddenLines, hiddenChars: hidden.length }
}

/** Returns the index of the line break that ends a line (counted from 1), or the end of the text. */
function endOfLine(text: string, line: number): number {
  let at = -1
  for (let lines = 0; lines < line; lines++) {
    at = text.indexOf('\n', at + 1)
    if (at === -1) return text.length
  }
  return at
}

/** A piece of a long text. The browser lays out only the pieces in sight. Joined, they are the text. */
export type Piece = {
  readonly text: string
  /** True when the line continues in the next piece. */
  readonly isBroken: boolean
}

/** Divides a text at line breaks where possible, otherwise within a line, and never within a character. */
export function piecesOf(text: string, maxChars: number): readonly Piece[] {
  const pieces: Piece[] = []
  let start = 0
  while (start < text.length) {
    let stop = Math.min(text.length, start + maxChars)
    let isBroken = false
    if (stop < text.length) {
      const newline = text.lastIndexOf('\n', stop - 1)
      isBroken = newline < start
      stop = isBroken ? wholeCharacters(text, stop) : newline + 1
    }
    pieces.push({ text: text.slice(start, stop), isBroken })
    start = stop
  }
  return pieces
}

export function linesIn(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

/** Returns the nearest end at or before `end` that does not divide a surrogate pair. */
function wholeCharacters(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xd800 && unit <= 0xdbff && end > 1 ? end - 1 : end
}
