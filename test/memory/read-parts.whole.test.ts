import { cpSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { SummaryGraph } from '../../core/memory/summary-graph.ts'
import type { ReadDb } from '../../core/sqlite/read-db.ts'
import { HistoryIndex } from '../../core/systems/history-index.ts'
import { openMemory } from '../../core/systems/open-memory.ts'
import { readingMemory } from '../../core/systems/read-memory.ts'
import { withoutYielding } from '../../core/yielding.ts'
import { buildMemory } from '../builders/memory.ts'
import { runs } from '../builders/property-runs.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../db/fixtures.ts'
import { randomLineage, writeLineage } from '../history/random-lineage.ts'
import { FIXTURE_FILES } from '../recorded/memories.ts'

const folder = temporaryFolder()
cpSync(FIXTURES, folder, { recursive: true })

const ascending = (values: Iterable<number>): number[] => [...new Set(values)].sort((a, b) => a - b)

const positionsIn = (ranges: Int32Array): number[] =>
  Array.from({ length: ranges.length / 2 }, (_, pair) => [ranges[2 * pair] ?? 0, ranges[2 * pair + 1] ?? 0]).flatMap(
    ([from = 0, to = 0]) => Array.from({ length: to - from }, (_, index) => from + index),
  )

/** One conversation read by itself says of its messages and links what the whole file says of them. */
function expectParts(db: ReadDb): void {
  const all = withoutYielding(readingMemory(db, true))
  const histories = new HistoryIndex(db)
  for (const { conversationId, from, to } of all.messages.ranges) {
    const { history, nodes, sources } = histories.graph(conversationId)
    expect([...history.ids]).toEqual([...all.messages.ids.subarray(from, to)])
    expect([...history.tokens]).toEqual([...all.messages.tokens.subarray(from, to)])
    expect([...history.createdAtMs]).toEqual([...all.messages.createdAtMs.subarray(from, to)])
    for (const [index, node] of nodes.entries()) {
      const whole = all.summaries.nodeOf(node.id)
      if (node.kind === 'missing') {
        expect(whole).toBe(-1)
        continue
      }
      const named = [...all.links.messagesOf(whole)].filter((position) => position >= from && position < to)
      expect(positionsIn(node.directRanges)).toEqual(ascending(named.map((position) => position - from)))
      const there = (sources[index] ?? []).filter((source) => nodes[source]?.kind !== 'missing')
      expect(ascending(there.map((source) => all.summaries.nodeOf(nodes[source]?.id ?? '')))).toEqual(
        ascending(all.links.sources[whole] ?? []),
      )
    }
  }
}

it.each(FIXTURE_FILES)('a conversation read by itself is that part of the whole file: %s', (name) => {
  const { read, close } = openMemory(join(folder, name), { cacheDir: temporaryFolder() })
  try {
    expectParts(read)
  } finally {
    close()
  }
})

it('a conversation read by itself is that part of the whole file, whatever the lineage looks like', () => {
  fc.assert(
    fc.property(randomLineage, (lineage) => {
      using memory = writeLineage(lineage)
      expectParts(memory.db)
    }),
  )
})

const seen = ({ history, nodes, sources, dependents, window, nodeStates, messageStates }: SummaryGraph) => ({
  history: { ...history },
  nodes,
  sources,
  dependents,
  window,
  nodeStates,
  messageStates,
})

it('a conversation that is kept in step with its file through any changes is what one reads from nothing', () => {
  const change = fc.oneof(
    fc.record({ kind: fc.constant('messages' as const), count: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ kind: fc.constant('leaf' as const), first: fc.nat(20), count: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant('tokens' as const), message: fc.nat(20) }),
    fc.record({ kind: fc.constant('unlist' as const), ordinal: fc.nat(5) }),
  )
  fc.assert(
    fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
      using memory = buildMemory({ conversations: [{ messages: ['first'] }] })
      const kept = new HistoryIndex(memory.db)
      for (const [step, one] of changes.entries()) {
        const ids = memory.db.column<number>('SELECT message_id FROM messages ORDER BY seq')
        if (one.kind === 'messages') memory.messages(1, one.count)
        else if (one.kind === 'leaf') {
          const first = one.first % ids.length
          memory.leaf(1, ids.slice(first, first + one.count), { id: `sum_${step}` })
        } else if (one.kind === 'tokens') {
          memory.db.run('UPDATE messages SET token_count = 7 WHERE message_id = :id', { id: one.message })
        } else memory.db.run('DELETE FROM context_items WHERE ordinal = :ordinal', { ordinal: one.ordinal })
        expect(seen(kept.graph(1))).toEqual(seen(new HistoryIndex(memory.db).graph(1)))
      }
    }),
    { numRuns: runs(40) },
  )
})
