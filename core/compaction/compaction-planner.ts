import type { TokenEstimator } from '../context/token-estimator.ts'
import { readExtents, readWindow, type WindowItem } from '../context/window.ts'
import type {
  CompactInput,
  CompactionDecision,
  CompactionPlan,
  CompactionSettings,
  PlanStep,
} from '../contract/compaction.ts'
import type { ReadDb } from '../db/read-db.ts'
import { withOverrides } from '../settings/settings.ts'
import { findGroups, tokensOf } from './condensation.ts'
import {
  condenses,
  makesLeaves,
  NOTHING_TO_CONDENSE,
  TOO_SMALL,
  targetOf,
  tooFewMessages,
  underTarget,
} from './goal.ts'
import { findLeafChunks, type Range } from './leaf-chunks.ts'
import { extractTokens } from './summarizers/deterministic.ts'
import { type Replacement, replaceRanges, summaryItem } from './window-model.ts'

/** Answers whether a window should be compacted and what a run would do. Reads only, on files of every system. */
export class CompactionPlanner {
  readonly #db: ReadDb
  readonly #estimator: TokenEstimator
  readonly #settings: Readonly<CompactionSettings>

  constructor(db: ReadDb, estimator: TokenEstimator, settings: Readonly<CompactionSettings>) {
    this.#db = db
    this.#estimator = estimator
    this.#settings = settings
  }

  /**
   * The decision with every trigger's numbers. Tokens and pressure are those of the whole window, whether or not it
   * fits into the budget.
   * @throws LcmError not_found, invalid_argument
   */
  evaluate(input: CompactInput): CompactionDecision {
    const settings = withOverrides(this.#settings, input.settings)
    const { items, pairs, tokens } = readWindow(this.#db, input.conversationId, this.#estimator)
    const eligible = findLeafChunks(items, pairs, settings)
    const active = items.filter((item) => item.kind === 'message').length
    const { budgetTokens: budget, maxActiveMessages } = settings
    const soft = settings.softThreshold * budget
    const hard = settings.hardThreshold * budget
    const triggers: CompactionDecision['triggers'] = [
      { name: 'soft_threshold', value: tokens, limit: soft, fired: tokens >= soft },
      { name: 'hard_threshold', value: tokens, limit: hard, fired: tokens >= hard },
      {
        name: 'active_messages',
        value: active,
        limit: maxActiveMessages,
        fired: maxActiveMessages > 0 && active > maxActiveMessages,
      },
    ]
    const should = triggers.some((trigger) => trigger.fired)
    return {
      conversationId: input.conversationId,
      should,
      urgency: tokens >= hard ? 'hard' : should ? 'soft' : 'none',
      tokens,
      budget,
      pressure: tokens / budget,
      eligibleMessages: eligible.messages,
      eligibleTokens: eligible.tokens,
      triggers,
    }
  }

  /**
   * What `compact` would do with the same input, in its order, with the tokens that the summaries are expected to take.
   * @throws LcmError not_found, invalid_argument
   */
  plan(input: CompactInput): CompactionPlan {
    const settings = withOverrides(this.#settings, input.settings)
    const window = readWindow(this.#db, input.conversationId, this.#estimator)
    const target = targetOf(input, settings)
    const simulation = new Simulation(window.items, window.tokens, target, this.#extents(input.conversationId))
    let skipped: string | null = null
    if (simulation.isDone) skipped = underTarget(window.tokens, target ?? 0)
    if (makesLeaves(input) && !simulation.isDone) {
      const eligible = findLeafChunks(window.items, window.pairs, settings)
      skipped = tooFewMessages(eligible.messages, settings)
      if (skipped === null) simulation.replace(eligible.chunks, 0, settings.leafTargetTokens)
      if (eligible.messages > 0 && eligible.chunks.length === 0) skipped ??= TOO_SMALL
    }
    while (condenses(input) && !simulation.isDone) {
      const groups = findGroups(simulation.items, settings)
      const [group] = groups
      if (!group) break
      simulation.replace(groups, group.depth + 1, settings.condensedTargetTokens)
    }
    const { steps } = simulation
    return {
      conversationId: input.conversationId,
      mode: input.mode,
      steps: [...steps],
      modelCalls: input.summarizer === 'deterministic' ? 0 : steps.length,
      tokensBefore: window.tokens,
      expectedTokensAfter: simulation.tokens,
      skipped: steps.length === 0 ? (skipped ?? NOTHING_TO_CONDENSE) : null,
    }
  }

  #extents(conversationId: number): Map<string, SeqRange> {
    return new Map<string, SeqRange>(readExtents(this.#db, conversationId))
  }
}

type SeqRange = { readonly firstSeq: number; readonly lastSeq: number }

/** A window on which steps are carried out with expected numbers. */
class Simulation {
  items: readonly WindowItem[]
  tokens: number
  readonly steps: PlanStep[] = []
  readonly #target: number | null
  readonly #extents: Map<string, SeqRange>

  constructor(items: readonly WindowItem[], tokens: number, target: number | null, extents: Map<string, SeqRange>) {
    this.items = items
    this.tokens = tokens
    this.#target = target
    this.#extents = extents
  }

  get isDone(): boolean {
    return this.#target !== null && this.tokens <= this.#target
  }

  replace(ranges: readonly Range[], depth: number, targetTokens: number): void {
    const replacements: Replacement[] = []
    for (const range of ranges) {
      if (this.isDone) break
      const sources = this.items.slice(range.from, range.to)
      const sourceTokens = tokensOf(this.items, range)
      const expectedTokens = extractTokens(sourceTokens, targetTokens)
      const extent = this.#extentOf(sources)
      const id = `step_${this.steps.length}`
      this.#extents.set(id, extent)
      this.steps.push({
        pass: depth === 0 ? 'leaf' : 'condensed',
        depth,
        sources: sources.map((item) => item.id),
        sourceTokens,
        expectedTokens,
        ...extent,
      })
      this.tokens += expectedTokens - sourceTokens
      const by = summaryItem({ id, depth, tokens: expectedTokens, ordinal: sources[0]?.ordinal ?? 0 })
      replacements.push({ range, by })
    }
    this.items = replaceRanges(this.items, replacements)
  }

  #extentOf(sources: readonly WindowItem[]): SeqRange {
    let [firstSeq, lastSeq] = [Number.POSITIVE_INFINITY, -1]
    for (const { id, seq } of sources) {
      const extent = seq === null ? this.#extents.get(id) : { firstSeq: seq, lastSeq: seq }
      if (!extent) continue
      firstSeq = Math.min(firstSeq, extent.firstSeq)
      lastSeq = Math.max(lastSeq, extent.lastSeq)
    }
    return Number.isFinite(firstSeq) ? { firstSeq, lastSeq } : { firstSeq: -1, lastSeq: -1 }
  }
}
