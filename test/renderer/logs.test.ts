import { describe, expect, it } from 'vitest'
import type { LogLine } from '#core/contract/activity.ts'
import { slowestByProcedure } from '#renderer/features/logs/activity-tables.tsx'
import { binned, draggedRange, gridValues, roundTop, steppedRange } from '#renderer/features/logs/chart-scale.ts'
import { lineText, lineTitle } from '#renderer/features/logs/line-text.ts'
import { noTokensText } from '#renderer/features/logs/metric-charts.tsx'

const day = { fromMs: 0, toMs: 2400 }
const line = (fields: Partial<LogLine>): LogLine => ({
  time: '2026-03-02T09:00:00.000Z',
  level: 'info',
  source: 'compaction',
  event: 'run.done',
  pid: 1,
  ...fields,
})

describe('the charts of the log', () => {
  it('end at a value that is not below the largest, with round lines below it', () => {
    for (const largest of [0, 1, 3, 4, 7, 10, 16, 37, 152, 190, 4118, 199_000]) {
      const top = roundTop(largest)
      expect(top).toBeGreaterThanOrEqual(largest)
      expect(top).toBeLessThanOrEqual(Math.max(3, largest * 2))
      for (const value of gridValues(top)) {
        expect(Number(value.toPrecision(3))).toBe(value)
        expect(Number.isInteger(value)).toBe(true)
      }
    }
  })

  it('put everything into exactly one part of the time, also what happened at its end', () => {
    const things = [0, 99, 100, 1200, 2399, 2400].map((atMs) => ({ atMs }))
    const bins = binned(things, day, 24)
    expect(bins).toHaveLength(24)
    expect(bins.flatMap((bin) => bin.things)).toEqual(things)
    expect(bins[0]?.things).toHaveLength(2)
    expect(bins[23]?.things).toHaveLength(2)
  })

  it('say why no tokens are drawn, and say nothing else then', () => {
    expect(noTokensText([])).toBe('no compaction in this time')
    expect(noTokensText([{ tokensBefore: 0 }])).toBe('no tokens are known of the compactions in this time')
    expect(noTokensText([{ tokensBefore: 0 }, { tokensBefore: 5 }])).toBeNull()
  })

  it('choose a part of the time by dragging either way, within the axis, and none by a click', () => {
    expect(draggedRange(800, 400, day)).toEqual({ fromMs: 400, toMs: 800 })
    expect(draggedRange(-50, 9000, day)).toEqual(day)
    expect(draggedRange(400, 401, day)).toBeNull()
  })

  it('choose the next part of the time by an arrow key, and stop at the ends', () => {
    expect(steppedRange(null, day, 1)).toEqual({ fromMs: 0, toMs: 100 })
    expect(steppedRange({ fromMs: 0, toMs: 100 }, day, 1)).toEqual({ fromMs: 100, toMs: 200 })
    expect(steppedRange({ fromMs: 0, toMs: 100 }, day, -1)).toEqual({ fromMs: 0, toMs: 100 })
    expect(steppedRange(null, day, -1)).toEqual({ fromMs: 2300, toMs: 2400 })
  })
})

describe('a line of the log', () => {
  it('says what happened in plain words, with its figures', () => {
    const run = line({
      compaction_id: 'run_1',
      trigger_reason: 'threshold',
      token_before: 161_204,
      token_after: 96_380,
      nodes: 12,
      outcome: 'target_reached',
    })
    expect(lineTitle(run)).toBe('A compaction ended')
    expect(lineText(run).replaceAll('\u00a0', ' ')).toBe(
      'run_1 · threshold · 161,204 → 96,380 tokens · 12 summaries · the target is reached',
    )
    const call = line({ source: 'call', event: 'call.failed', procedure: 'strata.get', error_code: 'not_found' })
    expect(lineText(call)).toBe('strata.get · not_found')
    const job = line({ event: 'job.done', job_kind: 'compare', outcome: 'cancelled', error_code: 'cancelled' })
    expect(lineText(job)).toBe('compare · it was cancelled')
  })

  it('is called by its event when that is not known', () => {
    expect(lineTitle(line({ event: 'something.new' }))).toBe('something.new')
  })
})

it('slow calls are summed up by procedure, the slowest first, within the chosen time', () => {
  const calls = [
    { atMs: 1, procedure: 'a', durationMs: 300 },
    { atMs: 2, procedure: 'b', durationMs: 900 },
    { atMs: 3, procedure: 'a', durationMs: 500 },
  ]
  expect(slowestByProcedure(calls, null)).toEqual([
    { procedure: 'b', slowestMs: 900, medianMs: 900, count: 1, lastAtMs: 2 },
    { procedure: 'a', slowestMs: 500, medianMs: 500, count: 2, lastAtMs: 3 },
  ])
  expect(slowestByProcedure(calls, { fromMs: 3, toMs: 4 })).toHaveLength(1)
})
