import type {
  CompactInput,
  CompactionDecision,
  CompactionPlan,
  CompactionSettings,
  PlanStep,
} from '../contract/compaction.ts'
import { extractTokens } from '../models/summarizers/deterministic.ts'
import type { CoverageOfEntries } from '../window/coverage-of-entries.ts'
import type { Pairing } from '../window/tool-pairs.ts'
import type { Window, WindowItem } from '../window/window.ts'
import { measureWindow, type WindowSize } from '../window/window-size.ts'
import { tokensOf } from './condensation.ts'
import {
  condenses,
  makesLeaves,
  NOTHING_TO_CONDENSE,
  TOO_SMALL,
  targetOf,
  tooFewMessages,
  underTarget,
} from './goal.ts'
import { findLeafChunks, type LeafChunks } from './leaf-chunks.ts'
import { condensedSteps, leafSteps, type Step } from './steps.ts'
import { type Replacement, replaceRanges, summaryItem } from './window-model.ts'

/**
 * The decision about a window that was read before, with every trigger's numbers. From the hard threshold on the window
 * must be compacted before the next turn; from the soft one, or with too many messages, soon. The triggers go by all
 * active tokens: those of the assembled window never pass the budget by much, however much is left out of it.
 */
export function decide(
  window: Window,
  settings: Readonly<CompactionSettings>,
  size: WindowSize = measureWindow(window.items, window.pairs, settings),
): CompactionDecision {
  const { items, pairs } = window
  const { activeTokens, fittingTokens, leftOutItems, leftOutTokens } = size
  const eligible = findLeafChunks(items, pairs, settings)
  let active = 0
  for (const item of items) if (item.kind === 'message') active += 1
  const { budgetTokens: budget, maxActiveMessages } = settings
  const soft = settings.softThreshold * budget
  const hard = settings.hardThreshold * budget
  const triggers: CompactionDecision['triggers'] = [
    { name: 'soft_threshold', value: activeTokens, limit: soft, fired: activeTokens >= soft },
    { name: 'hard_threshold', value: activeTokens, limit: hard, fired: activeTokens >= hard },
    {
      name: 'active_messages',
      value: active,
      limit: maxActiveMessages,
      fired: maxActiveMessages > 0 && active > maxActiveMessages,
    },
  ]
  const should = triggers.some((trigger) => trigger.fired)
  return {
    conversationId: window.conversationId,
    should,
    urgency: activeTokens >= hard ? 'hard' : should ? 'soft' : 'none',
    tokens: fittingTokens,
    activeTokens,
    leftOutItems,
    leftOutTokens,
    budget,
    pressure: fittingTokens / budget,
    eligibleMessages: eligible.messages,
    eligibleTokens: eligible.tokens,
    triggers,
  }
}

/**
 * What a run with this input would do to a window that was read before, in its order, with the tokens that the summaries
 * are expected to take. `settings` are those of the input, completed.
 */
export const planWindow = (
  window: Window,
  covered: CoverageOfEntries,
  input: CompactInput,
  settings: Readonly<CompactionSettings>,
): CompactionPlan => simulatePlan(window, covered, input, settings).plan

/** The same; `sizeAfter` measures the window that would be left. */
export function simulatePlan(
  window: Window,
  covered: CoverageOfEntries,
  input: CompactInput,
  settings: Readonly<CompactionSettings>,
): { readonly plan: CompactionPlan; sizeAfter(): WindowSize } {
  const goal = targetOf(input, settings)
  const simulation = new Simulation(window, goal, covered)
  let skipped: string | null = null
  if (simulation.isDone) skipped = underTarget(window.tokens, goal ?? 0)
  if (makesLeaves(input) && !simulation.isDone) {
    const eligible: LeafChunks = findLeafChunks(window.items, window.pairs, settings)
    skipped = tooFewMessages(eligible.messages, settings, window)
    if (skipped === null) simulation.replace(leafSteps(eligible.chunks, settings))
    if (eligible.messages > 0 && eligible.chunks.length === 0) skipped ??= TOO_SMALL
  }
  while (condenses(input) && !simulation.isDone) {
    const steps = condensedSteps(simulation.items, settings, goal)
    if (steps.length === 0) break
    simulation.replace(steps)
  }
  const { steps } = simulation
  const plan: CompactionPlan = {
    conversationId: input.conversationId,
    mode: input.mode,
    steps: [...steps],
    modelCalls: input.summarizer === 'deterministic' ? 0 : steps.length,
    tokensBefore: window.tokens,
    expectedTokensAfter: simulation.tokens,
    skipped: steps.length === 0 ? (skipped ?? NOTHING_TO_CONDENSE) : null,
  }
  const sizeAfter = (): WindowSize => measureWindow(simulation.items, pairsIn(simulation.items, window), settings)
  return { plan, sizeAfter }
}

/** Which items of a window that is left still stand and fall together. A chunk never parts a call from its result. */
function pairsIn(items: readonly WindowItem[], { items: before, pairs }: Window): Pairing {
  const places = new Map(items.map((item, index) => [item.id, index]))
  const placeOf = (index: number): number | undefined => places.get(before[index]?.id ?? '')
  const groupOf = new Int32Array(items.length).fill(-1)
  const groups: number[][] = []
  for (const members of pairs.groups) {
    const left = members.flatMap((index) => placeOf(index) ?? [])
    if (left.length < 2) continue
    for (const place of left) groupOf[place] = groups.length
    groups.push(left)
  }
  const orphans = new Map<number, string>()
  for (const [index, callId] of pairs.orphans) {
    const place = placeOf(index)
    if (place !== undefined) orphans.set(place, callId)
  }
  return { groupOf, groups, orphans }
}

/** Of a run that would do nothing, and why. */
export function emptyPlan(window: Window, { conversationId, mode }: CompactInput, skipped: string): CompactionPlan {
  const { tokens } = window
  return { conversationId, mode, steps: [], modelCalls: 0, tokensBefore: tokens, expectedTokensAfter: tokens, skipped }
}

type SeqRange = { readonly firstSeq: number; readonly lastSeq: number }

/** A window on which steps are carried out with expected numbers. */
class Simulation {
  items: readonly WindowItem[]
  tokens: number
  readonly steps: PlanStep[] = []
  readonly #goal: number | null
  readonly #stored: ReadonlyMap<string, SeqRange>
  readonly #planned = new Map<string, SeqRange>()

  constructor(window: Window, goal: number | null, stored: ReadonlyMap<string, SeqRange>) {
    this.items = window.items
    this.tokens = window.tokens
    this.#goal = goal
    this.#stored = stored
  }

  get isDone(): boolean {
    return this.#goal !== null && this.tokens <= this.#goal
  }

  replace(steps: readonly Step[]): void {
    const replacements: Replacement[] = []
    for (const step of steps) {
      if (this.isDone) break
      const sourceTokens = tokensOf(this.items, step)
      const expectedTokens = extractTokens(sourceTokens, step.targetTokens)
      const extent = this.#extentOf(step)
      const id = `step_${this.steps.length}`
      this.#planned.set(id, extent)
      const sources = new Array<string>(step.to - step.from)
      for (let index = step.from; index < step.to; index += 1) sources[index - step.from] = this.items[index]?.id ?? ''
      this.steps.push({
        pass: step.depth === 0 ? 'leaf' : 'condensed',
        depth: step.depth,
        sources,
        sourceTokens,
        expectedTokens,
        ...extent,
      })
      this.tokens += expectedTokens - sourceTokens
      const ordinal = this.items[step.from]?.ordinal ?? 0
      replacements.push({ range: step, by: summaryItem({ id, depth: step.depth, tokens: expectedTokens, ordinal }) })
    }
    this.items = replaceRanges(this.items, replacements)
  }

  #extentOf({ from, to }: Step): SeqRange {
    let [firstSeq, lastSeq] = [Number.POSITIVE_INFINITY, -1]
    for (let index = from; index < to; index += 1) {
      const item = this.items[index]
      const id = item?.summaryId ?? null
      const extent = id === null ? undefined : (this.#planned.get(id) ?? this.#stored.get(id))
      const first = extent?.firstSeq ?? item?.seq ?? null
      if (first === null) continue
      firstSeq = Math.min(firstSeq, first)
      lastSeq = Math.max(lastSeq, extent?.lastSeq ?? first)
    }
    return Number.isFinite(firstSeq) ? { firstSeq, lastSeq } : { firstSeq: -1, lastSeq: -1 }
  }
}
