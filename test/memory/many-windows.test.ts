import { expect, it } from 'vitest'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { plainWindowsOf } from '#core/systems/records/window-entries.ts'
import { WindowSizes } from '#core/window/window-sizes.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'

const BUDGET = { budgetTokens: 100, freshTailCount: 1 }
/** So many conversations of each kind are more than are read by their entries. */
const OF_EACH = 170

const KINDS: readonly ((memory: TestMemory, id: number) => void)[] = [
  (memory, id) => memory.messages(id, [{ tokens: 7 }, { tokens: 9 }]),
  (memory, id) => memory.messages(id, [{ tokens: 60 }, { tokens: 70 }, { tokens: 5 }]),
  (memory, id) => memory.messages(id, [{ tokens: 8 }, { tokens: 0, content: 'Nobody counted these words.' }]),
  (memory, id) => memory.leaf(id, memory.messages(id, [{ tokens: 30 }, { tokens: 20 }]).slice(0, 1), { tokens: 3 }),
  (memory, id) =>
    memory.messages(id, [
      { tokens: 4 },
      { role: 'tool', tokens: 6, parts: [{ part_type: 'tool', tool_call_id: `call-${id}`, tool_output: 'No call.' }] },
    ]),
  (memory, id) => {
    const [first = 0] = memory.messages(id, [{ tokens: 11 }, { tokens: 12 }])
    memory.db.run(
      `INSERT INTO compaction_runs
         (run_id, conversation_id, reason, mode, summarizer, configuration, owner, started_at, tokens_before)
       VALUES (:run, :id, 'maintenance', 'prune', '', :configuration, '', 0, 0)`,
      {
        run: `prune-${id}`,
        id,
        configuration: JSON.stringify({ prune: { by: 'omission', newestSeq: 1, outputs: [[first, 0, 11, null]] } }),
      },
    )
  },
]

function manyConversations(): TestMemory {
  const memory = buildMemory()
  memory.db.transaction(() => {
    for (let number = 0; number < OF_EACH; number += 1) for (const fill of KINDS) fill(memory, memory.conversation())
  })
  return memory
}

const ids = Array.from({ length: OF_EACH * KINDS.length }, (_, place) => place + 1)

it('measures very many windows together as it measures few of them', () => {
  using memory = manyConversations()
  const sizes = new WindowSizes(memory.db, createTokenEstimator(), BUDGET)
  const half = ids.length / 2
  const few = new Map([...sizes.measure(ids.slice(0, half)), ...sizes.measure(ids.slice(half))])
  expect(new Set(ids.slice(0, KINDS.length).map((id) => JSON.stringify(few.get(id)))).size).toBe(KINDS.length)
  expect(sizes.measure(ids)).toEqual(few)
})

it('counts the entries of those windows that need no closer look, and only of many', () => {
  using memory = manyConversations()
  const plain = [...plainWindowsOf(memory.db, ids)]
  expect(new Set(plain.map(([id]) => (id - 1) % KINDS.length))).toEqual(new Set([0, 1, 5]))
  expect(plain.slice(0, 3)).toEqual([
    [1, 2, 16],
    [2, 3, 135],
    [6, 2, 23],
  ])
  expect([...plainWindowsOf(memory.db, ids.slice(0, 999))]).toEqual([])
})
