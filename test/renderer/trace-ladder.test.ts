import { describe, expect, it } from 'vitest'
import type { FactTrace, Rung } from '../../core/contract/trace.ts'
import { shaftOf } from '../../renderer/features/trace/shaft.ts'
import { verdictOf } from '../../renderer/features/trace/trace-wording.ts'

const rung = (kind: Rung['kind'], firstSeq: number | null, lastSeq: number | null): Rung => ({
  ...{ id: kind === 'window' ? null : `${kind}_1`, kind, depth: 0, role: null, seq: null, state: 'kept', kept: 1 },
  ...{ details: 1, runId: null, run: null, atMs: null, inWindow: false, tokens: 0, messages: 1, firstSeq, lastSeq },
  ...{ sources: 0, title: '', excerpt: '', marks: [], lost: [] },
})

describe('the shaft of a trace', () => {
  it('places each rung over the messages of the top node, the window first', () => {
    const { bars, foot } = shaftOf([
      rung('message', 50, 50),
      rung('leaf', 40, 59),
      rung('condensed', 0, 99),
      rung('window', null, null),
    ])
    expect(bars).toEqual([
      { from: 0, to: 1 },
      { from: 0, to: 1 },
      { from: 0.4, to: 0.6 },
      { from: 0.5, to: 0.6 },
    ])
    expect(foot).toEqual(bars[3])
  })

  it('stays within its width for one message at the very end, and for a ladder without positions', () => {
    for (const { from, to } of shaftOf([rung('message', 9, 9), rung('leaf', 0, 9)]).bars) {
      expect(from).toBeGreaterThanOrEqual(0)
      expect(to).toBeLessThanOrEqual(1.0001)
    }
    expect(shaftOf([rung('message', null, null)]).bars).toEqual([{ from: 0, to: 1 }])
    expect(shaftOf([]).bars).toEqual([])
  })
})

describe('the verdict of a trace', () => {
  const lostAt = { id: 'sum_a', depth: 1, runId: 'run_2', run: 2, atMs: null, sources: 4 }
  const trace = { inWindow: false, lostAt, state: 'dropped', details: [{}], toldAgain: [], ladder: [] }
  const verdict = (patch: object) => verdictOf({ ...trace, ...patch } as unknown as FactTrace, 0)

  it('names the run, and how many summaries became one', () => {
    expect(verdict({})).toEqual({ before: 'Dropped at', after: 'by run 2, when 4\u00a0summaries became one' })
  })

  it('says what is known where nothing was lost', () => {
    expect(verdict({ lostAt: null, inWindow: true }).before).toBe('All of it stands in the window')
    expect(verdict({ lostAt: null, state: 'unknown' }).before).toBe('It may stand in the window in other words')
    expect(verdict({ details: [] }).before).toBe('It has no detail that could be followed')
  })
})
