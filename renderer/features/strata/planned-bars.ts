import type { PlanStep } from '#core/contract/compaction.ts'
import type { Strata } from '#core/contract/strata.ts'
import { messageNumber } from '#renderer/ui/nodes/message-number.ts'
import type { Buckets } from './buckets.ts'
import { firstNotBelow } from './merge-narrow.ts'
import { rangeOfMessage } from './selected-range.ts'
import type { SummaryIndex } from './summary-index.ts'
import type { Viewport } from './viewport.ts'

/** The part of a step that determines the position of its node. */
export type PlannedStep = Pick<PlanStep, 'depth' | 'sources'>

/** Nodes of a plan that do not exist yet, in columns like the summaries. */
export type PlannedBars = {
  readonly x0: readonly number[]
  readonly x1: readonly number[]
  readonly depth: readonly number[]
  /** The number of the step in the plan, from 0. */
  readonly step: readonly number[]
  /** Indexes of the columns for each depth, from left to right. */
  readonly rows: ReadonlyMap<number, readonly number[]>
}

/** The overlay of a drawing: a plan, and the selected step. */
export type PlanOverlay = { readonly bars: PlannedBars; readonly focused: number | null }

/**
 * Where each step's node will stand, by its first and last source. A step whose sources are not found on x has no bar;
 * one whose node is there already has none any more, so that a plan fills up as it is carried out.
 */
export function placePlan(
  steps: readonly PlannedStep[],
  strata: Strata,
  index: SummaryIndex,
  buckets: Buckets | null,
): PlannedBars {
  const ranges: (Viewport | null)[] = []
  const rangeOf = (id: string | undefined): Viewport | null => {
    if (id === undefined) return null
    // Most sources of a long plan are messages, so no other table is searched for them.
    const number = messageNumber(id)
    if (number !== null) return buckets === null ? null : rangeOfMessage(buckets, number)
    if (id.startsWith('step_')) return ranges[Number(id.slice('step_'.length))] ?? null
    const entry = index.entryOf(id)
    return entry === undefined ? null : { x0: strata.summaries.x0[entry] ?? 0, x1: strata.summaries.x1[entry] ?? 0 }
  }
  const bars = { x0: [] as number[], x1: [] as number[], depth: [] as number[], step: [] as number[] }
  steps.forEach(({ depth, sources }, step) => {
    const first = rangeOf(sources[0])
    const last = rangeOf(sources.at(-1))
    const range = first && last && { x0: Math.min(first.x0, last.x0), x1: Math.max(first.x1, last.x1) }
    ranges.push(range)
    if (range === null || isThere(strata, index, depth, range)) return
    bars.x0.push(range.x0)
    bars.x1.push(range.x1)
    bars.depth.push(depth)
    bars.step.push(step)
  })
  return { ...bars, rows: rowsOf(bars) }
}

/** True when a summary of this depth is in the middle of the range. */
function isThere({ summaries }: Strata, index: SummaryIndex, depth: number, { x0, x1 }: Viewport): boolean {
  const middle = (x0 + x1) / 2
  const lanes = index.rows.find((row) => row.depth === depth)?.lanes ?? []
  return lanes.some((lane) => {
    const entry = lane[firstNotBelow(summaries.x1, lane, middle)]
    return entry !== undefined && (summaries.x0[entry] ?? 0) <= middle
  })
}

function rowsOf({ depth, x0, x1 }: Omit<PlannedBars, 'rows'>): ReadonlyMap<number, readonly number[]> {
  const rows = new Map<number, number[]>()
  depth.forEach((each, entry) => {
    const row = rows.get(each)
    if (row) row.push(entry)
    else rows.set(each, [entry])
  })
  const at = (column: readonly number[], entry: number) => column[entry] ?? 0
  for (const row of rows.values()) row.sort((a, b) => at(x0, a) - at(x0, b) || at(x1, a) - at(x1, b))
  return rows
}

/** Adds a row to the index for every depth that only the plan has. */
export function withPlannedDepths(index: SummaryIndex, steps: readonly PlannedStep[]): SummaryIndex {
  const known = new Set(index.rows.map(({ depth }) => depth))
  const added = [...new Set(steps.map(({ depth }) => depth))].filter((depth) => !known.has(depth))
  if (added.length === 0) return index
  const rows = [...index.rows, ...added.map((depth) => ({ depth, lanes: [] }))]
  return { ...index, rows: rows.sort((a, b) => b.depth - a.depth) }
}
