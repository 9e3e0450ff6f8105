import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { IntegrityReport } from '#core/contract/integrity.ts'
import { GrepInput } from '#core/contract/retrieval.ts'
import { fixes, rulesOf } from '#core/doctor/rules/rules.ts'
import { openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import type { TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { coveredMessages, windowOf } from '#test/compaction/invariants.ts'
import { compactedMemory } from '../repair/compacted.ts'
import { apply, canonical, fired, plan, scan } from '../repair/doctor.ts'
import type { Pick } from './faults/compacted.ts'
import { compactedFaults, familiesWith } from './faults/families.ts'

let memory: TestMemory | undefined
afterEach(() => {
  memory?.close()
  memory = undefined
})

const chosenBy =
  (numbers: readonly number[]): Pick =>
  (list) => {
    used += 1
    return list[(numbers[used % numbers.length] ?? 0) % list.length] as (typeof list)[number]
  }
let used = 0

/** Every message is in a window or covered by it, exactly once. */
function expectAllReached(built: TestMemory): void {
  for (const conversation of built.conversationIds) {
    const reached = windowOf(built.db, conversation).flatMap((entry) =>
      entry.summaryId === null ? [entry.messageId] : coveredMessages(built.db, entry.summaryId),
    )
    const all = built.db.column<number>(
      'SELECT message_id FROM messages WHERE conversation_id = :c ORDER BY message_id',
      {
        c: conversation,
      },
    )
    expect(reached.toSorted((a, b) => Number(a) - Number(b))).toEqual(all)
  }
}

/** The index answers as a scan of the texts does. */
async function expectSearchable(path: string): Promise<void> {
  using lcm = await openLcm(path, { settings: readSettings({}) })
  for (const scope of ['messages', 'summaries'] as const) {
    const grep = (mode: 'full_text' | 'literal') =>
      lcm.retrieval.grep(GrepInput.parse({ query: 'retry', mode, scope, limit: 500 }), new AbortController().signal)
    const [indexed, naive] = [await grep('full_text'), await grep('literal')]
    const words = naive.hits.filter((hit) => /\bretry\b/i.test(hit.snippet)).map((hit) => hit.id)
    expect(indexed.hits.map((hit) => hit.id)).toEqual(expect.arrayContaining(words))
  }
}

/** @param found what a scan found before the repair */
async function expectRepaired(built: TestMemory, found: IntegrityReport): Promise<void> {
  const before = canonical(built.db)
  const counts = new Map(found.checks.map((check) => [check.id, check.count]))
  const { steps } = await plan(built.path)
  const ids = steps.filter((step) => step.risk !== 'manual').map((step) => step.id)
  const result = await apply(built.path, ids)
  expect(result.rolledBack).toBeNull()
  expect(result.skipped).toEqual([])
  const report = await scan(built.path)
  expect(fired(report)).toEqual([])
  expect(
    report.checks.filter((check) => check.count > (counts.get(check.id) ?? 0) && check.severity !== 'info'),
  ).toEqual([])
  expect(canonical(built.db)).toBe(before)
  expectAllReached(built)
}

it('a compacted memory has no findings before it is damaged', async () => {
  memory = await compactedMemory({ seed: 7 })
  expect(fired(await scan(memory.path))).toEqual([])
})

describe.each(familiesWith(({ compacted }) => compacted))('the rules of $family', ({ faults }) => {
  it.each(faults)('find $name ($rule), and the plan settles it', async ({ rule, inject }) => {
    used = 0
    memory = await compactedMemory({ seed: 7 })
    expect(inject(memory, chosenBy([3, 1, 4, 1, 5, 9]))).toBe(true)
    const found = await scan(memory.path)
    expect(fired(found)).toContain(rule)
    await expectRepaired(memory, found)
    await expectSearchable(memory.path)
  })
})

/** Fixes whose faults are no part of a compacted memory, by the test that puts them to the proof. */
const PROVED_ELSEWHERE: Readonly<Record<string, string>> = {
  deterministic_summary: 'Only ArgentOS writes such texts. test/doctor/integrity/fixtures.test.ts finds them.',
  duplicate_edge:
    'The keys of a native file refuse it. test/doctor/repair/apply.test.ts plans it for a file without keys.',
  index_damaged: 'It takes damaged pages. test/doctor/repair/damaged-index.test.ts makes them.',
  duplicate_message:
    'What it takes out of a window is reached no more. test/doctor/repair/stored-twice.test.ts has it done.',
  file_size: 'It takes a file on disk. test/doctor/repair/apply.test.ts makes one.',
  ordinal_duplicate: 'As duplicate_edge.',
}

it('every fix settles the finding of a seeded fault here, or in the test that is named for it', () => {
  const damaged = new Set(compactedFaults.map(({ rule }) => rule))
  const unproved = fixes.filter((fix) => !rulesOf(fix).some(({ id }) => damaged.has(id)))
  expect(unproved.map(({ name }) => name).toSorted()).toEqual(Object.keys(PROVED_ELSEWHERE).toSorted())
})

// "Every repair: before, the check fires; after, it does not, and no canonical row changed."
it('the steps of one plan settle faults of several families at once', async () => {
  const combination = fc.record({
    // Making a compacted memory takes longer than repairing it: a few serve all combinations.
    seed: fc.nat(3),
    picks: fc.array(fc.nat(1000), { minLength: 4, maxLength: 8 }),
    chosen: fc.uniqueArray(fc.nat(compactedFaults.length - 1), { minLength: 2, maxLength: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(combination, async ({ seed, picks, chosen }) => {
      used = 0
      const built = await compactedMemory({ seed })
      try {
        for (const index of chosen) compactedFaults[index]?.inject(built, chosenBy(picks))
        const found = await scan(built.path)
        if (fired(found).length > 0) await expectRepaired(built, found)
      } finally {
        built.close()
      }
    }),
    { numRuns: runs(8) },
  )
})
