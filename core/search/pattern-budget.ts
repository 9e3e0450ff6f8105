/** How long one question to a thread may take, and all of a search when its pattern is slow. */
export const LIMIT_MS = 5000
/** Characters a millisecond. A pattern that is faster may continue; ordinary patterns are a hundred times as fast. */
const SLOW = 1000

/** What a pattern may spend on texts. */
export class PatternBudget {
  #spentMs = 0
  #characters = 0

  /** Returns whether a pattern has to be stopped that has been at a text for so long, and has come so far in it. */
  isHeld(ms: number, characters: number): boolean {
    const spentMs = this.#spentMs + ms
    return spentMs > LIMIT_MS && this.#characters + characters < spentMs * SLOW
  }

  /** Counts the time that some characters took, and returns whether the pattern has to be stopped. */
  spend(ms: number, characters: number): boolean {
    this.#spentMs += ms
    this.#characters += characters
    return this.isHeld(0, 0)
  }
}
