import { fsyncSync, writeFileSync } from 'node:fs'
import type { JobProgress } from '#core/contract/job.ts'
import { TimeSlice } from '#core/yielding.ts'

/**
 * Writes a text piece by piece to an open file and flushes it to the disk at the end.
 * @throws LcmError cancelled; errors of the file system are passed on
 */
export async function* writePieces(
  file: number,
  pieces: Iterable<string>,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, void> {
  let bytes = 0
  const slice = new TimeSlice(signal, 'The export was cancelled; no document was written.')
  for (const piece of pieces) {
    // `writeFileSync` writes all of it, while `writeSync` may write less on a disk that is nearly full.
    writeFileSync(file, piece)
    bytes += Buffer.byteLength(piece)
    if (!slice.isOver) continue
    yield { done: bytes, total: 0, unit: 'bytes', note: 'written' }
    await slice.yield()
  }
  fsyncSync(file)
}
