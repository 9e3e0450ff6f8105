import { LcmError } from '../errors.ts'
import type { Lcm } from '../lcm.ts'
import { isNative } from '../systems/native/native.ts'
import { neededRun } from './auto-compaction.ts'
import type { Jobs } from './jobs.ts'

/**
 * Compacts the conversations of a native memory that another program appends to as soon as they reach a threshold. It
 * uses the built-in extractor, so that nothing is spent on models unasked. It is off unless the host asks for it, and
 * never works against `LCM_AUTOCOMPACT_DISABLED` or `LCM_ENABLED`.
 */
export class AutoCompactor {
  readonly #jobs: Jobs
  readonly #summarizer: string
  /**
   * The number of messages when a run was last started. A window that cannot shrink further is tried again only after
   * it grew.
   */
  readonly #triedAt = new Map<number, number>()

  constructor(jobs: Jobs, summarizer = 'deterministic') {
    this.#jobs = jobs
    this.#summarizer = summarizer
  }

  /** Looks for conversations to compact, after the file changed. */
  look(lcm: Lcm): void {
    const { info, settings } = lcm
    if (!isNative(info) || info.readOnly || !settings.enabled || settings.autocompactDisabled) return
    try {
      for (const { conversationId, messages, activeTokens, contextItems } of lcm.stats.conversations()) {
        const { softThreshold, budgetTokens, maxActiveMessages } = settings.compaction
        const mayBeDue =
          activeTokens >= softThreshold * budgetTokens || (maxActiveMessages > 0 && contextItems > maxActiveMessages)
        if (mayBeDue) this.#startDue(lcm, conversationId, messages)
      }
    } catch (error) {
      // A file that cannot be read is not compacted. The error is reported to those who ask something of the file.
      if (!(error instanceof LcmError)) throw error
    }
  }

  /**
   * Starts the run that a conversation needs after messages were added to it. Returns its job, or null when no threshold
   * is reached, a run is under way, or the window did not grow since the last one.
   */
  lookAt(lcm: Lcm, conversationId: number): string | null {
    return this.#startDue(lcm, conversationId, lcm.reader.order(conversationId).length)
  }

  #startDue({ info, planner }: Lcm, conversationId: number, messages: number): string | null {
    if (this.#triedAt.get(conversationId) === messages) return null
    const request = { conversationId, summarizer: this.#summarizer }
    const input = neededRun(planner.evaluate({ ...request, mode: 'full', reason: 'threshold' }), request)
    if (!input) return null
    this.#triedAt.set(conversationId, messages)
    try {
      return this.#jobs.start({ path: info.path, create: false, spec: { kind: 'compact', ...input } })
    } catch (error) {
      // Somebody is compacting it already, which is what was wanted.
      if (!(error instanceof LcmError && error.code === 'locked')) throw error
      return null
    }
  }
}
