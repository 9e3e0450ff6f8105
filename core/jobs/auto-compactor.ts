import type { CompactionDecision } from '../contract/compaction.ts'
import type { Job } from '../contract/job.ts'
import { LcmError } from '../errors.ts'
import type { Lcm } from '../lcm.ts'
import { isNative } from '../systems/native/native.ts'
import { neededRun } from './auto-compaction.ts'
import type { Jobs } from './jobs.ts'

/** What was added to a conversation. */
type Growth = { readonly messages: number; readonly tokens: number }

/**
 * Compacts the conversations of a native memory that another program appends to as soon as they are past a threshold. It
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
  /**
   * True when there may be something to compact although the file does not change: it was opened, a lock was met, or a
   * run ended.
   */
  #isWaiting = false
  /** How far each window was from its thresholds when it was last read, less what was added since. */
  readonly #distances = new Map<number, { messages: number; tokens: number }>()

  constructor(jobs: Jobs, summarizer = 'deterministic') {
    this.#jobs = jobs
    this.#summarizer = summarizer
  }

  /** Whoever opened the file, it may have grown before. */
  onOpened(): void {
    this.#isWaiting = true
  }

  /**
   * When a run ends, messages may have come that it did not see. A run that found its conversation locked by another
   * program, such as an import, is tried again.
   */
  onJob({ kind, state, error, conversationId }: Job): void {
    if (kind !== 'compact' || state === 'running' || conversationId === null) return
    if (error?.code === 'locked') this.#triedAt.delete(conversationId)
    this.#isWaiting = true
  }

  /** Looks after an opening, a lock or the end of a run. */
  lookAgain(lcm: Lcm): void {
    if (this.#isWaiting) this.look(lcm)
  }

  /** Looks for conversations to compact, after the file changed. */
  look(lcm: Lcm): void {
    this.#isWaiting = false
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
      if (error.code === 'locked') this.#isWaiting = true
    }
  }

  /**
   * Starts the run that a conversation needs after messages were added to it. Returns its job, or null when no threshold
   * is reached, a run is under way, or the window did not grow since the last one.
   */
  lookAt(lcm: Lcm, conversationId: number): string | null {
    return this.#startDue(lcm, conversationId, lcm.reader.order(conversationId).length)
  }

  /**
   * As `lookAt`, but reads the window only when what was added since it was last read can have reached a threshold:
   * reading it takes time with every message of the conversation.
   */
  lookAfter(lcm: Lcm, conversationId: number, { messages, tokens }: Growth): string | null {
    const known = this.#distances.get(conversationId)
    if (known !== undefined) {
      known.messages -= messages
      known.tokens -= tokens
      if (known.messages > 0 && known.tokens > 0) return null
    }
    return this.lookAt(lcm, conversationId)
  }

  #startDue({ info, planner }: Lcm, conversationId: number, messages: number): string | null {
    if (this.#triedAt.get(conversationId) === messages) return null
    const request = { conversationId, summarizer: this.#summarizer }
    const decision = planner.evaluate({ ...request, mode: 'full', reason: 'threshold' })
    this.#distances.set(conversationId, distanceOf(decision))
    const input = neededRun(decision, request)
    if (!input) return null
    try {
      const jobId = this.#jobs.start({ path: info.path, create: false, spec: { kind: 'compact', ...input } })
      this.#triedAt.set(conversationId, messages)
      return jobId
    } catch (error) {
      // Another run is under way. What it does not see is looked at when it ends.
      if (!(error instanceof LcmError && error.code === 'locked')) throw error
      return null
    }
  }
}

/** The least that has to be added before a threshold is reached. */
function distanceOf({ triggers }: CompactionDecision): { messages: number; tokens: number } {
  const distances = { messages: Number.POSITIVE_INFINITY, tokens: Number.POSITIVE_INFINITY }
  for (const { name, value, limit } of triggers) {
    if (name === 'soft_threshold') distances.tokens = limit - value
    else if (name === 'active_messages' && limit > 0) distances.messages = limit + 1 - value
  }
  return distances
}
