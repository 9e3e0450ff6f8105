import { setImmediate } from 'node:timers/promises'
import { LcmError } from '../errors.ts'

/** Longest stretch of work before others get their turn. */
const STRETCH_MS = 20

/** Keeps a long search from blocking everything else, and lets it be cancelled. */
export class Breather {
  readonly #signal: AbortSignal | undefined
  #since = performance.now()

  constructor(signal?: AbortSignal) {
    this.#signal = signal
  }

  /** True when the stretch is used up: time to `pause`. */
  get isDue(): boolean {
    return performance.now() - this.#since > STRETCH_MS
  }

  /**
   * Gives way when it is due.
   * @throws LcmError cancelled
   */
  async pause(): Promise<void> {
    if (this.isDue) {
      await setImmediate()
      this.#since = performance.now()
    }
    if (this.#signal?.aborted) throw new LcmError('cancelled', 'The search was cancelled.')
  }
}
