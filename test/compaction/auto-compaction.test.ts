import { describe, expect, it } from 'vitest'
import type { CompactionResult, CompactionSettings } from '#core/contract/compaction.ts'
import { neededRun } from '#core/jobs/auto-compaction.ts'
import { runToEnd } from '#core/yielding.ts'
import type { TestMemory } from '../builders/memory.ts'
import { expectLossless } from './invariants.ts'
import { engineOn } from './run-compaction.ts'
import { remember, small, talk } from './talk.ts'

async function afterAppending(
  memory: TestMemory,
  settings: Partial<CompactionSettings>,
): Promise<CompactionResult | null> {
  const engine = engineOn(memory.db, { settings: { ...small, ...settings } })
  const request = { conversationId: 1, summarizer: 'deterministic' }
  const input = neededRun(engine.evaluate({ ...request, mode: 'full', reason: 'threshold' }), request)
  if (input === null) return null
  return await runToEnd(engine.compact(input, new AbortController().signal))
}

describe('a host that compacts after appending', () => {
  it('does nothing below the threshold', async () => {
    using memory = remember(talk(30))
    expect(await afterAppending(memory, { budgetTokens: 4_001 })).toBeNull()
    expect(memory.db.value('SELECT count(*) FROM compaction_runs')).toBe(0)
  })

  it('compacts as soon as the threshold is reached, and no more than needed', async () => {
    using memory = remember(talk(30))
    const run = await afterAppending(memory, { budgetTokens: 4_000 })
    expect(run).toMatchObject({ stopReason: 'target_reached' })
    expect(run?.created).toHaveLength(1)
    expect(memory.db.value('SELECT reason FROM compaction_runs')).toBe('threshold')
    expect(await afterAppending(memory, { budgetTokens: 4_000 })).toBeNull()
  })

  it('makes leaves when there are too many messages', async () => {
    using memory = remember(talk(30))
    const run = await afterAppending(memory, { maxActiveMessages: 20 })
    expect(new Set(run?.created.map(({ depth }) => depth))).toEqual(new Set([0]))
    expect(await afterAppending(memory, { maxActiveMessages: 20 })).toBeNull()
  })

  it('stays below the threshold message by message, through a long conversation', async () => {
    using memory = remember([])
    for (let turn = 0; turn < 60; turn += 1) {
      memory.messages(1, talk(2))
      await afterAppending(memory, { budgetTokens: 2_000, minMessagesToCompact: 2 })
      const tokens = engineOn(memory.db).evaluate({ conversationId: 1 } as never).tokens
      expect(tokens).toBeLessThan(1_500)
    }
    expectLossless(memory.db, 1)
  })
})
