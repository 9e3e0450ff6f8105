import { describe, expect, it } from 'vitest'
import type { Usage } from '#core/contract/usage.ts'
import { axisOf, axisTicks, endOf, pointsFrom } from '#renderer/features/start/chart-axis.ts'
import {
  freedAddress,
  freedByRun,
  freedTokens,
  spendingFrom,
  spendingOf,
} from '#renderer/features/start/chart-lanes.ts'
import { type CurvePoint, pressureCurve, stepsOn } from '#renderer/features/start/pressure-curve.ts'
import { byLoss } from '#renderer/features/start/start-figures.ts'
import { compactionEvent } from './compaction-event.ts'

/** A curve over ten messages of ten tokens each, with events. */
const curveOf = (events: Parameters<typeof pressureCurve>[1]): readonly CurvePoint[] => {
  const all = Array.from({ length: 10 }, (_, index) => index)
  const columns = { count: all.map(() => 1), tokens: all.map(() => 10), x0: all, x1: all.map((x) => x + 1) }
  return pressureCurve({ ...columns, firstMessage: all.map((x) => x + 1) }, events)
}

describe('the part of the axis that is shown', () => {
  it('has a label of its own at every tick, also of a conversation of some seconds', () => {
    const labels = axisTicks(Date.UTC(2026, 2, 2, 9), 45_000, 1000, 10).map(({ label }) => label)
    expect(labels.length).toBeGreaterThan(5)
    expect(new Set(labels).size).toBe(labels.length)
  })

  const day = 86_400_000

  it('ends with the newest message of all curves, and is as long as it is asked', () => {
    const other = { conversationId: 2, name: 'other', originMs: 4 * day, points: [{ ...curveOf([])[0], x: 8 * day }] }
    const whole = axisOf(10 * day, 0, [other as never])
    expect(whole).toEqual({ from: 0, extent: 12 * day })
    expect(endOf(whole, 'all')).toEqual(whole)
    expect(endOf(whole, '24h')).toEqual({ from: 11 * day, extent: day })
    expect(endOf(whole, '30d')).toEqual({ from: -18 * day, extent: 30 * day })
  })

  it('begins where the curve stands there, and holds nothing from before', () => {
    const events = [
      compactionEvent({ messages: 4, activeTokens: 5 }),
      compactionEvent({ messages: 8, activeTokens: 7 }),
    ]
    const curve = curveOf(events)
    expect(pointsFrom(curve, -5)).toBe(curve)
    const cut = pointsFrom(curve, 4.5)
    expect(cut[0]).toMatchObject({ x: 4.5, tokens: 10, event: null, messages: 4 })
    expect(cut.slice(1)).toEqual(curve.filter(({ x }) => x >= 4.5))
    expect(stepsOn(curve)).toBe(2)
    expect(stepsOn(cut)).toBe(1)
    // After its last message a curve stays as high as it was.
    expect(pointsFrom(curve, 99)).toMatchObject([{ x: 99, tokens: curve.at(-1)?.tokens }])
  })

  it('leaves out what was spent before it, and measures the bars by the highest that is left', () => {
    const whole = spendingOf(usage(), curveOf([]), null, 30)
    const late = whole && spendingFrom(whole, 7)
    expect(whole?.bars.length).toBeGreaterThan(late?.bars.length ?? 0)
    expect(late?.bars.every(({ x0, x1 }) => x0 >= 7 && x1 > 7)).toBe(true)
    expect(late?.most).toBe(Math.max(...(late?.bars.map(({ amount }) => amount) ?? [])))
  })
})

describe('what each run freed', () => {
  it('adds up the replacements of a run, and stands where its last one stands', () => {
    const events = [
      compactionEvent({ runId: 'run_a', messages: 4, sourceTokens: 30, tokens: 5 }),
      compactionEvent({ runId: 'run_a', messages: 6, sourceTokens: 20, tokens: 4 }),
      compactionEvent({ runId: '', summaryId: 'sum_x', messages: 8, sourceTokens: 10, tokens: 2 }),
    ]
    const freed = freedByRun(curveOf(events), events, [])
    expect(freed.map(freedTokens)).toEqual([41, 8])
    expect(freed.map(({ x }) => x)).toEqual([6, 8])
    expect(freed.map(freedAddress)).toMatchObject([{ view: 'compact' }, { view: 'layers', selection: 'sum_x' }])
  })

  it('counts what an agent pruned without a summary', () => {
    const pruning = { runId: 'p', atMs: 0, messages: 5, tokens: 17, outputs: 2 }
    const [freed] = freedByRun(curveOf([]), [], [pruning as never])
    expect(freed).toMatchObject({ x: 5, leftTokens: 17, summaries: 0, summaryId: null })
  })
})

/** Four answers, the third of which found nothing in the cache. */
function usage(change: Partial<Usage> = {}): Usage {
  return {
    recorded: 'cache',
    steps: 4,
    totals: { inputTokens: 400, cachedTokens: 210, writtenTokens: null, outputTokens: 4, cost: null },
    columns: {
      firstMessage: [2, 4, 6, 8],
      messages: [2, 4, 6, 8],
      atMs: [null, null, null, null],
      steps: [1, 1, 1, 1],
      inputTokens: [100, 100, 100, 100],
      cachedTokens: [50, 80, 0, 80],
      writtenTokens: [0, 0, 0, 0],
      breaks: [0, 0, 1, 0],
      lostTokens: [0, 0, 70, 0],
      cost: [1, 2, 8, 2],
      breakCost: [0, 0, 8, 0],
    },
    breaks: [],
    breakCount: 1,
    lostTokens: 70,
    ...change,
  }
}

describe('what was spent along the axis', () => {
  it('is the tokens that were not in the cache, with those that a break sent again, where no cost is recorded', () => {
    const spending = spendingOf(usage(), curveOf([]), null, 900)
    expect(spending).toMatchObject({ unit: 'tokens', most: 100 })
    expect(spending?.bars.map(({ amount, broken }) => [amount, broken])).toEqual([
      [50, 0],
      [20, 0],
      [100, 70],
      [20, 0],
    ])
  })

  it('is the cost where it is recorded, and leads to the most expensive answer of a wide bar', () => {
    const { totals } = usage()
    const spending = spendingOf(usage({ totals: { ...totals, cost: 13 } }), curveOf([]), null, 18)
    expect(spending).toMatchObject({ unit: 'cost' })
    expect(spending?.bars.reduce((sum, { amount }) => sum + amount, 0)).toBe(13)
    expect(spending?.bars.find(({ broken }) => broken > 0)).toMatchObject({ broken: 8, breaks: 1, message: 6 })
  })

  it('is nothing where no usage is recorded', () => {
    expect(spendingOf(usage({ recorded: 'none' }), curveOf([]), null, 900)).toBeNull()
  })
})

describe('the order by what was lost', () => {
  it('puts what is not counted after the rest, and what was never compacted last, also when it is reversed', () => {
    const rows = [
      { conversationId: 1, summaries: 0 },
      { conversationId: 2, summaries: 3 },
      { conversationId: 3, summaries: 3 },
      { conversationId: 4, summaries: 3 },
    ] as never[]
    const losses = new Map([
      [3, { details: 10, kept: 8 }],
      [4, { details: 10, kept: 1 }],
    ])
    const ids = (isReversed: boolean) => byLoss(rows, losses, isReversed).map(({ conversationId }) => conversationId)
    expect(ids(false)).toEqual([4, 3, 2, 1])
    expect(ids(true)).toEqual([3, 4, 2, 1])
  })
})
