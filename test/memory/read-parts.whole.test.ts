import { cpSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Memory } from '#core/memory/memory.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { readingMemory } from '#core/systems/reading/read-memory.ts'
import { withoutYielding } from '#core/yielding.ts'
import { randomLineage, writeLineage } from '../browse/history/random-lineage.ts'
import { openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURE_FILES } from '../recorded/memories.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { windowOf } from './seen.ts'

const folder = temporaryFolder()
cpSync(FIXTURES, folder, { recursive: true })

const ascending = (values: Iterable<number>): number[] => [...new Set(values)].sort((a, b) => a - b)

const positionsIn = (ranges: Int32Array): number[] =>
  Array.from({ length: ranges.length / 2 }, (_, pair) => [ranges[2 * pair] ?? 0, ranges[2 * pair + 1] ?? 0]).flatMap(
    ([from = 0, to = 0]) => Array.from({ length: to - from }, (_, index) => from + index),
  )

/** One conversation read by itself says of it what the whole file says of it, in positions and nodes of its own. */
function expectParts(db: ReadDb): void {
  const all = withoutYielding(readingMemory(db, []))
  const reader = new MemoryReader(db)
  for (const { conversationId, from, to } of all.messages.ranges) {
    const part = reader.memory(conversationId)
    const { messages, summaries, links, coverage } = part
    expect(part.conversations.get(conversationId)).toEqual(all.conversations.get(conversationId))
    expect([...messages.ids]).toEqual([...all.messages.ids.subarray(from, to)])
    expect([...messages.tokens]).toEqual([...all.messages.tokens.subarray(from, to)])
    expect([...messages.createdAtMs]).toEqual([...all.messages.createdAtMs.subarray(from, to)])
    expect(ascending(part.events)).toEqual(eventsIn(all, from, to))
    expect(windowOf(part)).toEqual(windowOf(all).filter((entry) => entry.conversation === conversationId))

    const own = all.summaries.rows.filter((row) => row.conversationId === conversationId).map(({ id }) => id)
    const ownHere = summaries.rows.filter(({ index }) => part.isOwn(index)).map(({ id }) => id)
    expect(ownHere.toSorted()).toEqual(own.toSorted())
    const wholeNode = (node: number): number => all.summaries.nodeOf(summaries.at(node).id)
    const here = (positions: Iterable<number>): number[] =>
      Array.from(positions, (position) => (position >= from && position < to ? position - from : -1))
    for (const { index: node, ...row } of summaries.rows) {
      const whole = wholeNode(node)
      expect(row).toEqual({ ...all.summaries.at(whole), ...NOT_OF_A_PART, index: undefined })
      expect([...links.messagesOf(node)]).toEqual(here(all.links.messagesOf(whole)))
      expect(links.sources[node]?.map(wholeNode)).toEqual(all.links.sources[whole])
      expect(links.dependents[node]?.map(wholeNode).toSorted()).toEqual(all.links.dependents[whole]?.toSorted())
      expect(missingOf(part, node)).toEqual(missingOf(all, whole))
      const reached = positionsIn(all.coverage.reach(whole))
      expect(positionsIn(coverage.reach(node))).toEqual(here(reached).filter((position) => position >= 0))
      expect(part.order.onCycle[node]).toBe(all.order.onCycle[whole])
    }
  }
}

/** What is stored of a summary's sources, which only scans and repairs ask for. */
const NOT_OF_A_PART = {
  descendants: null,
  recordedTokens: null,
  earliestAtMs: null,
  latestAtMs: null,
  shownRange: null,
}

const eventsIn = ({ events }: Memory, from: number, to: number): number[] =>
  ascending(events)
    .filter((position) => position >= from && position < to)
    .map((position) => position - from)

/** Ids that a summary names and that are nowhere in the file. */
const missingOf = ({ links }: Memory, node: number): string[] =>
  links.brokenOf(node).flatMap(({ elsewhere, sourceId }) => (elsewhere ? [] : sourceId))

it.each(FIXTURE_FILES)('a conversation read by itself is that part of the whole file: %s', (name) => {
  const { read, close } = openMemory(join(folder, name), { cacheDir: temporaryFolder() })
  try {
    expectParts(read)
  } finally {
    close()
  }
})

it('a conversation read by itself is that part of the whole file, for any lineage', () => {
  fc.assert(
    fc.property(randomLineage, (lineage) => {
      using memory = writeLineage(lineage)
      expectParts(memory.db)
    }),
  )
})
