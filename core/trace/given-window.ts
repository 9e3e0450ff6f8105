import type { Memory } from '../memory/memory.ts'
import { type Foot, isFootInWindow } from './ladder.ts'

/**
 * What the model is given of the stored window of a conversation. Items over the budget and results without their call
 * stand in the window and are left out of it.
 */
export class GivenWindow {
  /** Ids of items of the window that the model is not given. */
  readonly leftOut: ReadonlySet<string>
  readonly #memory: Memory

  constructor(memory: Memory, leftOut: ReadonlySet<string>) {
    this.#memory = memory
    this.leftOut = leftOut
  }

  /** Whether the model is given this message or summary itself. */
  has(foot: Foot): boolean {
    return isFootInWindow(this.#memory, foot) && !this.#isLeftOut(foot)
  }

  /** Whether this message or summary stands in the window, and the model is not given it. */
  leavesOut(foot: Foot): boolean {
    return isFootInWindow(this.#memory, foot) && this.#isLeftOut(foot)
  }

  #isLeftOut(foot: Foot): boolean {
    if (this.leftOut.size === 0) return false
    const { summaries } = this.#memory
    return this.leftOut.has('position' in foot ? this.#memory.messageId(foot.position) : summaries.at(foot.node).id)
  }
}
