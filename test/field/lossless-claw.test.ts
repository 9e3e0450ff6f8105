import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MemoryStats } from '#core/browse/stats/memory-stats.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { type OpenedMemory, openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'

const CLAW = join(FIXTURES, 'lossless-claw')
const cacheDir = join(temporaryFolder(), 'cache')
const BUDGET = 10_000

function withMemory<T>(path: string, body: (memory: OpenedMemory) => T): T {
  using memory = openMemory(path, { cacheDir })
  return body(memory)
}

const statsOf = (path: string) =>
  withMemory(path, (memory) =>
    new MemoryStats(
      memory.read,
      memory.info,
      { budgetTokens: BUDGET, freshTailCount: 8 },
      createTokenEstimator(),
    ).stats(),
  )

describe('the counts of a file of lossless-claw', () => {
  it('are those of the system itself', () => {
    const truth = JSON.parse(readFileSync(join(CLAW, 'small.truth.json'), 'utf8'))
    const stats = statsOf(join(CLAW, 'small.db'))
    expect(stats).toMatchObject({
      conversations: truth.tables.conversations,
      messages: truth.tables.messages,
      messageParts: truth.tables.message_parts,
      summaries: truth.tables.summaries,
      edges: { summaryMessages: truth.tables.summary_messages, summaryParents: truth.tables.summary_parents },
      contextItems: truth.tables.context_items,
      largeFiles: truth.tables.large_files,
      bytes: truth.dbBytes,
      readOnly: true,
      system: 'lossless-claw',
    })
    const depths = truth.depthHistogram as { depth: number; n: number; tokens: number }[]
    expect(stats.summariesByDepth).toEqual(Object.fromEntries(depths.map(({ depth, n }) => [String(depth), n])))
    expect(stats.perConversation).toEqual(
      truth.perConversation.map((row: Record<string, number>) =>
        expect.objectContaining({
          conversationId: row.conversation_id,
          messages: row.messages,
          storedTokens: row.message_tokens,
          summaries: row.summaries,
          maxDepth: row.max_depth,
          contextItems: row.context_items,
          contextTokens: row.context_tokens,
          pressure: (row.context_tokens ?? 0) / BUDGET,
        }),
      ),
    )
    const overview = withMemory(join(CLAW, 'small.db'), (memory) =>
      new MemoryStats(
        memory.read,
        memory.info,
        { budgetTokens: BUDGET, freshTailCount: 8 },
        createTokenEstimator(),
      ).overview(1),
    )
    const byName = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1)
    expect(overview.roles.map(({ key, count }) => ({ key, count })).sort(byName)).toEqual(
      truth.roles.map(({ role, n }: { role: string; n: number }) => ({ key: role, count: n })).sort(byName),
    )
    expect(overview.depths).toMatchObject(
      depths.map(({ depth, n, tokens }) => ({ key: String(depth), count: n, tokens })),
    )
  })
})
