import { expect, it } from 'vitest'
import { lastRun } from '../../renderer/features/overview/loss-report.ts'
import { compactionEvent } from './compaction-event.ts'

it('says how large the window was before and after a run, and counts no source of a summary of summaries twice', () => {
  const events = [
    compactionEvent({ runId: 'a', activeTokens: 9_000, sourceTokens: 700, tokens: 100 }),
    compactionEvent({ runId: 'b', activeTokens: 6_000, sourceTokens: 4_000, tokens: 1_000 }),
    compactionEvent({ runId: 'b', activeTokens: 5_200, sourceTokens: 1_000, tokens: 200 }),
  ]
  expect(lastRun(events)).toMatchObject({ runId: 'b', tokensBefore: 9_000, tokensAfter: 5_200 })
})
