import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { IntegrityReport } from '../../core/contract/integrity.ts'
import { GrepInput } from '../../core/contract/retrieval.ts'
import { openLcm } from '../../core/lcm.ts'
import { readSettings } from '../../core/settings/settings.ts'
import type { TestMemory } from '../builders/memory.ts'
import { runs } from '../builders/property-runs.ts'
import { messagesBeneath, windowOf } from '../compaction/invariants.ts'
import { compactedMemory } from './compacted.ts'
import { apply, canonical, fired, plan, scan } from './doctor.ts'
import { faults, type Pick } from './faults.ts'

let memory: TestMemory | undefined
afterEach(() => {
  memory?.close()
  memory = undefined
})

const RUNS = runs(8)

const chosenBy =
  (numbers: readonly number[]): Pick =>
  (list) => {
    used += 1
    return list[(numbers[used % numbers.length] ?? 0) % list.length] as (typeof list)[number]
  }
let used = 0

/** Every message is in a window or beneath what is, and each only once. */
function expectAllReached(built: TestMemory): void {
  for (const conversation of built.conversationIds) {
    const reached = windowOf(built.db, conversation).flatMap((entry) =>
      entry.summaryId === null ? [entry.messageId] : messagesBeneath(built.db, entry.summaryId),
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
  const lcm = openLcm(path, { settings: readSettings({}) })
  try {
    for (const scope of ['messages', 'summaries'] as const) {
      const grep = (mode: 'full_text' | 'literal') =>
        lcm.retrieval.grep(GrepInput.parse({ query: 'retry', mode, scope, limit: 500 }), new AbortController().signal)
      const [indexed, naive] = [await grep('full_text'), await grep('literal')]
      const words = naive.hits.filter((hit) => /\bretry\b/i.test(hit.snippet)).map((hit) => hit.id)
      expect(indexed.hits.map((hit) => hit.id)).toEqual(expect.arrayContaining(words))
    }
  } finally {
    lcm.close()
  }
}

/** @param found what the checks said before the repair */
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

describe('a fault of any family', () => {
  it('is in none of these memories before', async () => {
    memory = await compactedMemory({ seed: 7 })
    expect(fired(await scan(memory.path))).toEqual([])
  })

  it.each(faults)('$name: the check fires, and no check does after the repair', async ({ check, inject }) => {
    used = 0
    memory = await compactedMemory({ seed: 7 })
    expect(inject(memory, chosenBy([3, 1, 4, 1, 5, 9]))).toBe(true)
    const found = await scan(memory.path)
    expect(fired(found)).toContain(check)
    await expectRepaired(memory, found)
    await expectSearchable(memory.path)
  })
})

// "Every repair: before, the check fires; after, it does not, and no canonical row changed."
describe('faults of several families at once', () => {
  it('are all settled by the steps of one plan', { timeout: 120_000 * Math.max(1, RUNS / 8) }, async () => {
    const combination = fc.record({
      // Making a compacted memory takes longer than repairing it: a few serve all combinations.
      seed: fc.nat(3),
      picks: fc.array(fc.nat(1000), { minLength: 4, maxLength: 8 }),
      chosen: fc.uniqueArray(fc.nat(faults.length - 1), { minLength: 2, maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(combination, async ({ seed, picks, chosen }) => {
        used = 0
        const built = await compactedMemory({ seed })
        try {
          for (const index of chosen) faults[index]?.inject(built, chosenBy(picks))
          const found = await scan(built.path)
          if (fired(found).length > 0) await expectRepaired(built, found)
        } finally {
          built.close()
        }
      }),
      { numRuns: RUNS },
    )
  })
})
