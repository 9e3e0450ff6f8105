/** Limits the number of calls that are in work at the same time, for all passes. */
export class Slots {
  readonly atOnce: number
  #busy = 0
  #waiting: (() => void)[] = []
  #onFree: () => void = () => {}

  constructor(atOnce: number) {
    this.atOnce = atOnce
  }

  get isFree(): boolean {
    return this.#busy < this.atOnce
  }

  /** Does the work as soon as a slot is free. */
  async run<R>(work: () => Promise<R>): Promise<R> {
    while (!this.isFree) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#busy += 1
    try {
      return await work()
    } finally {
      this.#busy -= 1
      const next = this.#waiting.shift()
      if (next) next()
      else this.#onFree()
    }
  }

  /** Sets the function that is called whenever a slot becomes free and no work waits for it. */
  onFree(callback: () => void): void {
    this.#onFree = callback
  }
}
