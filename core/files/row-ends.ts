import { ROW_BYTES } from '../contract/file.ts'

const NEWLINE = 10

/**
 * Where rows of a text end that begins with a row: after each line break, and within a long line after `ROW_BYTES` bytes
 * or a little less, so that no character is cut. The rest after the last end needs more bytes to be decided, or `isEnd`.
 */
export function* rowEnds(bytes: Uint8Array, isEnd: boolean): Generator<number> {
  let start = 0
  let lineEnd = -1
  while (start < bytes.length) {
    if (lineEnd < start) {
      const found = bytes.indexOf(NEWLINE, start)
      lineEnd = found < 0 ? Number.POSITIVE_INFINITY : found
    }
    const isWhole = lineEnd - start < ROW_BYTES
    if (!isWhole && start + ROW_BYTES >= bytes.length) {
      if (!isEnd) return
      yield bytes.length
      return
    }
    start = isWhole ? lineEnd + 1 : characterStart(bytes, start + ROW_BYTES)
    yield start
  }
}

/** The start of the character at a place, which in broken UTF-8 is the place itself. */
export function characterStart(bytes: Uint8Array, at: number): number {
  for (let back = 0; back < 4; back += 1) if (((bytes[at - back] ?? 0) & 0xc0) !== 0x80) return at - back
  return at
}
