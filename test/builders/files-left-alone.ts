import { afterAll, beforeAll, vi } from 'vitest'

/** Two seconds (`isQuiet`), but for the tick of a file system's clock. */
const AHEAD_MS = 1_980

/**
 * Lets this process take a file beside its writer for left alone 20 ms after it was written, and not two seconds: for
 * tests of what follows then.
 */
export function leaveFilesAlone(): void {
  beforeAll(() => {
    const now = Date.now.bind(Date)
    vi.spyOn(Date, 'now').mockImplementation(() => now() + AHEAD_MS)
  })
  afterAll(() => {
    vi.restoreAllMocks()
  })
}
