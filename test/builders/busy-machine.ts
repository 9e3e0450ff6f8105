import { onTestFinished } from 'vitest'

/** Tells how many milliseconds of processor this process has had since: other programs do not lengthen them. */
export function processorClock(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
}

const TICK_MS = 5

/**
 * Tells for how long at most a timer of this process has waited for a processor: by so much may anything else be late
 * that comes from outside. Nothing on a quiet machine, and what this process itself did meanwhile does not count.
 */
export function latenessOfMachine(): () => number {
  let [worst, last, usedMs] = [0, performance.now(), processorClock()]
  const look = (): void => {
    const now = performance.now()
    worst = Math.max(worst, now - last - TICK_MS - usedMs())
    last = now
    usedMs = processorClock()
  }
  const ticking = setInterval(look, TICK_MS)
  onTestFinished(() => clearInterval(ticking))
  return () => {
    look()
    return worst
  }
}
