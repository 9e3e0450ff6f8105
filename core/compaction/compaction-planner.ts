import type { CompactInput, CompactionDecision, CompactionPlan, PlanInput, PlanStep } from '../contract/compaction.ts'
import { sourceCounts } from '../contract/lists.ts'
import { withOverrides } from '../settings/settings.ts'
import type { KeptWindow } from '../window/kept-window.ts'
import { measureWindow } from '../window/window-size.ts'
import { type PlannerSettings, settingsFor } from './conversation-settings.ts'
import { decide, emptyPlan, planWindow, withInherited } from './plan-window.ts'

/**
 * Answers whether a window should be compacted and what a run would do. It only reads, supports files of every system,
 * and reads the window once until the file changes.
 */
export class CompactionPlanner {
  readonly #settings: PlannerSettings
  readonly #windows: KeptWindow
  readonly #whyOff: string | null

  /** @param whyOff the reason why no run would do anything, whatever the window holds */
  constructor(windows: KeptWindow, settings: PlannerSettings, whyOff: string | null = null) {
    this.#windows = windows
    this.#settings = settings
    this.#whyOff = whyOff
  }

  /**
   * The triggers use the active tokens, whether or not they fit into the budget. The pressure is that of the assembled
   * window, as everywhere (docs/decisions/0014-one-window.md). Of a fork, both include what it sees of the conversation
   * that it was forked from.
   * @throws LcmError not_found, invalid_argument
   */
  evaluate(input: CompactInput): CompactionDecision {
    const { judged, selected } = this.#settingsFor(input)
    const { window } = this.#windows.sent(input.conversationId)
    const size = measureWindow(window.columns, window.pairs, selected)
    return decide(window, judged, size, this.#windows.of(input.conversationId).window)
  }

  /**
   * Returns what `compact` would do with the same input. A fork is compacted only in its own messages and summaries; the
   * plan says how much of the window belongs to its parent.
   * @throws LcmError not_found, invalid_argument
   */
  plan(input: CompactInput): CompactionPlan {
    const { judged } = this.#settingsFor(input)
    const { window, covered } = this.#windows.of(input.conversationId)
    if (this.#whyOff !== null) return emptyPlan(window, input, this.#whyOff)
    const sent = this.#windows.sent(input.conversationId)
    return withInherited(planWindow(window, covered, input, judged), sent.window, sent.homes)
  }

  /**
   * Returns the plan with as many sources as are asked for. In a long conversation the list of all of them has several
   * megabytes.
   * @throws LcmError as `plan`
   */
  planWith({ sources, ...input }: PlanInput): CompactionPlan {
    const plan = this.plan(input)
    return sources === 'all'
      ? plan
      : { ...plan, steps: plan.steps.map(withEnds), sourceCounts: sourceCounts(plan.steps) }
  }

  #settingsFor({ conversationId, settings }: CompactInput) {
    const requested = withOverrides(this.#settings, settings)
    return settingsFor(this.#settings, conversationId, requested, settings?.budgetTokens)
  }
}

/** The step with the first and the last of its sources, and how many there are. */
function withEnds(step: PlanStep): PlanStep {
  const { sources } = step
  const ends = sources.length > 2 ? [sources[0] as string, sources.at(-1) as string] : sources
  return { ...step, sources: ends, sourceCount: sources.length }
}
