import { scaleLinear, scaleTime } from 'd3-scale'
import type { CompactionEvent, Pruning } from '#core/contract/time-travel.ts'
import type { Usage } from '#core/contract/usage.ts'
import type { RoutePatch } from '#renderer/routes.ts'
import { firstIndex } from '#renderer/ui/data/first-index.ts'
import { keptOf } from '#renderer/ui/data/kept-of.ts'
import { runAddress } from '#renderer/ui/data/run-address.ts'
import { costText, formatCompact, formatCount, formatTokens, plural } from '#renderer/ui/texts/format.ts'
import { formatShort } from '#renderer/ui/texts/format-time.ts'
import type { CurvePoint } from './pressure-curve.ts'

/** What one run took out of the window, on the axis of the chart. */
export type Freed = {
  readonly x: number
  readonly atMs: number
  /** Tokens that left the window, and those of the summaries that came in for them. */
  readonly leftTokens: number
  readonly summaryTokens: number
  readonly summaries: number
  /** Empty where runs are not recorded. */
  readonly runId: string
  /** The last summary; null when the agent pruned without one. */
  readonly summaryId: string | null
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

export const freedTokens = ({ leftTokens, summaryTokens }: Freed): number => Math.max(0, leftTokens - summaryTokens)

/** Returns what each run freed, in the order of the axis. Where runs are not recorded, each replacement counts as one. */
export const freedByRun = keptOf(freedOf)

function freedOf(
  points: readonly CurvePoint[],
  events: readonly CompactionEvent[],
  prunings: readonly Pruning[],
): readonly Freed[] {
  const xOf: (number | undefined)[] = []
  for (const { event, x } of points) if (event !== null) xOf[event] = x
  const runs = new Map<string, Mutable<Freed>>()
  for (const [index, { runId, summaryId, messages, atMs, sourceTokens, tokens }] of events.entries()) {
    const key = runId || `event ${index}`
    const run = runs.get(key) ?? { x: 0, atMs, leftTokens: 0, summaryTokens: 0, summaries: 0, runId, summaryId }
    run.x = xOf[index] ?? xAfter(points, messages)
    run.atMs = atMs
    run.leftTokens += sourceTokens
    run.summaryTokens += tokens
    run.summaries += 1
    run.summaryId = summaryId
    runs.set(key, run)
  }
  for (const { messages, atMs, tokens, runId } of prunings) {
    const x = xAfter(points, messages)
    runs.set(`pruning ${runId}`, {
      ...{ x, atMs, leftTokens: tokens, summaryTokens: 0, summaries: 0, runId, summaryId: null },
    })
  }
  return [...runs.values()].sort((a, b) => a.x - b.x)
}

/** Returns where the axis stands after a number of messages. */
function xAfter(points: readonly CurvePoint[], messages: number): number {
  const index = firstIndex(points.length, (at) => (points[at]?.messages ?? 0) >= messages)
  return points[Math.min(index, points.length - 1)]?.x ?? 0
}

export function freedText(freed: Freed): readonly string[] {
  const { atMs, leftTokens, summaryTokens, summaries } = freed
  return [
    `${formatTokens(freedTokens(freed))} freed`,
    formatShort(atMs),
    summaries === 0
      ? 'pruned by its agent, without a summary'
      : `${plural(summaries, 'summary', 'summaries')}: ${formatCount(leftTokens)} → ${formatCount(summaryTokens)} tokens`,
  ]
}

/** Leads to the run or, where runs are not recorded, to its summary. */
export function freedAddress({ runId, summaryId }: Freed): RoutePatch | null {
  if (runId !== '') return runAddress(runId)
  return summaryId === null ? null : { view: 'layers', selection: summaryId }
}

/** What answers cost where costs are recorded; otherwise the tokens that were not read from the cache. */
type Unit = 'cost' | 'tokens'

/** What was spent in one part of the axis. */
export type Spent = {
  readonly x0: number
  readonly x1: number
  readonly answers: number
  readonly amount: number
  /** The part of it that breaks of the prompt cache made: answers after a break, or tokens that were sent again. */
  readonly broken: number
  readonly breaks: number
  /** The message to which a click leads: that of the most expensive column. */
  readonly message: number
}

export type Spending = { readonly unit: Unit; readonly bars: readonly Spent[]; readonly most: number }

/** The least width of a bar. */
const BAR_PX = 9

/** Returns what was spent along the axis, in parts of round length, or null where no usage is recorded. */
export function spendingOf(
  { recorded, columns, totals }: Usage,
  points: readonly CurvePoint[],
  originMs: number | null,
  widthPx: number,
): Spending | null {
  const extent = points.at(-1)?.x ?? 0
  if (recorded === 'none' || columns.steps.length === 0 || extent === 0) return null
  const unit: Unit = totals.cost === null ? 'tokens' : 'cost'
  const count = Math.max(2, Math.floor(widthPx / BAR_PX))
  const edges =
    originMs === null
      ? scaleLinear([0, extent], [0, 1]).ticks(count)
      : scaleTime([originMs, originMs + extent], [0, 1])
          .ticks(count)
          .map((date) => date.getTime() - originMs)
  const bars = new Map<number, Spent & { readonly largest: number }>()
  for (const [index, answers] of columns.steps.entries()) {
    const x = xAfter(points, columns.messages[index] ?? 0)
    // A message stands at the end of its part of the axis.
    const part = firstIndex(edges.length, (at) => (edges[at] ?? 0) >= x)
    const input = (columns.inputTokens[index] ?? 0) - (columns.cachedTokens[index] ?? 0)
    const amount = unit === 'cost' ? (columns.cost[index] ?? 0) : input
    const broken = unit === 'cost' ? (columns.breakCost[index] ?? 0) : Math.min(input, columns.lostTokens[index] ?? 0)
    const before = bars.get(part)
    const isLargest = amount > (before?.largest ?? -1)
    bars.set(part, {
      x0: edges[part - 1] ?? 0,
      x1: edges[part] ?? extent,
      answers: (before?.answers ?? 0) + answers,
      amount: (before?.amount ?? 0) + amount,
      broken: (before?.broken ?? 0) + broken,
      breaks: (before?.breaks ?? 0) + (columns.breaks[index] ?? 0),
      message: isLargest ? (columns.firstMessage[index] ?? 0) : (before?.message ?? 0),
      largest: Math.max(amount, before?.largest ?? -1),
    })
  }
  const list = [...bars.values()]
  return { unit, bars: list, most: list.reduce((most, { amount }) => Math.max(most, amount), 0) }
}

/** Returns what was spent from a place of the axis on. A part that begins before it is cut there, and counts whole. */
export function spendingFrom(spending: Spending, from: number): Spending {
  const bars = spending.bars.filter(({ x1 }) => x1 > from).map((bar) => ({ ...bar, x0: Math.max(bar.x0, from) }))
  return { ...spending, bars, most: bars.reduce((most, { amount }) => Math.max(most, amount), 0) }
}

export const amountText = (amount: number, unit: Unit): string =>
  unit === 'cost' ? costText(amount) : formatCompact(amount)

export function spentText(bar: Spent, unit: Unit, originMs: number | null): readonly string[] {
  const { x0, x1, answers, amount, broken, breaks } = bar
  const [from, to] =
    originMs === null
      ? [`after message ${formatCount(Math.floor(x0))}`, formatCount(Math.round(x1))]
      : [formatShort(originMs + x0), formatShort(originMs + x1)]
  const what = unit === 'cost' ? costText(amount) : `${formatTokens(amount)} not from the cache`
  const why = `${plural(breaks, 'cache break')}: ${unit === 'cost' ? `answers after it cost ${costText(broken)}` : `${formatTokens(broken)} sent again`}`
  return [what, `${plural(answers, 'answer')}, ${from} to ${to}`, ...(breaks === 0 ? [] : [why])]
}
