import { readSync } from 'node:fs'

const CHUNK_BYTES = 1024 * 1024
/** A longer line cannot be read. */
const LONGEST_LINE_BYTES = 256 * 1024 * 1024
const LINE_FEED = 0x0a

/** Bytes of a file. */
export type ByteRange = { readonly start: number; readonly end: number }

/** `bytes`: null when there are too many. */
export type FileLine = { readonly range: ByteRange; readonly bytes: Buffer | null; readonly isEnded: boolean }

/** Lines from a byte on, the last one also when it is not ended. A line's bytes stay valid until the next one. */
export function* linesFrom(descriptor: number, from: number): Generator<FileLine> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  let start = from
  let position = from
  let pieces: Buffer[] = []
  for (;;) {
    const count = readSync(descriptor, buffer, 0, CHUNK_BYTES, position)
    if (count === 0) {
      const rest = Buffer.concat(pieces)
      if (rest.length > 0) yield { range: { start, end: position }, bytes: rest, isEnded: false }
      return
    }
    const chunk = buffer.subarray(0, count)
    let done = 0
    for (let feed = chunk.indexOf(LINE_FEED); feed !== -1; feed = chunk.indexOf(LINE_FEED, done)) {
      const end = position + feed
      const last = chunk.subarray(done, feed)
      const bytes = pieces.length === 0 ? last : Buffer.concat([...pieces, last])
      yield { range: { start, end }, bytes: end - start > LONGEST_LINE_BYTES ? null : bytes, isEnded: true }
      pieces = []
      start = end + 1
      done = feed + 1
    }
    position += count
    // Copied: the buffer is filled anew.
    if (position - start <= LONGEST_LINE_BYTES) pieces.push(Buffer.from(chunk.subarray(done)))
    else pieces = []
  }
}
