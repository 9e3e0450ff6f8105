import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { TokenEstimator } from '../context/token-estimator.ts'
import { readWindow, type Window, type WindowItem } from '../context/window.ts'
import type {
  CompactInput,
  CompactionProgress,
  CompactionSettings,
  CreatedSummary,
  StopReason,
} from '../contract/compaction.ts'
import type { WriteDb } from '../db/read-db.ts'
import { findGroups, tokensOf } from './condensation.ts'
import type { ConversationLock } from './conversation-lock.ts'
import { summarizeSafely } from './escalation.ts'
import { condenses, makesLeaves, softLimit, targetOf, tooFewMessages } from './goal.ts'
import { findLeafChunks, type Range } from './leaf-chunks.ts'
import { checkDraft, type NodeDraft, replaceInWindow } from './replace-in-window.ts'
import { recordBegin } from './run-record.ts'
import { readSources } from './sources.ts'
import type { Summarizer } from './summarizers/summarizer.ts'
import { type Replacement, replaceRanges, summaryItem } from './window-model.ts'

export type RunOptions = {
  readonly db: WriteDb
  readonly estimator: TokenEstimator
  readonly clock: Clock
  readonly settings: Readonly<CompactionSettings>
  readonly input: CompactInput
  readonly summarizers: readonly Summarizer[]
  readonly lock: ConversationLock
  readonly owner: string
  readonly runId: string
  readonly bounds: RunBounds
}

/** What ends a run that would otherwise go on. */
export type RunBounds = {
  /** One leaf pass, then one pass a depth. */
  readonly passes: number
  readonly durationMs: number
  /** How often a run plans anew because the window changed under it. */
  readonly conflicts: number
}

/** How long the thread may be kept before others get their turn. */
const BREATH_MS = 20

type Steps = AsyncGenerator<CompactionProgress, StopReason | null>
type StepOutcome = 'written' | 'stale' | 'irreducible' | 'lock_lost' | 'cancelled'

/** One run over one conversation: reads the window, makes nodes oldest first, and commits each on its own. */
export class CompactionRun {
  readonly created: CreatedSummary[] = []
  readonly startedAtMs: number
  tokensBefore = 0
  /** Why leaves were not made although the mode makes them. */
  skipped: string | null = null
  readonly #options: RunOptions
  readonly #target: number | null
  readonly #irreducible = new Set<string>()
  /** Of the window as last read, less what was saved since. */
  #tokens = 0
  #isRecorded = false
  #saved = 0
  #passes = 0
  #conflicts = 0
  #breathedAt = performance.now()

  constructor(options: RunOptions) {
    this.#options = options
    this.#target = targetOf(options.input, options.settings)
    this.startedAtMs = options.clock()
  }

  /** Of what the window held at the beginning: what others append meanwhile is not counted. */
  get tokensAfter(): number {
    return this.tokensBefore - this.#saved
  }

  get isRecorded(): boolean {
    return this.#isRecorded
  }

  /** Yields after each node; returns why it ended. What is committed stays, whatever ends it. */
  async *execute(signal: AbortSignal): AsyncGenerator<CompactionProgress, StopReason> {
    const { input } = this.#options
    this.tokensBefore = this.#read().tokens
    const stopped =
      this.#shouldStop(signal) ??
      (makesLeaves(input) ? yield* this.#leafPass(signal) : null) ??
      (condenses(input) ? yield* this.#condensedPasses(signal) : null)
    return stopped ?? this.#reasonAtEnd()
  }

  async *#leafPass(signal: AbortSignal): Steps {
    this.#passes += 1
    for (let isFirst = true; ; isFirst = false) {
      const { items, pairs } = this.#read()
      const eligible = findLeafChunks(items, pairs, this.#options.settings)
      if (isFirst) this.skipped = tooFewMessages(eligible.messages, this.#options.settings)
      if (this.skipped !== null) return null
      const stopped = yield* this.#replaceEach(items, eligible.chunks, 0, signal)
      if (stopped !== 'stale') return stopped
    }
  }

  async *#condensedPasses(signal: AbortSignal): Steps {
    const { settings, bounds } = this.#options
    let { items } = this.#read()
    for (;;) {
      const groups = findGroups(items, settings, this.#irreducible)
      const [group] = groups
      if (!group) return null
      if (this.#passes >= bounds.passes) return 'cap'
      this.#passes += 1
      const done: Replacement[] = []
      const stopped = yield* this.#replaceEach(items, groups, group.depth + 1, signal, done)
      if (stopped !== null && stopped !== 'stale') return stopped
      items = stopped === null ? replaceRanges(items, done) : this.#read().items
    }
  }

  /** Makes one node of each range, in order. Null when all were gone through; `stale` when they must be found anew. */
  async *#replaceEach(
    items: readonly WindowItem[],
    ranges: readonly Range[],
    depth: number,
    signal: AbortSignal,
    done: Replacement[] = [],
  ): AsyncGenerator<CompactionProgress, StopReason | 'stale' | null> {
    for (const [index, range] of ranges.entries()) {
      await this.#breathe()
      const stop = this.#shouldStop(signal)
      if (stop) return stop
      const sources = items.slice(range.from, range.to)
      if (this.#irreducible.has(sources[0]?.id ?? '')) continue
      const step = await this.#makeNode(sources, depth, signal)
      if (step.outcome === 'cancelled') return 'cancelled'
      if (step.outcome === 'lock_lost') return 'conflict'
      if (step.outcome === 'stale') {
        this.#conflicts += 1
        return this.#conflicts > this.#options.bounds.conflicts ? 'conflict' : 'stale'
      }
      if (step.outcome === 'irreducible') this.#irreducible.add(sources[0]?.id ?? '')
      if (step.created) {
        const ordinal = sources[0]?.ordinal ?? 0
        done.push({ range, by: summaryItem({ ...step.created, ordinal }) })
      }
      yield {
        pass: depth === 0 ? 'leaf' : 'condensed',
        chunk: index + 1,
        chunks: ranges.length,
        tokensSaved: this.#saved,
        level: step.created?.level ?? null,
        createdId: step.created?.id ?? null,
      }
    }
    return null
  }

  /** Summarises with no transaction open, then commits in one short one. */
  async #makeNode(
    items: readonly WindowItem[],
    depth: number,
    signal: AbortSignal,
  ): Promise<{ readonly outcome: StepOutcome; readonly created?: CreatedSummary }> {
    const { db, settings, summarizers, estimator, input, runId } = this.#options
    const began = performance.now()
    const sources = readSources(db, items, depth)
    if (!sources) return { outcome: 'stale' }
    const windowTokens = tokensOf(items, { from: 0, to: items.length })
    const targetTokens = depth === 0 ? settings.leafTargetTokens : settings.condensedTargetTokens
    const { entries } = sources
    const request = { depth, targetTokens, sourceTokens: windowTokens, entries, previousSummary: null }
    let summary: Awaited<ReturnType<typeof summarizeSafely>>
    try {
      summary = await summarizeSafely(summarizers, request, estimator, signal)
    } catch (error) {
      if (signal.aborted) return { outcome: 'cancelled' }
      throw error
    }
    if (!summary) return { outcome: 'irreducible' }
    return this.#commit({
      conversationId: input.conversationId,
      runId,
      isAutomatic: input.reason === 'threshold',
      depth,
      items,
      sources,
      summary,
      windowTokens,
      durationMs: performance.now() - began,
    })
  }

  #commit(draft: NodeDraft): { readonly outcome: StepOutcome; readonly created?: CreatedSummary } {
    const { db, clock, estimator, lock, runId, input, settings, owner } = this.#options
    const nowMs = clock()
    const node = db.transaction(() => {
      if (!lock.extend(nowMs)) return 'lock_lost'
      const checked = checkDraft(db, draft, estimator)
      if (typeof checked === 'string') return checked
      if (!this.#isRecorded) {
        const { startedAtMs, tokensBefore } = this
        recordBegin(db, { runId, input, settings, owner, startedAtMs, tokensBefore })
      }
      replaceInWindow(db, draft, checked, nowMs)
      return checked
    })
    if (node === 'taken') return { outcome: 'irreducible' }
    if (typeof node === 'string') return { outcome: node }
    this.#isRecorded = true
    this.#saved += draft.windowTokens - node.tokens
    this.#tokens -= draft.windowTokens - node.tokens
    const created: CreatedSummary = {
      id: node.id,
      kind: draft.depth === 0 ? 'leaf' : 'condensed',
      depth: draft.depth,
      level: draft.summary.level,
      sourceTokens: draft.windowTokens,
      tokens: node.tokens,
    }
    this.created.push(created)
    return { outcome: 'written', created }
  }

  #read(): Window {
    const window = readWindow(this.#options.db, this.#options.input.conversationId, this.#options.estimator)
    this.#tokens = window.tokens
    return window
  }

  #shouldStop(signal: AbortSignal): StopReason | null {
    const { clock, bounds } = this.#options
    if (signal.aborted) return 'cancelled'
    if (this.#target !== null && this.#tokens <= this.#target) return 'target_reached'
    return clock() - this.startedAtMs > bounds.durationMs ? 'deadline' : null
  }

  #reasonAtEnd(): StopReason {
    const { input, settings } = this.#options
    const isAbove = (limit: number): boolean => this.#tokens > limit
    if (this.#target !== null) return isAbove(this.#target) ? 'irreducible_tail' : 'target_reached'
    if (this.created.length === 0) return this.#irreducible.size > 0 ? 'no_progress' : 'nothing_eligible'
    return input.mode === 'full' && isAbove(softLimit(settings)) ? 'irreducible_tail' : 'nothing_eligible'
  }

  async #breathe(): Promise<void> {
    if (performance.now() - this.#breathedAt < BREATH_MS) return
    await setImmediate()
    this.#breathedAt = performance.now()
  }
}
