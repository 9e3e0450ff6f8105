import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RetrievalEngine } from '#core/browse/retrieval-engine.ts'
import { findGroups } from '#core/compaction/condensation.ts'
import { findLeafChunks } from '#core/compaction/leaf-chunks.ts'
import type { CompactionResult, CompactionSettings } from '#core/contract/compaction.ts'
import { ExpandInput } from '#core/contract/retrieval.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { readWindow } from '#core/window/read-window.ts'
import type { TestMemory } from '../builders/memory.ts'
import { openMemory } from '../builders/open-memory.ts'
import { runs } from '../builders/property-runs.ts'
import { adversary, behaviours } from './adversary.ts'
import { history, settings } from './arbitrary.ts'
import { findingsIn } from './findings.ts'
import { canonicalRows, expectLossless, expectSoundGraph, expectWholePairs, windowOf } from './invariants.ts'
import { compact } from './run-compaction.ts'
import { remember, small, talk } from './talk.ts'

const estimator = createTokenEstimator()

/** Under the goal, or nothing is left that could be made smaller under these settings. */
function expectAtRest(memory: TestMemory, run: CompactionResult, chosen: Partial<CompactionSettings>, goal: number) {
  const complete = { ...readSettings({}).compaction, ...chosen }
  const { items, columns, pairs, tokens } = readWindow(memory.db, new MemoryReader(memory.db).memory(1), estimator)
  expect(tokens).toBe(run.tokensAfter)
  expect(run.stopReason).toBe(tokens <= goal ? 'target_reached' : 'irreducible_tail')
  if (tokens <= goal) return
  const eligible = findLeafChunks(columns, pairs, complete)
  if (eligible.messages >= complete.minMessagesToCompact) expect(eligible.chunks).toEqual([])
  expect(findGroups(items, complete)).toEqual([])
  // What is not a summary, or may not become one that is deeper, is above the goal by itself or next to it.
  const isFree = (depth: number): boolean => complete.maxDepth < 0 || depth < complete.maxDepth
  const free = items.filter((item) => item.summaryId !== null && isFree(item.depth ?? 0))
  const fixed = tokens - free.reduce((sum, item) => sum + item.tokens, 0)
  expect(fixed + free.length).toBeGreaterThan(Math.min(goal, tokens - 1))
}

async function expectExpands(memory: TestMemory): Promise<void> {
  using opened = openMemory(memory.path, { readOnly: true })
  const retrieval = new RetrievalEngine(opened.read, opened.info.capabilities, new MemoryReader(opened.read))
  const stored = new Map(
    memory.db
      .all<{ id: string; content: string }>("SELECT 'msg_' || message_id AS id, content FROM messages")
      .map((row) => [row.id, row.content]),
  )
  for (const { summaryId } of windowOf(memory.db, 1)) {
    if (summaryId === null) continue
    const input = ExpandInput.parse({ summaryId, depth: 32, includeMessages: true, tokenCap: 1_000_000 })
    const { messages } = retrieval.expand(input)
    expect(messages.length).toBeGreaterThan(0)
    for (const { id, content } of messages) expect(content).toBe(stored.get(id))
  }
}

describe('compaction with any history, settings and summariser', () => {
  it('ends at its goal or with the reason why not, and nothing is lost or out of order', async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        settings,
        fc.integer(),
        fc.integer({ min: 1, max: 3_000 }),
        fc.constantFrom(1, 2, 5),
        async (messages, chosen, seed, goal, leafConcurrency) => {
          using memory = remember(messages)
          const before = canonicalRows(memory.db)
          // Histories hold results without a call, which is reported as it is.
          // Without a fresh tail the newest message may be summarised, which is reported too.
          const known = await findingsIn(memory.path, chosen)
          if (chosen.freshTailCount === 0) known.push('fresh_tail_compacted')
          const { result } = await compact(
            memory.db,
            { mode: 'untilUnder', targetTokens: goal, summarizer: 'adversary' },
            { settings: { ...chosen, leafConcurrency }, summarizers: [adversary(seed)], bounds: { callMs: 15 } },
          )
          expectAtRest(memory, result, chosen, goal)
          expect(canonicalRows(memory.db)).toBe(before)
          expectLossless(memory.db, 1)
          expectSoundGraph(memory.db)
          expectWholePairs(memory.db)
          const findings = await findingsIn(memory.path, chosen)
          expect(findings.filter((id) => !known.includes(id))).toEqual([])
          await expectExpands(memory)
        },
      ),
      { numRuns: runs(15) },
    )
  })
})

describe('a compaction by a summariser with one hostile behaviour', () => {
  it.each(Object.keys(behaviours))('leaves a window below its goal: %s', async (way) => {
    using memory = remember(talk(90))
    const goal = 700
    const { result } = await compact(
      memory.db,
      { mode: 'untilUnder', targetTokens: goal, summarizer: 'adversary' },
      { settings: small, summarizers: [adversary(1, [way])], bounds: { callMs: 15 } },
    )
    expect(result.stopReason).toBe('target_reached')
    expect(result.tokensAfter).toBeLessThanOrEqual(goal)
    expectLossless(memory.db, 1)
    expectSoundGraph(memory.db)
    expect(await findingsIn(memory.path)).toEqual([])
  })

  it('stores orders of a summariser as text, while ids and files are those of the sources', async () => {
    using memory = remember(talk(42))
    await compact(
      memory.db,
      { summarizer: 'adversary' },
      { settings: small, summarizers: [adversary(1, ['gives orders'])] },
    )
    expect(memory.db.value("SELECT count(*) FROM summaries WHERE summary_id = 'sum_0000000000000000'")).toBe(0)
    expect(memory.db.column('SELECT DISTINCT file_ids FROM summaries')).toEqual(['[]'])
    expectLossless(memory.db, 1)
  })
})
