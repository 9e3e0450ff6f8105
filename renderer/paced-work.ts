/** Work that is done again and again, one turn after another, with a pause after each. */
export class PacedWork {
  readonly #work: () => Promise<void>
  readonly #pauseOf: (tookMs: number) => number
  #timer: ReturnType<typeof setTimeout> | undefined
  #isRunning = false
  /** True when it was asked for while it ran. */
  #isDue = false
  #pauseUntilMs = 0

  /** @param pauseOf how long the pause after a turn is, in milliseconds */
  constructor(work: () => Promise<void>, pauseOf: (tookMs: number) => number) {
    this.#work = work
    this.#pauseOf = pauseOf
  }

  /** Does the work as soon as the turn that runs and the pause after it are over. */
  soon(): void {
    if (this.#isRunning) this.#isDue = true
    else this.#timer ??= setTimeout(() => void this.#turn(), Math.max(0, this.#pauseUntilMs - Date.now()))
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
      this.#pauseUntilMs = nowMs + this.#pauseOf(nowMs - startedMs)
      if (this.#isDue) {
        this.#isDue = false
        this.soon()
      }
    }
  }
}
