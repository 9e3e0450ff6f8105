import { setImmediate } from 'node:timers/promises'
import { LcmError } from './errors.ts'

const SLICE_MS = 30

/**
 * Runs a generator that yields now and then to its end, letting others have their turn and stopping when the signal
 * aborts.
 * @throws LcmError cancelled
 */
export async function withBreath<T>(work: Generator<void, T>, signal: AbortSignal): Promise<T> {
  let sliceAt = performance.now()
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (performance.now() - sliceAt < SLICE_MS) continue
    if (signal.aborted) throw new LcmError('cancelled', 'Cancelled. Nothing was changed.')
    await setImmediate()
    sliceAt = performance.now()
  }
}

/** The same without a pause: for inside a transaction. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
