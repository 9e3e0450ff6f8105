import type {
  CompactInput,
  CompactionDecision,
  CompactionPlan,
  CompactionSettings,
  PlanStep,
} from '../contract/compaction.ts'
import { extractTokens } from '../models/summarizers/deterministic.ts'
import type { CoverageOfEntries } from '../window/coverage-of-entries.ts'
import { inheritedPart } from '../window/inherited.ts'
import type { Pairing } from '../window/tool-pairs.ts'
import { columnsOf, MESSAGE, type Window, type WindowItem } from '../window/window.ts'
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
import { newSummary } from './window-model.ts'

/**
 * Decides about a window of this size, with the numbers of every trigger. From the hard threshold on, the
 * window must be compacted before the next turn; from the soft one, or with too many messages, soon. The triggers use
 * all active tokens, because the assembled window never exceeds the budget by much, however much it leaves out.
 * @param own of a fork, the part of the window that a run may replace
 */
export function decide(
  window: Window,
  settings: Readonly<CompactionSettings>,
  size: WindowSize,
  own: Window,
): CompactionDecision {
  const { columns } = window
  const { activeTokens, fittingTokens, leftOutItems, leftOutTokens } = size
  const eligible = findLeafChunks(own.columns, own.pairs, settings)
  let active = 0
  for (const kind of columns.kinds) if (kind === MESSAGE) active += 1
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
 * Returns what a run with this input would do to a window that was read before, in order, with the expected tokens of
 * the summaries. `settings` are the completed settings of the input.
 */
export const planWindow = (
  window: Window,
  covered: CoverageOfEntries,
  input: CompactInput,
  settings: Readonly<CompactionSettings>,
): CompactionPlan => simulatePlan(window, covered, input, settings).plan

/**
 * Does the same with a given `sizeAfter`, which measures the remaining window. The window that a fork is sent ends with
 * its own one.
 */
export function simulatePlan(
  window: Window,
  covered: CoverageOfEntries,
  input: CompactInput,
  settings: Readonly<CompactionSettings>,
): { readonly plan: CompactionPlan; sizeAfter(sent: Window, selected: Readonly<CompactionSettings>): WindowSize } {
  const goal = targetOf(input, settings)
  const simulation = new Simulation(window, goal, covered)
  let skipped: string | null = null
  if (simulation.isDone) skipped = underTarget(window.tokens, goal ?? 0)
  if (makesLeaves(input) && !simulation.isDone) {
    const eligible: LeafChunks = findLeafChunks(window.columns, window.pairs, settings)
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
  return { plan, sizeAfter: (sent, selected) => simulation.measure(selected, sent) }
}

/**
 * Returns which items of the remaining window still belong together. A chunk never separates a call from its result.
 * @param origins by item, its index in the window before; −1 for an item that was added since
 */
function pairsLeft(origins: readonly number[], { length, pairs }: Window): Pairing {
  const indexes = new Int32Array(length).fill(-1)
  origins.forEach((origin, now) => {
    if (origin >= 0) indexes[origin] = now
  })
  const groupOf = new Int32Array(origins.length).fill(-1)
  const groups: number[][] = []
  for (const members of pairs.groups) {
    const left = members.map((index) => indexes[index] as number).filter((now) => now >= 0)
    if (left.length < 2) continue
    for (const now of left) groupOf[now] = groups.length
    groups.push(left)
  }
  const orphans = new Set(Array.from(pairs.orphans, (index) => indexes[index] as number).filter((now) => now >= 0))
  return { groupOf, groups, orphans }
}

/** Adds to the plan of a fork what it sees of the conversation that it was forked from. */
export function withInherited(plan: CompactionPlan, sent: Window, homes: readonly number[]): CompactionPlan {
  const inherited = inheritedPart(sent, homes)
  return inherited === null ? plan : { ...plan, inherited }
}

/** The plan of a run that would do nothing, with the reason. */
export function emptyPlan(window: Window, { conversationId, mode }: CompactInput, skipped: string): CompactionPlan {
  const { tokens } = window
  return { conversationId, mode, steps: [], modelCalls: 0, tokensBefore: tokens, expectedTokensAfter: tokens, skipped }
}

type SeqRange = { readonly firstSeq: number; readonly lastSeq: number }

/** The remaining window after some steps. */
class EntriesLeft {
  readonly items: WindowItem[] = []
  /** By item, its index in the window as it was read, or −1 for an item that was added since. */
  readonly origins: number[] = []

  get length(): number {
    return this.items.length
  }

  add(item: WindowItem, origin: number): void {
    this.items.push(item)
    this.origins.push(origin)
  }

  itemAt(index: number): WindowItem {
    return this.items[index] as WindowItem
  }

  idsIn(from: number, to: number): string[] {
    return this.items.slice(from, to).map(({ id }) => id)
  }

  tokensIn(from: number, to: number): number {
    return tokensOf(this.items, { from, to })
  }

  seqAt(index: number): number | null {
    return this.itemAt(index).seq
  }

  summaryAt(index: number): string | null {
    return this.itemAt(index).summaryId
  }
}

/** Carries out steps on a window with expected numbers. */
class Simulation {
  tokens: number
  readonly steps: PlanStep[] = []
  readonly #window: Window
  readonly #goal: number | null
  readonly #stored: ReadonlyMap<string, SeqRange>
  readonly #planned = new Map<string, SeqRange>()
  /** Null while the window is as it was read. */
  #left: EntriesLeft | null = null

  constructor(window: Window, goal: number | null, stored: ReadonlyMap<string, SeqRange>) {
    this.tokens = window.tokens
    this.#window = window
    this.#goal = goal
    this.#stored = stored
  }

  get isDone(): boolean {
    return this.#goal !== null && this.tokens <= this.#goal
  }

  get items(): readonly WindowItem[] {
    return this.#left?.items ?? this.#window.items
  }

  /** Returns the size of the remaining window at the end of the one that is sent. */
  measure(settings: Readonly<CompactionSettings>, sent: Window): WindowSize {
    if (!this.#left) return measureWindow(sent.columns, sent.pairs, settings)
    const before = sent.length - this.#window.length
    const items = [...sent.itemsIn(0, before), ...this.#left.items]
    const origins = this.#left.origins.map((origin) => (origin < 0 ? origin : origin + before))
    return measureWindow(columnsOf(items), pairsLeft([...Array(before).keys(), ...origins], sent), settings)
  }

  /** Steps must be in order and must not overlap. */
  replace(steps: readonly Step[]): void {
    const before = this.#left ?? this.#window
    const left = new EntriesLeft()
    let index = 0
    const keepTo = (end: number): void => {
      for (; index < end; index += 1)
        left.add(before.itemAt(index), this.#left ? (this.#left.origins[index] as number) : index)
    }
    for (const step of steps) {
      if (this.isDone) break
      keepTo(step.from)
      left.add(this.#summaryOf(before, step), -1)
      index = step.to
    }
    keepTo(before.length)
    this.#left = left
  }

  /** Records a step, and returns the summary that it is expected to make. */
  #summaryOf(before: Window | EntriesLeft, step: Step): WindowItem {
    const sources = before.idsIn(step.from, step.to)
    const sourceTokens = before.tokensIn(step.from, step.to)
    const expectedTokens = extractTokens(sourceTokens, step.targetTokens)
    const extent = this.#extentOf(before, step)
    const id = `step_${this.steps.length}`
    this.#planned.set(id, extent)
    const { depth } = step
    this.steps.push({
      pass: depth === 0 ? 'leaf' : 'condensed',
      depth,
      sources,
      sourceTokens,
      expectedTokens,
      ...extent,
    })
    this.tokens += expectedTokens - sourceTokens
    return newSummary({ id, depth, tokens: expectedTokens, ordinal: before.itemAt(step.from).ordinal })
  }

  #extentOf(before: Window | EntriesLeft, { from, to }: Step): SeqRange {
    let [firstSeq, lastSeq] = [Number.POSITIVE_INFINITY, -1]
    for (let index = from; index < to; index += 1) {
      const id = before.summaryAt(index)
      const extent = id === null ? undefined : (this.#planned.get(id) ?? this.#stored.get(id))
      const first = extent?.firstSeq ?? before.seqAt(index)
      if (first === null) continue
      firstSeq = Math.min(firstSeq, first)
      lastSeq = Math.max(lastSeq, extent?.lastSeq ?? first)
    }
    return Number.isFinite(firstSeq) ? { firstSeq, lastSeq } : { firstSeq: -1, lastSeq: -1 }
  }
}
