import { vi } from 'vitest'

const STEP_MS = 10
const LONG_MS = 60_000
let nowMs = 0

/** `vi.restoreAllMocks()` ends it. */
const clockSteps = (stepMs: number): void => {
  vi.spyOn(performance, 'now').mockImplementation(() => {
    nowMs += stepMs
    return nowMs
  })
}

/** From now on every reading takes so long that what was read is kept for a while. */
export const slowly = (): void => clockSteps(STEP_MS)

/** From now on every reading takes no time, so that all is looked at again after each change. */
export const quickly = (): void => clockSteps(0)

/** Lets so much time pass that nothing is kept any longer without a look at it. */
export function restsEnd(): void {
  nowMs += LONG_MS
}
