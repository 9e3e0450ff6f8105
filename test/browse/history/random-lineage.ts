import fc from 'fast-check'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'

/** A lineage with everything that can be wrong with one: numbers name summaries and messages by their place. */
export type RandomLineage = {
  readonly messages: number
  readonly leaves: readonly (readonly number[])[]
  readonly condensed: number
  /** From a summary to a source; beyond the summaries there are: an id that is not in the file. */
  readonly edges: readonly (readonly [number, number])[]
  readonly windowMessages: readonly number[]
  readonly windowSummaries: readonly number[]
}

export const randomLineage: fc.Arbitrary<RandomLineage> = fc
  .record({ messages: fc.integer({ min: 0, max: 24 }), leafCount: fc.nat(6), condensed: fc.nat(5) })
  .chain(({ messages, leafCount, condensed }) => {
    const summary = fc.nat(leafCount + condensed)
    return fc.record({
      messages: fc.constant(messages),
      condensed: fc.constant(condensed),
      leaves: fc.array(
        fc.oneof(
          fc.uniqueArray(fc.nat(messages), { maxLength: 8 }),
          // Sound files have ranges without gaps.
          fc.tuple(fc.nat(messages), fc.nat(8)).map(([from, length]) => Array.from({ length }, (_, i) => from + i)),
        ),
        { minLength: leafCount, maxLength: leafCount },
      ),
      edges: fc.uniqueArray(fc.tuple(summary, summary), { maxLength: 14, selector: ([a, b]) => `${a} ${b}` }),
      windowMessages: fc.uniqueArray(fc.nat(Math.max(0, messages - 1)), { maxLength: messages }),
      windowSummaries: fc.uniqueArray(summary, { maxLength: 4 }),
    })
  })

export const summaryId = (place: number): string => `sum_${String(place).padStart(3, '0')}`

/** Writes it into a memory, past every check. Messages past the end dangle. Conversation 1, message numbers from 1. */
export function writeLineage(lineage: RandomLineage): TestMemory {
  const memory = buildMemory({ conversations: [{}] })
  memory.messages(1, lineage.messages)
  memory.db.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; DELETE FROM context_items')
  memory.db.transaction(() => {
    lineage.leaves.forEach((_, place) => {
      memory.leaf(1, [], { id: summaryId(place), inWindow: false })
    })
    for (let i = 0; i < lineage.condensed; i += 1) {
      memory.condensed(1, [], { id: summaryId(lineage.leaves.length + i), depth: 1, inWindow: false })
    }
    lineage.leaves.forEach((messages, place) => {
      messages.forEach((message, ordinal) => {
        const sql = 'INSERT INTO summary_messages VALUES (:id, :message, :ordinal)'
        memory.db.run(sql, { id: summaryId(place), message: message + 1, ordinal })
      })
    })
    lineage.edges.forEach(([from, to], ordinal) => {
      const sql = 'INSERT INTO summary_sources VALUES (:from, :to, :ordinal)'
      memory.db.run(sql, { from: summaryId(from), to: summaryId(to), ordinal })
    })
  })
  memory.window(1, [
    ...lineage.windowSummaries.map(summaryId),
    ...lineage.windowMessages.filter((place) => place < lineage.messages).map((place) => place + 1),
  ])
  return memory
}

/** Messages (by place) that a summary reaches, by plain recursion. */
export function reachedFrom(lineage: RandomLineage, summary: number, seen = new Set<number>()): Set<number> {
  const reached = new Set<number>()
  const exists = summary < lineage.leaves.length + lineage.condensed
  if (seen.has(summary) || !exists) return reached
  seen.add(summary)
  for (const message of lineage.leaves[summary] ?? []) if (message < lineage.messages) reached.add(message)
  for (const [from, to] of lineage.edges) {
    if (from === summary) for (const message of reachedFrom(lineage, to, seen)) reached.add(message)
  }
  return reached
}
