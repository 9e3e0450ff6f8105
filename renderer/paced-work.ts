/** Work that is done again and again, one turn after another, with a rest after each. */
export class PacedWork {
  readonly #work: () => Promise<void>
  readonly #restOf: (tookMs: number) => number
  #timer: ReturnType<typeof setTimeout> | undefined
  #isRunning = false
  /** True when it was asked for while it ran. */
  #isDue = false
  #restUntilMs = 0

  /** @param restOf how long the rest after a turn is, in milliseconds */
  constructor(work: () => Promise<void>, restOf: (tookMs: number) => number) {
    this.#work = work
    this.#restOf = restOf
  }

  /** Does the work as soon as the turn that runs and the rest after it are over. */
  soon(): void {
    if (this.#isRunning) this.#isDue = true
    else this.#timer ??= setTimeout(() => void this.#turn(), Math.max(0, this.#restUntilMs - Date.now()))
  }

  /** Gives up what waits. Returns true when something did. */
  stop(): boolean {
    const wasWaiting = this.#timer !== undefined || this.#isDue
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isDue = false
    return wasWaiting
  }

  async #turn(): Promise<void> {
    this.#timer = undefined
    this.#isRunning = true
    const startedMs = Date.now()
    try {
      await this.#work()
    } finally {
      this.#isRunning = false
      const nowMs = Date.now()
      this.#restUntilMs = nowMs + this.#restOf(nowMs - startedMs)
      if (this.#isDue) {
        this.#isDue = false
        this.soon()
      }
    }
  }
}
