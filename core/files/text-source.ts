import { startSha256 } from '../hashing.ts'
import { TimeSlice } from '../yielding.ts'
import type { FileSource } from './explorers/decoded-file.ts'

const PIECE_UNITS = 1 << 18

/** A text as bytes in UTF-8, a piece at a time. */
export function* textPieces(text: string): Generator<Uint8Array> {
  for (let from = 0; from < text.length; ) {
    const end = endOfPiece(text, from)
    yield Buffer.from(text.slice(from, end))
    from = end
  }
}

/** A pair of surrogates is never cut in two: each half alone has no UTF-8 form. */
function endOfPiece(text: string, from: number): number {
  const end = Math.min(text.length, from + PIECE_UNITS)
  const isPairCut = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800
  return isPairCut ? end - 1 : end
}

/** Size and SHA-256 of a text in UTF-8. */
export async function* measureText(
  text: string,
  signal: AbortSignal,
): AsyncGenerator<void, { readonly bytes: number; readonly hash: string }> {
  const slice = new TimeSlice(signal)
  const hash = startSha256()
  let bytes = 0
  for (const piece of textPieces(text)) {
    hash.update(piece)
    bytes += piece.length
    if (!slice.isOver) continue
    yield
    await slice.yield()
  }
  return { bytes, hash: hash.digest('hex') }
}

/** A text that is explored as if it were a file. */
export const textSource = (text: string, name: string | null, mime: string | null, sizeBytes: number): FileSource => ({
  name,
  mime,
  sizeBytes,
  chunks: () => textPieces(text),
})
