import type { TranscriptHead } from './head.ts'
import { type LineChunk, readLines } from './line-reader.ts'

/** The lines of a transcript. A short file is not read again: the head has them all. */
export async function* transcriptLines({
  path,
  bytes,
  allLines,
}: Pick<TranscriptHead, 'path' | 'bytes' | 'allLines'>): AsyncGenerator<Pick<LineChunk, 'lines' | 'bytesRead'>> {
  if (allLines === null) yield* readLines(path)
  else yield { lines: allLines, bytesRead: bytes }
}
