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

/** Longer lines are drawn a part at a time. */
export const MOST_LINE_CHARS = 4_000

/** A piece of a long text. The browser lays out only the pieces in sight. Joined, they are the text. */
export type Piece = {
  readonly text: string
  /** True for a single line that is too long to be drawn whole. */
  readonly isLongLine: boolean
}

/** Divides a text at line breaks. Only a line of more than `maxChars` is longer than that. */
export function piecesOf(text: string, maxChars: number): readonly Piece[] {
  const pieces: Piece[] = []
  let start = 0
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at)
    const end = newline === -1 ? text.length : newline + 1
    const isLongLine = end - at > maxChars
    if (start < at && (isLongLine || end - start > maxChars)) {
      pieces.push({ text: text.slice(start, at), isLongLine: false })
      start = at
    }
    if (isLongLine) {
      pieces.push({ text: text.slice(at, end), isLongLine })
      start = end
    }
    at = end
  }
  if (start < text.length) pieces.push({ text: text.slice(start), isLongLine: false })
  return pieces
}

/** A part of a long line. */
export type LinePart = { readonly from: number; readonly to: number }

/** Returns the part of a line at a place, about `chars` long, that divides no character. */
export function linePart(line: string, at: number, chars: number): LinePart {
  const from = wholeCharacters(line, Math.max(0, Math.min(at, line.length - 1)))
  return { from, to: wholeCharacters(line, Math.min(line.length, from + chars)) }
}

/** Whether a line of a text is too long to be drawn whole. */
export function hasLongLine(text: string): boolean {
  if (text.length <= MOST_LINE_CHARS) return false
  return piecesOf(text, MOST_LINE_CHARS).some(({ isLongLine }) => isLongLine)
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
