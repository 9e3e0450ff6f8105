import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importTranscripts } from '#core/ingest/transcripts/import-transcripts.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { runToEnd } from '#core/yielding.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { findingsIn } from '../compaction/findings.ts'
import { canonicalRows, expectLossless, expectSoundGraph, expectWholePairs } from '../compaction/invariants.ts'
import { compact, NOW_MS } from '../compaction/run-compaction.ts'
import { FIELD_DATA } from './field-data.ts'

const SAMPLES = ['entire-cli', 'entire-graph', 'git-sync', 'spotter'].map((name) =>
  join(FIELD_DATA, 'data', name, 'claude-code'),
)

async function imported(paths: readonly string[]): Promise<TestMemory> {
  const memory = buildMemory()
  const estimator = createTokenEstimator()
  const job = importTranscripts(
    { db: memory.db, estimator, clock: () => NOW_MS, paths, format: 'auto', window: 'history', files: null },
    new AbortController().signal,
  )
  await runToEnd(job)
  return memory
}

describe('real Claude Code sessions', () => {
  it('lose at least 30 % of their tokens and no message when they have more than 100, without a finding', async () => {
    using memory = await imported(SAMPLES)
    const before = canonicalRows(memory.db)
    const long = memory.db.column<number>(
      'SELECT conversation_id FROM messages GROUP BY conversation_id HAVING count(*) > 100',
    )
    expect(long.length).toBeGreaterThan(3)
    for (const conversationId of long) {
      const { result } = await compact(memory.db, { conversationId })
      expect(result.reduction, `conversation ${conversationId}`).toBeGreaterThanOrEqual(0.3)
      expectLossless(memory.db, conversationId)
    }
    expectSoundGraph(memory.db)
    expectWholePairs(memory.db)
    expect(canonicalRows(memory.db)).toBe(before)
    expect(await findingsIn(memory.path)).toEqual([])
  }, 120_000)
})
