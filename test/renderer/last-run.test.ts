import { expect, it } from 'vitest'
import { goneText, lastRun, newestCompactions, withoutUndone } from '#renderer/features/start/loss-report.ts'
import { compactionEvent } from './compaction-event.ts'

it('says how large the window was before and after a run, and counts no source of a summary of summaries twice', () => {
  const events = [
    compactionEvent({ runId: 'a', activeTokens: 9_000, sourceTokens: 700, tokens: 100 }),
    compactionEvent({ runId: 'b', activeTokens: 6_000, sourceTokens: 4_000, tokens: 1_000 }),
    compactionEvent({ runId: 'b', activeTokens: 5_200, sourceTokens: 1_000, tokens: 200 }),
  ]
  expect(lastRun(events)).toMatchObject({ runId: 'b', tokensBefore: 9_000, tokensAfter: 5_200 })
})

it('lists the last replacement where no run is recorded, and nothing before one', () => {
  const events = [compactionEvent({ runId: '', activeTokens: 5_000, sourceTokens: 900, tokens: 100 })]
  expect(newestCompactions([], events, 3)).toMatchObject([{ runId: '', tokensBefore: 5_800, summaries: 1 }])
  expect(newestCompactions([], [], 3)).toEqual([])
})

it('lists the newest recorded runs by what the overview says of them, however many summaries they made', () => {
  const run = { reason: 'manual', stopReason: 'target_reached' }
  const runs = [
    { ...run, runId: 'c', atMs: 3, tokensBefore: null, tokensAfter: null, created: 9_226 },
    { ...run, runId: 'b', atMs: 2, tokensBefore: 900, tokensAfter: 90, created: 3 },
    { ...run, runId: 'a', atMs: 1, tokensBefore: 800, tokensAfter: 80, created: 1 },
  ]
  expect(newestCompactions(runs, [], 2)).toEqual([
    { runId: 'c', atMs: 3, tokensBefore: null, tokensAfter: null, summaries: 9_226 },
    { runId: 'b', atMs: 2, tokensBefore: 900, tokensAfter: 90, summaries: 3 },
  ])
})

it('takes no run for the last one that was taken back', () => {
  const events = ['a', 'b'].map((runId) => compactionEvent({ runId }))
  const runs = [
    { runId: 'b', stopReason: 'undone' },
    { runId: 'a', stopReason: 'target_reached' },
  ] as never[]
  expect(lastRun(withoutUndone(events, runs))?.runId).toBe('a')
  expect(lastRun(withoutUndone(events, []))?.runId).toBe('b')
})

it('counts what a compaction lost and what it changed apart, as its result does', () => {
  expect(goneText({ dropped: 6361, changed: 3 })).toBe('6,361 lost, 3 changed')
  expect(goneText({ dropped: 23, changed: 0 })).toBe('23 lost')
  expect(goneText({ dropped: 0, changed: 2 })).toBe('2 changed')
})
