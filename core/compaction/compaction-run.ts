import type { CompactionProgress, CreatedSummary, StopReason } from '../contract/compaction.ts'
import { extractTokens } from '../models/summarizers/deterministic.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import { readWindow } from '../window/read-window.ts'
import type { Window, WindowItem } from '../window/window.ts'
import { TimeSlice } from '../yielding.ts'
import { tokensOf } from './condensation.ts'
import { DraftsAhead } from './drafts-ahead.ts'
import { condenses, makesLeaves, softLimit, targetOf, tooFewMessages } from './goal.ts'
import { InOrder } from './in-order.ts'
import { findLeafChunks } from './leaf-chunks.ts'
import { NodeMaker } from './node-maker.ts'
import { RunGuard } from './run-guard.ts'
import type { RunOptions } from './run-options.ts'
import { Slots } from './slots.ts'
import { condensedSteps, leafSteps, type Step } from './steps.ts'
import { newSummary, type Replacement, replaceRanges } from './window-model.ts'

type Steps = AsyncGenerator<CompactionProgress, StopReason | null>

/**
 * One run over one conversation. It reads the window, lets summaries be written oldest first, several at a time when a
 * model is asked, and commits each one separately and in order.
 */
export class CompactionRun {
  readonly created: CreatedSummary[] = []
  /** The reason why no leaves were made although the mode makes them. */
  skipped: string | null = null
  tokensBefore = 0
  readonly #options: RunOptions
  readonly #target: number | null
  readonly #startedAtMs: number
  readonly #maker: NodeMaker
  readonly #irreducible = new Set<string>()
  readonly #slots: Slots
  readonly #ahead = new DraftsAhead()
  /** Aborted when the run ends, because drafts of a later pass are of no use then. */
  readonly #drop = new AbortController()
  /** Tokens of the window as it was last read, less the tokens saved since. */
  #tokens = 0
  #saved = 0
  #passes = 0
  #conflicts = 0
  readonly #slice = new TimeSlice()

  constructor(options: RunOptions) {
    this.#options = options
    this.#target = targetOf(options.input, options.settings)
    this.#startedAtMs = options.clock()
    this.#maker = new NodeMaker({ ...options, startedAtMs: this.#startedAtMs })
    this.#slots = new Slots(options.escalation.asksModels ? options.settings.leafConcurrency : 1)
  }

  /** The tokens of what the window held at the beginning. Messages that others append meanwhile are not counted. */
  get tokensAfter(): number {
    return this.tokensBefore - this.#saved
  }

  get isRecorded(): boolean {
    return this.#maker.isRecorded
  }

  /** Yields after each node, and returns the reason for the end. What is committed stays in any case. */
  async *execute(signal: AbortSignal): AsyncGenerator<CompactionProgress, StopReason> {
    const { input, lock, clock, bounds } = this.#options
    const window = this.#read()
    this.tokensBefore = window.tokens
    const guard = new RunGuard({ signal, lock, clock, deadlineAtMs: this.#startedAtMs + bounds.durationMs })
    try {
      const stopped =
        this.#shouldStop(guard) ??
        (makesLeaves(input) ? yield* this.#leafPass(window, guard) : null) ??
        (condenses(input) ? yield* this.#condensedPasses(guard) : null)
      return stopped ?? this.#reasonAtEnd()
    } finally {
      this.#drop.abort()
      guard.dismiss()
    }
  }

  async *#leafPass(first: Window, guard: RunGuard): Steps {
    const { settings } = this.#options
    this.#passes += 1
    for (let window = first; ; window = this.#read()) {
      const { items, columns, pairs } = window
      const eligible = findLeafChunks(columns, pairs, settings)
      if (window === first) this.skipped = tooFewMessages(eligible.messages, settings, window)
      if (this.skipped !== null) return null
      const stopped = yield* this.#replaceEach(items, leafSteps(eligible.chunks, settings), guard)
      if (stopped !== 'stale') return stopped
    }
  }

  async *#condensedPasses(guard: RunGuard): Steps {
    const { settings, bounds } = this.#options
    let { items } = this.#read()
    for (;;) {
      const stop = this.#shouldStop(guard)
      if (stop) return stop
      const steps = condensedSteps(items, settings, this.#target, this.#irreducible)
      if (steps.length === 0) return null
      if (this.#passes >= bounds.passes) return 'cap'
      this.#passes += 1
      const done: Replacement[] = []
      const stopped = yield* this.#replaceEach(items, steps, guard, done)
      if (stopped !== null && stopped !== 'stale') return stopped
      items = stopped === null ? replaceRanges(items, done) : this.#read().items
    }
  }

  /**
   * Makes one node of each range. Returns null at the end of the list, or `stale` when the ranges must be computed
   * again.
   */
  async *#replaceEach(
    items: readonly WindowItem[],
    steps: readonly Step[],
    guard: RunGuard,
    done: Replacement[] = [],
  ): AsyncGenerator<CompactionProgress, StopReason | 'stale' | null> {
    const drop = new AbortController()
    const signal = AbortSignal.any([guard.signal, drop.signal])
    const possible = steps.filter((step) => !this.#irreducible.has(items[step.from]?.id ?? ''))
    const pass = this.#maker.beginPass(items)
    let expectedTokens = this.#tokens
    let settledTo = possible[0]?.from ?? 0
    const drafts = new InOrder(
      possible,
      {
        slots: this.#slots,
        // Close to the goal, no more summaries are requested than are likely to be needed.
        isWanted: () => !signal.aborted && (this.#target === null || expectedTokens > this.#target),
        beginOther: () => this.#draftAhead(items, done, settledTo, guard),
      },
      (step) => {
        expectedTokens -= savingOf(items, step)
        return this.#ahead.take(items, step) ?? this.#slots.run(() => pass.draft(step, signal))
      },
    )
    try {
      for (let chunk = 1; ; chunk += 1) {
        await this.#slice.yieldIfOver()
        const stop = this.#shouldStop(guard)
        if (stop) return stop
        const next = await drafts.take()
        if (!next) return null
        const late = guard.stopped()
        if (late) return late
        const made = typeof next.result === 'string' ? next.result : this.#maker.commit(next.result, this.tokensBefore)
        if (made === 'lock_lost') return 'conflict'
        if (made === 'stale') {
          this.#conflicts += 1
          return this.#conflicts > this.#options.bounds.conflicts ? 'conflict' : 'stale'
        }
        expectedTokens += savingOf(items, next.entry)
        const created = made === 'irreducible' ? null : made
        if (created) {
          this.#count(created)
          if (typeof next.result !== 'string') pass.wrote(next.entry, next.result.summary.text)
          expectedTokens -= created.sourceTokens - created.tokens
          done.push({
            range: next.entry,
            by: newSummary({ ...created, ordinal: items[next.entry.from]?.ordinal ?? 0 }),
          })
        } else this.#irreducible.add(items[next.entry.from]?.id ?? '')
        settledTo = possible[chunk]?.from ?? items.length
        yield {
          pass: next.entry.depth === 0 ? 'leaf' : 'condensed',
          chunk,
          chunks: possible.length,
          tokensSaved: this.#saved,
          level: created?.level ?? null,
          createdId: created?.id ?? null,
        }
      }
    } catch (error) {
      // A call that was cut off ends the run for the same reason.
      const stopped = guard.stopped()
      if (stopped) return stopped
      throw error
    } finally {
      drop.abort()
    }
  }

  /**
   * Begins one draft of the next pass over what this pass has finished. Returns false when there is none. A run with a
   * goal does not draft ahead, because it may reach the goal before the next pass.
   */
  #draftAhead(items: readonly WindowItem[], done: readonly Replacement[], settledTo: number, guard: RunGuard): boolean {
    const { input, settings, bounds } = this.#options
    const isLast = !condenses(input) || this.#passes >= bounds.passes
    if (isLast || this.#target !== null || this.#drop.signal.aborted || guard.stopped()) return false
    const settled = replaceRanges(items.slice(0, settledTo), done)
    const step = condensedSteps(settled, settings, null, this.#irreducible).find(
      (one) => !this.#ahead.has(settled, one),
    )
    if (!step) return false
    const signal = AbortSignal.any([guard.signal, this.#drop.signal])
    const pass = this.#maker.beginPass(settled)
    this.#ahead.put(
      settled,
      step,
      this.#slots.run(() => pass.draft(step, signal)),
    )
    return true
  }

  #count(created: CreatedSummary): void {
    this.#saved += created.sourceTokens - created.tokens
    this.#tokens -= created.sourceTokens - created.tokens
    this.created.push(created)
  }

  #read(): Window {
    const { db, memories, input, estimator } = this.#options
    const window = readSnapshot(db, () => readWindow(db, memories.memory(input.conversationId), estimator))
    this.#tokens = window.tokens
    return window
  }

  #shouldStop(guard: RunGuard): StopReason | null {
    const stopped = guard.stopped()
    if (stopped) return stopped
    return this.#target !== null && this.#tokens <= this.#target ? 'target_reached' : null
  }

  #reasonAtEnd(): StopReason {
    const { input, settings } = this.#options
    const isAbove = (limit: number): boolean => this.#tokens > limit
    if (this.#target !== null) return isAbove(this.#target) ? 'irreducible_tail' : 'target_reached'
    if (this.created.length === 0) return this.#irreducible.size > 0 ? 'no_progress' : 'nothing_eligible'
    return input.mode === 'full' && isAbove(softLimit(settings)) ? 'irreducible_tail' : 'all_compacted'
  }
}

function savingOf(items: readonly WindowItem[], step: Step): number {
  const tokens = tokensOf(items, step)
  return tokens - extractTokens(tokens, step.targetTokens)
}
