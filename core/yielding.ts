import { setImmediate } from 'node:timers/promises'
import { LcmError } from './errors.ts'

/** With the piece that ends it, well below the 50 ms that somebody may have to wait. */
const SLICE_MS = 20

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
    await breathe(signal)
    sliceAt = performance.now()
  }
}

/**
 * Lets others have their turn between two steps of a job.
 * @throws LcmError cancelled
 */
export async function breathe(signal: AbortSignal): Promise<void> {
  await setImmediate()
  if (signal.aborted) throw new LcmError('cancelled', 'Cancelled. Nothing was changed.')
}

/** Runs it without a pause: for inside a transaction. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
