import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { LogFields } from '../contract/activity.ts'
import type {
  CompactInput,
  CompactionDecision,
  CompactionPlan,
  CompactionProgress,
  CompactionResult,
  CompactionSettings,
  StopReason,
} from '../contract/compaction.ts'
import { LcmError } from '../errors.ts'
import { elapsedMs, errorFields, logEvent, memoryKey, sessionKey } from '../log.ts'
import { createDeterministicSummarizer } from '../models/summarizers/deterministic.ts'
import type { Spend, Summarizer, SummarizerChain } from '../models/summarizers/summarizer.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import { withOverrides } from '../settings/settings.ts'
import { processMark } from '../sqlite/process-mark.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import { MemoryReader } from '../systems/reading/memory-reader.ts'
import { KeptWindow } from '../window/kept-window.ts'
import { CompactionPlanner } from './compaction-planner.ts'
import { CompactionRun } from './compaction-run.ts'
import { ConversationLock } from './conversation-lock.ts'
import { closeCutOffRuns } from './cut-off-runs.ts'
import { Escalation, type EscalationOptions } from './escalation.ts'
import { NOTHING_TO_CONDENSE, TOO_SMALL, targetOf, underTarget } from './goal.ts'
import type { RunBounds } from './run-options.ts'
import { recordFinish, recordSpend } from './run-record.ts'

const queries = {
  conversation: /* sql */ `
    SELECT session_id FROM conversations WHERE conversation_id = :conversationId`,
} as const

export type CompactionEngineOptions = {
  readonly db: WriteDb
  readonly estimator: TokenEstimator
  readonly clock: Clock
  readonly settings: Readonly<CompactionSettings>
  /** Names this process in locks and runs. */
  readonly owner: string
  /** Summarisers by name. The deterministic one is always available. */
  readonly summarizers?: readonly Summarizer[]
  /**
   * Returns the configured summarisers by name, or undefined for an unknown name. `chain` means all of them in order.
   * Called once in a run.
   */
  readonly chainFor?: (name: string) => SummarizerChain | undefined
  readonly bounds?: Partial<RunBounds>
  /** Makes the id of a run. Tests replace it to get the same file every time. */
  readonly newRunId?: () => string
}

const randomRunId = (): string => `run_${randomBytes(8).toString('hex')}`

const DEFAULT_BOUNDS: RunBounds = { passes: 40, durationMs: 15 * 60_000, callMs: 10 * 60_000, conflicts: 5 }

/**
 * Replaces old messages in the window by summaries, and summaries by summaries of them. It never changes a message.
 * Every step is one short transaction, so that the graph stays sound after a crash, after a cancellation, and beside
 * another writer.
 */
export class CompactionEngine {
  readonly #options: CompactionEngineOptions
  readonly #memories: MemoryReader
  readonly #planner: CompactionPlanner

  constructor(options: CompactionEngineOptions) {
    this.#options = options
    this.#memories = new MemoryReader(options.db)
    const windows = new KeptWindow(options.db, options.estimator, this.#memories)
    this.#planner = new CompactionPlanner(windows, options.settings)
  }

  /** @see CompactionPlanner.evaluate */
  evaluate(input: CompactInput): CompactionDecision {
    return this.#planner.evaluate(input)
  }

  /** @see CompactionPlanner.plan */
  plan(input: CompactInput): CompactionPlan {
    return this.#planner.plan(input)
  }

  /**
   * Runs to its end and yields after every node. It stops between nodes when the signal is aborted or the caller stops
   * iterating; what is committed stays. `tokensAfter` covers what the window held when the run began.
   * @throws LcmError not_found, invalid_argument, locked (retryable; names the holder)
   */
  async *compact(input: CompactInput, signal: AbortSignal): AsyncGenerator<CompactionProgress, CompactionResult> {
    const { db, clock, owner, estimator } = this.#options
    const { conversationId } = input
    const settings = withOverrides(this.#options.settings, input.settings)
    const chain = this.#chain(input.summarizer)
    const session = db.value<string>(queries.conversation, { conversationId })
    if (session === undefined) {
      throw new LcmError('not_found', `There is no conversation ${conversationId} in ${db.path}.`, { conversationId })
    }
    const began = performance.now()
    const runId = (this.#options.newRunId ?? randomRunId)()
    // Two runs of one process are two owners.
    const holder = `${owner}, ${runId} ${processMark()}`
    const lock = ConversationLock.acquire(db, conversationId, holder, clock())
    closeCutOffRuns(db, conversationId)
    const bounds = { ...DEFAULT_BOUNDS, ...this.#options.bounds }
    const escalation = new Escalation({ chain, estimator, callMs: bounds.callMs })
    const fields = {
      memory: memoryKey(db.path),
      conversation_id: conversationId,
      session_id: sessionKey(String(session)),
      compaction_id: runId,
      trigger_reason: input.reason,
    }
    const run = new CompactionRun({
      ...this.#options,
      memories: this.#memories,
      settings,
      input,
      escalation,
      lock,
      runId,
      bounds,
    })
    logEvent('info', 'compaction', 'run.started', { ...fields, mode: input.mode })
    // The reason that is recorded when the caller stops iterating.
    let stopReason: StopReason | null = 'cancelled'
    let failure: LogFields = {}
    try {
      stopReason = yield* run.execute(signal)
    } catch (error) {
      // The run crashed, so its record stays without an end.
      stopReason = null
      failure = errorFields(error)
      throw error
    } finally {
      const { inputTokens, outputTokens, cost } = escalation.spend
      logEvent(stopReason === null ? 'error' : 'info', 'compaction', stopReason === null ? 'run.failed' : 'run.done', {
        ...fields,
        ...failure,
        mode: input.mode,
        outcome: stopReason ?? 'failed',
        token_before: run.tokensBefore,
        token_after: run.tokensAfter,
        nodes: run.created.length,
        tokens_in: inputTokens,
        tokens_out: outputTokens,
        ...(cost !== null && { cost }),
        duration_ms: elapsedMs(began),
      })
      this.#finish(run, runId, lock, stopReason, escalation.spend)
    }
    const { tokensBefore, tokensAfter, created } = run
    return {
      runId: run.isRecorded ? runId : null,
      conversationId,
      stopReason,
      tokensBefore,
      tokensAfter,
      reduction: tokensBefore === 0 ? 0 : 1 - tokensAfter / tokensBefore,
      created,
      ...(run.isRecorded ? {} : { skipped: this.#whySkipped(run, stopReason, input, settings) }),
      durationMs: performance.now() - began,
    }
  }

  #chain(name: string): EscalationOptions['chain'] {
    const configured = this.#options.chainFor?.(name)
    if (configured) return configured
    const last = createDeterministicSummarizer(this.#options.estimator)
    const known = [...(this.#options.summarizers ?? []), last]
    const chosen = known.find((summarizer) => summarizer.name === name)
    if (!chosen) {
      const names = known.map((summarizer) => summarizer.name).join(', ')
      throw new LcmError('invalid_argument', `There is no summariser ${JSON.stringify(name)}: use one of ${names}.`)
    }
    return { summarizers: chosen.name === last.name ? [chosen] : [chosen, last] }
  }

  #finish(
    run: CompactionRun,
    runId: string,
    lock: ConversationLock,
    stopReason: StopReason | null,
    spend: Spend,
  ): void {
    const { db, clock } = this.#options
    const { tokensAfter } = run
    try {
      db.transaction(() => {
        if (run.isRecorded) recordSpend(db, runId, spend)
        if (run.isRecorded && stopReason) recordFinish(db, { runId, nowMs: clock(), tokensAfter, stopReason })
        lock.release()
      })
    } catch (error) {
      lock.abandon()
      throw error
    }
    if (run.isRecorded) truncateLog(db)
  }

  #whySkipped(
    run: CompactionRun,
    stopReason: StopReason,
    input: CompactInput,
    settings: Readonly<CompactionSettings>,
  ): string {
    switch (stopReason) {
      case 'target_reached':
        return underTarget(run.tokensBefore, targetOf(input, settings) ?? 0)
      case 'no_progress':
        return 'No summary came out smaller than what it would stand for.'
      case 'cancelled':
        return 'Cancelled before anything was written.'
      case 'deadline':
      case 'cap':
        return 'The time or the passes allowed were used up before anything was written.'
      case 'conflict':
        return 'The window kept changing while it was being compacted; nothing was written. Try again.'
      case 'all_compacted':
      case 'nothing_eligible':
      case 'irreducible_tail':
        return run.skipped ?? (input.mode === 'leaf' ? TOO_SMALL : NOTHING_TO_CONDENSE)
    }
  }
}

/** Checkpoints the log, unless another connection is reading from it. Then the next run or closing does it. */
function truncateLog(db: WriteDb): void {
  const waitMs = db.value<number>('PRAGMA busy_timeout') ?? 5_000
  db.exec(`PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = ${waitMs}`)
}
