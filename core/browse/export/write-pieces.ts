import { fsyncSync, writeFileSync } from 'node:fs'
import type { JobProgress } from '../../contract/job.ts'
import { LcmError } from '../../errors.ts'

/** Longest stretch of work before others get their turn. */
const STRETCH_MS = 20

/**
 * Writes a text piece by piece to an open file, and to the disk in the end.
 * @throws LcmError cancelled; errors of the file system as they are
 */
export async function* writePieces(
  file: number,
  pieces: Iterable<string>,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, void> {
  let bytes = 0
  let since = performance.now()
  for (const piece of pieces) {
    // All of it, unlike `writeSync` on a disk that is nearly full.
    writeFileSync(file, piece)
    bytes += Buffer.byteLength(piece)
    if (performance.now() - since < STRETCH_MS) continue
    yield { done: bytes, total: 0, unit: 'bytes', note: 'written' }
    if (signal.aborted) throw new LcmError('cancelled', 'The export was cancelled; no document was written.')
    since = performance.now()
  }
  fsyncSync(file)
}
