import { cpus } from 'node:os'

const TICK_MS = 100
/** On a busy computer a thread may also wait for a lock or a disk, which takes no time on a processor. */
const MOST_TIMES = 5

/** The time on processors of this process, and the time in which processors of this computer had nothing to do. */
function processorMs(): { readonly own: number; readonly idle: number } {
  const { user, system } = process.cpuUsage()
  return { own: (user + system) / 1000, idle: cpus().reduce((sum, { times }) => sum + times.idle, 0) }
}

/**
 * Calls a function when a thread had its time to answer: that much has passed, and this process was on a processor for
 * as long, or a processor was free for half of it. Where all are busy with other programs, a thread that waits for its
 * turn is no thread in a statement. After five times as long the function is called in any case.
 * @returns a function that ends the wait
 */
export function afterPatience(limitMs: number, onEnd: () => void): () => void {
  const begunMs = performance.now()
  const before = processorMs()
  const look = (): void => {
    const passedMs = performance.now() - begunMs
    if (passedMs < limitMs) return
    const { own, idle } = processorMs()
    const hadTurn = own - before.own >= limitMs || idle - before.idle >= limitMs / 2
    if (!hadTurn && passedMs < MOST_TIMES * limitMs) return
    clearInterval(ticks)
    onEnd()
  }
  const ticks = setInterval(look, TICK_MS)
  return () => clearInterval(ticks)
}

/** Says whether something ended before a thread had its time. */
export function endsInTime(ended: Promise<unknown>, limitMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stop = afterPatience(limitMs, () => resolve(false))
    ended.then(() => resolve(true), reject).finally(stop)
  })
}
