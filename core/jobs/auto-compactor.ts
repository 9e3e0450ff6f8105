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
  /**
   * The number of messages when a run was last started. A window that cannot shrink further is tried again only after
   * it grew.
   */
  readonly #triedAt = new Map<number, number>()

  constructor(jobs: Jobs) {
    this.#jobs = jobs
  }

  /** Looks for conversations to compact, after the file changed. */
  look(lcm: Lcm): void {
    const { info, settings } = lcm
    if (!isNative(info) || info.readOnly || !settings.enabled || settings.autocompactDisabled) return
    try {
      this.#startDue(lcm)
    } catch (error) {
      // A file that cannot be read is not compacted. The error is reported to those who ask something of the file.
      if (!(error instanceof LcmError)) throw error
    }
  }

  #startDue({ info, settings, stats, planner }: Lcm): void {
    for (const { conversationId, messages, activeTokens, contextItems } of stats.conversations()) {
      const { softThreshold, budgetTokens, maxActiveMessages } = settings.compaction
      const mayBeDue =
        activeTokens >= softThreshold * budgetTokens || (maxActiveMessages > 0 && contextItems > maxActiveMessages)
      if (!mayBeDue || this.#triedAt.get(conversationId) === messages) continue
      const request = { conversationId, summarizer: 'deterministic' }
      const input = neededRun(planner.evaluate({ ...request, mode: 'full', reason: 'threshold' }), request)
      if (!input) continue
      this.#triedAt.set(conversationId, messages)
      this.#start(info.path, { kind: 'compact', ...input })
    }
  }

  #start(path: string, spec: Parameters<Jobs['start']>[0]['spec']): void {
    try {
      this.#jobs.start({ path, create: false, spec })
    } catch (error) {
      // Somebody is compacting it already, which is what was wanted.
      if (!(error instanceof LcmError && error.code === 'locked')) throw error
    }
  }
}
