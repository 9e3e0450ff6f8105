import { onTestFinished } from 'vitest'

/**
 * Returns a function for the milliseconds of processor time that this process has used since. Other programs do not
 * lengthen them.
 */
export function processorClock(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
}

/**
 * Counts the ticks of a timer of this thread. A busy machine delays this timer as much as the timers of what is tested in
 * the same thread, so that it does not raise the count.
 */
export function countTicks(everyMs: number): () => number {
  let ticks = 0
  const ticking = setInterval(() => {
    ticks += 1
  }, everyMs)
  onTestFinished(() => clearInterval(ticking))
  return () => ticks
}
