import type { CompactInput, CompactionDecision, CompactionPlan, CompactionSettings } from '../contract/compaction.ts'
import { withOverrides } from '../settings/settings.ts'
import type { KeptWindow } from '../window/kept-window.ts'
import { decide, emptyPlan, planWindow, withInherited } from './plan-window.ts'

/**
 * Answers whether a window should be compacted and what a run would do. It only reads, supports files of every system,
 * and reads the window once until the file changes.
 */
export class CompactionPlanner {
  readonly #settings: Readonly<CompactionSettings>
  readonly #windows: KeptWindow
  readonly #whyOff: string | null

  /** @param whyOff the reason why no run would do anything, whatever the window holds */
  constructor(windows: KeptWindow, settings: Readonly<CompactionSettings>, whyOff: string | null = null) {
    this.#windows = windows
    this.#settings = settings
    this.#whyOff = whyOff
  }

  /**
   * The triggers use the active tokens, whether or not they fit into the budget. The pressure is that of the assembled
   * window, as everywhere (docs/decisions/0022-one-window.md). Of a fork, both include what it sees of the conversation
   * that it was forked from.
   * @throws LcmError not_found, invalid_argument
   */
  evaluate(input: CompactInput): CompactionDecision {
    const settings = withOverrides(this.#settings, input.settings)
    const { window } = this.#windows.sent(input.conversationId)
    return decide(window, settings, undefined, this.#windows.of(input.conversationId).window)
  }

  /**
   * Returns what `compact` would do with the same input. A fork is compacted only in its own messages and summaries; the
   * plan says how much of the window belongs to its parent.
   * @throws LcmError not_found, invalid_argument
   */
  plan(input: CompactInput): CompactionPlan {
    const settings = withOverrides(this.#settings, input.settings)
    const { window, covered } = this.#windows.of(input.conversationId)
    if (this.#whyOff !== null) return emptyPlan(window, input, this.#whyOff)
    const sent = this.#windows.sent(input.conversationId)
    return withInherited(planWindow(window, covered, input, settings), sent.window, sent.homes)
  }
}
