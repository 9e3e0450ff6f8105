import { setImmediate } from 'node:timers/promises'
import { LcmError } from './errors.ts'

/**
 * Cooperative yielding: one thread serves all calls, so long work is done in slices, with other work between them. A
 * slice and the piece that ends it stay well below the 50 ms that somebody may have to wait.
 */
const SLICE_MS = 20

const NOTHING_CHANGED = 'Cancelled. Nothing was changed.'

/**
 * Lets everything that waits for this thread (calls, timers, signals) go first.
 * @param whenCancelled the message of the error
 * @throws LcmError cancelled
 */
export async function yieldToOthers(signal?: AbortSignal, whenCancelled = NOTHING_CHANGED): Promise<void> {
  await setImmediate()
  throwIfCancelled(signal, whenCancelled)
}

/**
 * Throws when the signal was aborted. It is for work between two transactions and for callers that must not continue
 * after a cancellation.
 * @throws LcmError cancelled
 */
export function throwIfCancelled(signal: AbortSignal | undefined, whenCancelled = NOTHING_CHANGED): void {
  if (signal?.aborted) throw new LcmError('cancelled', whenCancelled)
}

/**
 * Runs a generator in slices. The generator yields where it may be interrupted.
 * @param signal left out where nobody can cancel the work
 */
export const inSlices = <T>(work: Generator<void, T>, signal?: AbortSignal): Promise<T> =>
  goingOn(work, new TimeSlice(signal))

/** Runs such a generator within a slice of which other work may have used a part. */
export async function goingOn<T>(work: Generator<void, T>, slice: TimeSlice): Promise<T> {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (slice.isOver) await slice.yield()
  }
}

/** Runs such a generator to its end without yielding, as inside a transaction. */
export function withoutYielding<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/** Runs a generator that yields to others by itself to its end. */
export async function runToEnd<T>(work: AsyncGenerator<unknown, T>): Promise<T> {
  for (;;) {
    const step = await work.next()
    if (step.done) return step.value
  }
}

/** Measures how long this thread has been kept from other work. */
export class TimeSlice {
  readonly #signal: AbortSignal | undefined
  readonly #whenCancelled: string
  #startedAt = performance.now()

  constructor(signal?: AbortSignal, whenCancelled = NOTHING_CHANGED) {
    this.#signal = signal
    this.#whenCancelled = whenCancelled
  }

  /** Cancels the work, if anybody can. */
  get signal(): AbortSignal | undefined {
    return this.#signal
  }

  get isOver(): boolean {
    return performance.now() - this.#startedAt >= SLICE_MS
  }

  /** Lets others go first and begins the next slice. @throws LcmError cancelled */
  async yield(): Promise<void> {
    await yieldToOthers(this.#signal, this.#whenCancelled)
    this.#startedAt = performance.now()
  }

  /** Yields when the slice is over. @throws LcmError cancelled, also before that */
  async yieldIfOver(): Promise<void> {
    if (this.isOver) await this.yield()
    else throwIfCancelled(this.#signal, this.#whenCancelled)
  }
}

/** Blocks this thread. It is for the short waits of opening a file that another program is using. */
export function blockThread(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
