import { isUtf8 } from 'node:buffer'
import { open } from 'node:fs/promises'

export type TextLine = {
  readonly kind: 'text'
  readonly number: number
  readonly text: string
  readonly isUtf8: boolean
  /** False when no line feed follows, so that more of the line may follow when the file grows. */
  readonly isEnded: boolean
}

/** A line of a file without its line feed. */
export type Line =
  | TextLine
  /** A line that is longer than the limit and was skipped. */
  | { readonly kind: 'too_long'; readonly number: number; readonly bytes: number }

/** The lines that ended in one chunk of the file, and how far the file has been read. */
export type LineChunk = {
  readonly lines: readonly Line[]
  /** The offset in the file after each line and its line feed. */
  readonly ends: readonly number[]
  readonly bytesRead: number
}

export const LONGEST_LINE_BYTES = 64 * 1024 * 1024
const CHUNK_BYTES = 1024 * 1024
const LINE_FEED = 0x0a
const BYTE_ORDER_MARK = 0xfeff

/**
 * Reads a file line by line in bounded memory. Only a line feed ends a line, because JSON text may contain U+2028,
 * U+0085 and other line ends. Line numbers start at 1, and a last line without a line feed counts.
 * @param from the offset of the first line that is read
 */
export async function* readLines(path: string, longest = LONGEST_LINE_BYTES, from = 0): AsyncGenerator<LineChunk> {
  const file = await open(path, 'r')
  try {
    const carry = new Carry(longest)
    let number = 1
    let bytesRead = from
    // One byte more than a short file finds its end.
    const { size } = await file.stat()
    const buffer = Buffer.allocUnsafe(size > 0 ? Math.min(CHUNK_BYTES, size + 1) : CHUNK_BYTES)
    for (;;) {
      // A pipe has no positions.
      const { bytesRead: count } = await file.read(buffer, 0, buffer.length, from === 0 ? null : bytesRead)
      if (count === 0) break
      const chunk = buffer.subarray(0, count)
      const lines: Line[] = []
      const ends: number[] = []
      let start = 0
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
        lines.push(carry.end(chunk.subarray(start, end), number, true))
        number += 1
        start = end + 1
        ends.push(bytesRead + start)
      }
      carry.keep(chunk.subarray(start))
      bytesRead += count
      yield { lines, ends, bytesRead }
    }
    if (carry.bytes > 0) yield { lines: [carry.end(Buffer.alloc(0), number, false)], ends: [bytesRead], bytesRead }
  } finally {
    await file.close()
  }
}

/** Returns the lines of the beginning of a file. */
export function linesIn(bytes: Buffer): TextLine[] {
  const lines: TextLine[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, start)
    const isEnded = end !== -1
    lines.push(textLine(bytes.subarray(start, isEnded ? end : bytes.length), lines.length + 1, isEnded))
    start = isEnded ? end + 1 : bytes.length
  }
  return lines
}

/** Each line is decoded alone: most are ASCII, and take half the memory and a tenth of the time of other texts. */
function textLine(all: Buffer, number: number, isEnded: boolean): TextLine {
  const whole = isEnded ? all : withoutHalfCharacter(all)
  const text = whole.toString('utf8')
  const hasMark = number === 1 && text.charCodeAt(0) === BYTE_ORDER_MARK
  return { kind: 'text', number, text: hasMark ? text.slice(1) : text, isUtf8: isUtf8(whole), isEnded }
}

/** Keeps the beginning of a line whose end has not been read yet. */
class Carry {
  readonly #longest: number
  #pieces: Buffer[] = []
  bytes = 0

  constructor(longest: number) {
    this.#longest = longest
  }

  /** Copies the piece, because its buffer is reused. */
  keep(piece: Buffer): void {
    this.bytes += piece.length
    if (this.bytes > this.#longest) this.#pieces = []
    else if (piece.length > 0) this.#pieces.push(Buffer.from(piece))
  }

  end(last: Buffer, number: number, isEnded: boolean): Line {
    const bytes = this.bytes + last.length
    const pieces = this.#pieces
    this.#pieces = []
    this.bytes = 0
    if (bytes > this.#longest) return { kind: 'too_long', number, bytes }
    const all = pieces.length === 0 ? last : Buffer.concat([...pieces, last])
    return textLine(all, number, isEnded)
  }
}

/** Removes an incomplete character at the end, because a writer may have been in the middle of it. */
function withoutHalfCharacter(bytes: Buffer): Buffer {
  const cuts = [0, 1, 2, 3].filter((cut) => cut <= bytes.length)
  const whole = cuts.map((cut) => bytes.subarray(0, bytes.length - cut)).find((candidate) => isUtf8(candidate))
  return whole ?? bytes
}
