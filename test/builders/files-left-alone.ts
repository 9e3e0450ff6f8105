import { afterAll, beforeAll, vi } from 'vitest'

/** Two seconds (`isQuiet`), less one tick of a file system's clock. */
const AHEAD_MS = 1_980

/**
 * Lets this process treat a file as quiet 20 ms after a write instead of two seconds, for tests of what follows then.
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
