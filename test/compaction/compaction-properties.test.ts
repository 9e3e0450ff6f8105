import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildMemory, type MessageSpec, type TestMemory } from '../builders/memory.ts'
import { runs } from '../builders/property-runs.ts'
import { history, settings } from './arbitrary.ts'
import { canonicalRows, expectLossless, expectSoundGraph, expectWholePairs, windowOf } from './invariants.ts'
import { compact, engineOn, runToEnd } from './run-compaction.ts'

const remember = (messages: readonly MessageSpec[]): TestMemory => buildMemory({ conversations: [{ messages }] })
const newest = (memory: TestMemory, count: number): number[] =>
  memory.db
    .column<number>('SELECT message_id FROM messages ORDER BY seq DESC LIMIT CAST(:count AS INTEGER)', { count })
    .toReversed()

describe('compaction with any history and settings', () => {
  it('loses nothing, doubles nothing, keeps the order and leaves every message unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(history, settings, async (messages, chosen) => {
        using memory = remember(messages)
        const before = canonicalRows(memory.db)
        const { result: run } = await compact(memory.db, {}, { settings: chosen })
        expect(canonicalRows(memory.db)).toBe(before)
        expectLossless(memory.db, 1)
        expectSoundGraph(memory.db)
        expectWholePairs(memory.db)
        const window = windowOf(memory.db, 1)
        expect(window.reduce((sum, entry) => sum + entry.tokens, 0)).toBe(run.tokensAfter)
        expect(run.created.length > 0).toBe(run.runId !== null)
        expect(run.tokensAfter < run.tokensBefore).toBe(run.runId !== null)
      }),
      { numRuns: runs(60) },
    )
  })

  it('keeps the fresh tail and system messages in the window', async () => {
    await fc.assert(
      fc.asyncProperty(history, settings, async (messages, chosen) => {
        using memory = remember(messages)
        const kept = newest(memory, chosen.freshTailCount ?? 8)
        const system = memory.db.column<number>("SELECT message_id FROM messages WHERE role = 'system'")
        await compact(memory.db, {}, { settings: chosen })
        const raw = windowOf(memory.db, 1).flatMap((entry) => entry.messageId ?? [])
        expect(raw).toEqual(expect.arrayContaining([...kept, ...system]))
      }),
      { numRuns: runs(25) },
    )
  })

  it('does nothing the second time', async () => {
    await fc.assert(
      fc.asyncProperty(history, settings, async (messages, chosen) => {
        using memory = remember(messages)
        await compact(memory.db, {}, { settings: chosen })
        const before = [canonicalRows(memory.db), windowOf(memory.db, 1)]
        const { result: second } = await compact(memory.db, {}, { settings: chosen })
        expect(second).toMatchObject({ runId: null, created: [], reduction: 0 })
        expect(second.skipped).toMatch(/\.$/)
        expect([canonicalRows(memory.db), windowOf(memory.db, 1)]).toEqual(before)
      }),
      { numRuns: runs(25) },
    )
  })

  it('does what its plan says', async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        settings,
        fc.constantFrom('leaf' as const, 'full' as const),
        async (messages, chosen, mode) => {
          using memory = remember(messages)
          const engine = engineOn(memory.db, { settings: { ...chosen, maxDepth: 0 } })
          const planned = engine.plan({ conversationId: 1, mode, summarizer: 'deterministic', reason: 'manual' })
          const { result: run } = await runToEnd(engine, { mode })
          expect(run.created.map((node) => node.sourceTokens)).toEqual(planned.steps.map((step) => step.sourceTokens))
          expect(planned.skipped === null).toBe(run.created.length > 0)
          const covered = run.created.flatMap((node) =>
            memory.db.column<number>(
              'SELECT message_id FROM summary_messages WHERE summary_id = :id ORDER BY ordinal',
              {
                id: node.id,
              },
            ),
          )
          expect(covered.map((id) => `msg_${id}`)).toEqual(planned.steps.flatMap((step) => step.sources))
        },
      ),
      { numRuns: runs(25) },
    )
  })

  it('makes the same summaries for the same history', async () => {
    await fc.assert(
      fc.asyncProperty(history, settings, async (messages, chosen) => {
        using one = remember(messages)
        using two = remember(messages)
        const first = await compact(one.db, {}, { settings: chosen })
        const second = await compact(two.db, {}, { settings: chosen })
        expect(second.result.created).toEqual(first.result.created)
      }),
      { numRuns: runs(15) },
    )
  })
})
