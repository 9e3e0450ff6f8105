/** How long one question to a thread may take, and all of a search when its pattern is slow. */
export const LIMIT_MS = 5000
/** How long one text may hold the thread when the pattern is slow. */
export const HELD_MS = 1000
/** Characters a millisecond. A pattern that is faster may continue; ordinary patterns are a hundred times as fast. */
const SLOW = 1000

/** What a pattern may spend on texts. */
export class PatternBudget {
  #spentMs = 0
  #characters = 0

  /** Returns whether a pattern that is at one text holds its thread for too long. */
  isHeld(ms: number, characters: number): boolean {
    return ms > HELD_MS && characters < ms * SLOW
  }

  /** Counts the time that some characters took, and returns whether the pattern has to be stopped. */
  spend(ms: number, characters: number): boolean {
    this.#spentMs += ms
    this.#characters += characters
    return this.#spentMs > LIMIT_MS && this.#characters < this.#spentMs * SLOW
  }
}
