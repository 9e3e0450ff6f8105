/** So many calls may be at work at the same time, for whichever pass they are made. */
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

  /** Does the work as soon as there is a slot for it. */
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

  /** Calls back whenever a slot becomes free that nobody waits for; replaces whom it called before. */
  onFree(callback: () => void): void {
    this.#onFree = callback
  }
}
