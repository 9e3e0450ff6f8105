import { describe, expect, it } from 'vitest'
import { MemoryStats } from '#core/browse/stats/memory-stats.ts'
import { Overview, Stats } from '#core/contract/memory.ts'
import type { LcmError } from '#core/errors.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { openMemory } from '../builders/open-memory.ts'

const BUDGET = 1000

function statsOf(memory: TestMemory): MemoryStats {
  const opened = openMemory(memory.path)
  opened.close()
  return new MemoryStats(memory.db, opened.info, { budgetTokens: BUDGET, freshTailCount: 8 }, createTokenEstimator())
}

describe('the statistics of a memory', () => {
  it('do not take a window for the whole history because both have the same length', () => {
    using memory = buildMemory({
      conversations: [{ messages: [{ tokens: 100 }, { tokens: 10 }] }, { messages: [{ tokens: 7 }, { tokens: 9 }] }],
    })
    // A message of the other conversation stands where one of its own should.
    memory.db.exec(
      'DELETE FROM context_items WHERE message_id = 3; UPDATE context_items SET message_id = 3 WHERE message_id = 1',
    )
    const [first, second] = statsOf(memory).conversations()
    expect([first?.contextItems, first?.contextTokens]).toEqual([2, 17])
    expect([second?.contextItems, second?.contextTokens]).toEqual([1, 9])
  })

  it('count what was said in all and what is in the window, by conversation', () => {
    using memory = buildMemory({
      conversations: [
        { messages: Array.from({ length: 10 }, () => ({ tokens: 100 })) },
        { title: 'Second', messages: [{ tokens: 50 }] },
      ],
    })
    const leaf = memory.leaf(1, [1, 2, 3, 4], { tokens: 30 })
    const other = memory.leaf(1, [5, 6], { tokens: 20 })
    memory.condensed(1, [leaf, other], { tokens: 10 })
    const stats = statsOf(memory).stats()
    expect(stats).toMatchObject({
      conversations: 2,
      messages: 11,
      summaries: 3,
      summariesByDepth: { '0': 2, '1': 1 },
      edges: { summaryMessages: 6, summaryParents: 2 },
      contextItems: 6,
      largeFiles: 0,
      readOnly: false,
      system: 'native',
    })
    expect(stats.perConversation).toMatchObject([
      {
        conversationId: 1,
        messages: 10,
        summaries: 3,
        maxDepth: 1,
        contextItems: 5,
        storedTokens: 1000,
        contextTokens: 410,
        pressure: 0.41,
      },
      {
        conversationId: 2,
        title: 'Second',
        messages: 1,
        summaries: 0,
        maxDepth: -1,
        contextItems: 1,
        storedTokens: 50,
        contextTokens: 50,
      },
    ])
    expect(Stats.parse(stats)).toEqual(stats)
  })

  it('date a conversation by its last compaction or operation by hand, too', () => {
    using memory = buildMemory({ conversations: [{ messages: ['a', 'b'] }, { messages: ['c'] }] })
    const before = statsOf(memory).conversations()
    const atMs = (before[0]?.updatedAtMs ?? 0) + 3_600_000
    memory.leaf(1, [1], { atMs })
    expect(
      statsOf(memory)
        .conversations()
        .map((row) => row.updatedAtMs),
    ).toEqual([atMs, before[1]?.updatedAtMs])
    memory.db.run(
      `INSERT INTO compaction_runs (run_id, conversation_id, reason, mode, summarizer, configuration, owner, started_at, finished_at, tokens_before)
       VALUES ('run_1', 2, 'manual', 'full', 'deterministic', '{}', 'test', :at, :at, 1)`,
      { at: atMs + 1 },
    )
    expect(statsOf(memory).conversations()[1]?.updatedAtMs).toBe(atMs + 1)
  })

  it('count an empty memory and an empty conversation as empty', () => {
    using empty = buildMemory()
    expect(statsOf(empty).stats()).toMatchObject({
      conversations: 0,
      messages: 0,
      summariesByDepth: {},
      perConversation: [],
    })
    using silent = buildMemory({ conversations: [{}] })
    expect(statsOf(silent).conversations()).toMatchObject([
      { messages: 0, storedTokens: 0, contextTokens: 0, contextItems: 0, maxDepth: -1, pressure: 0 },
    ])
  })

  it('include the size of the file with its log, as it grows', () => {
    using memory = buildMemory({ conversations: [{}] })
    const stats = statsOf(memory)
    const before = stats.stats().bytes
    memory.messages(1, 200)
    expect(stats.stats().bytes).toBeGreaterThan(before)
  })

  it('count window items that lead nowhere as items without tokens', () => {
    using memory = buildMemory({ conversations: [{ messages: [{ tokens: 5 }, { tokens: 7 }] }] })
    memory.damage('UPDATE context_items SET message_id = 99 WHERE message_id = 1')
    expect(statsOf(memory).conversations()).toMatchObject([{ contextItems: 2, contextTokens: 7 }])
  })
})

describe('the overview of a conversation', () => {
  it('shows the text of a message after a NUL character', () => {
    using memory = buildMemory({ conversations: [{ messages: [{ content: '\u0000 and on' }] }] })
    expect(statsOf(memory).overview(1).largestMessages).toMatchObject([{ excerpt: 'and on' }])
  })

  it('divides tokens by role and depth and names the largest messages', () => {
    using memory = buildMemory({
      conversations: [
        {
          messages: [
            { role: 'user', tokens: 10, content: 'small' },
            { role: 'assistant', tokens: 300, content: `large\n\n${'x'.repeat(5000)}` },
            { role: 'tool', tokens: 200, content: 'middle' },
            ...Array.from({ length: 12 }, () => ({ role: 'user' as const, tokens: 1 })),
          ],
        },
        { messages: [{ role: 'system', tokens: 9999 }] },
      ],
    })
    memory.leaf(1, [4, 5, 6], { tokens: 2 })
    const overview = statsOf(memory).overview(1)
    expect(overview.roles).toEqual([
      { key: 'assistant', count: 1, tokens: 300, sourceTokens: null },
      { key: 'tool', count: 1, tokens: 200, sourceTokens: null },
      { key: 'user', count: 13, tokens: 22, sourceTokens: null },
    ])
    expect(overview.depths).toEqual([{ key: '0', count: 1, tokens: 2, sourceTokens: 3 }])
    expect(overview.largestMessages).toHaveLength(10)
    expect(overview.largestMessages.slice(0, 3)).toMatchObject([
      { id: 'msg_2', tokens: 300, seq: 1, excerpt: expect.stringMatching(/^large x+…$/) },
      { id: 'msg_3', tokens: 200 },
      { id: 'msg_1', tokens: 10, excerpt: 'small' },
    ])
    expect(overview.budgetTokens).toBe(BUDGET)
    expect(Overview.parse(overview)).toEqual(overview)
  })

  it('lists compaction runs, newest first, with what each made', () => {
    using memory = buildMemory({ conversations: [{ messages: [{}] }] })
    for (const [run, at] of [
      ['run_a', 1000],
      ['run_b', 2000],
    ] as const) {
      memory.db.run(
        `INSERT INTO compaction_runs (run_id, conversation_id, reason, mode, summarizer, configuration, owner, started_at, tokens_before)
         VALUES (:run, 1, 'manual', 'full', 'deterministic', '{}', 'test', :at, 500)`,
        { run, at },
      )
    }
    memory.db.run(
      `INSERT INTO compaction_events (run_id, conversation_id, at, pass, summary_id, ordinal, removed, level, source_tokens, tokens, duration_ms)
       VALUES ('run_a', 1, 1, 'leaf', 'sum_x', 0, '[]', 'normal', 9, 3, 1)`,
    )
    expect(statsOf(memory).overview(1).runs).toEqual([
      {
        runId: 'run_b',
        atMs: 2000,
        reason: 'manual',
        tokensBefore: 500,
        tokensAfter: null,
        created: 0,
        stopReason: null,
      },
      {
        runId: 'run_a',
        atMs: 1000,
        reason: 'manual',
        tokensBefore: 500,
        tokensAfter: null,
        created: 1,
        stopReason: null,
      },
    ])
  })

  it('is refused for an unknown conversation', () => {
    using memory = buildMemory({ conversations: [{}] })
    expect(() => statsOf(memory).overview(7)).toThrow(
      expect.objectContaining<Partial<LcmError>>({
        code: 'not_found',
        message: expect.stringMatching(/conversation 7/),
      }),
    )
  })
})
