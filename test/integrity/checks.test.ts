import { afterEach, describe, expect, it } from 'vitest'
import type { IntegrityReport } from '../../core/contract/integrity.ts'
import { rules } from '../../core/doctor/rules/rules.ts'
import { Scanner } from '../../core/doctor/scan/scanner.ts'
import { openLcm } from '../../core/lcm.ts'
import { createTokenEstimator } from '../../core/models/token-estimator.ts'
import { buildMemory, STORY_BEGINS_MS, type TestMemory } from '../builders/memory.ts'

let memory: TestMemory | undefined
afterEach(() => {
  memory?.close()
  memory = undefined
})

async function scan(path: string): Promise<IntegrityReport> {
  const lcm = await openLcm(path)
  try {
    const job = lcm.integrity.run(undefined, new AbortController().signal)
    for (;;) {
      const step = await job.next()
      if (step.done) return step.value
    }
  } finally {
    lcm.close()
  }
}

/** Rules that found something which follows from no other finding. */
const unexplained = (report: IntegrityReport): string[] =>
  report.checks.filter(({ count, consequenceOf }) => count > 0 && consequenceOf?.length === 0).map(({ id }) => id)

const fired = (report: IntegrityReport): string[] =>
  report.checks
    .filter((check) => check.count > 0)
    .map((check) => check.id)
    .toSorted()

/** 24 messages; leaves over 0–5, 6–11, 12–17, the first two condensed; six raw messages as the fresh tail. */
function sound() {
  const built = buildMemory()
  memory = built
  const conversation = built.conversation()
  const messages = built.messages(conversation, 24)
  const leaf = (from: number): string =>
    built.leaf(conversation, messages.slice(from, from + 6), { content: `Leaf ${from}.`, tokens: 3 })
  const leaves = [leaf(0), leaf(6), leaf(12)]
  const condensed = built.condensed(conversation, leaves.slice(0, 2), {
    content: 'Both.',
    tokens: 2,
  })
  return { memory: built, conversation, messages, leaves, condensed }
}

describe('a sound memory', () => {
  it('has no finding', async () => {
    const { memory } = sound()
    const report = await scan(memory.path)
    expect(fired(report)).toEqual([])
    expect(report.ok).toBe(true)
  })

  it('is checked by every rule', async () => {
    const { memory } = sound()
    const report = await scan(memory.path)
    expect(report.checks).toHaveLength(rules.length)
  })
})

type Fault = {
  readonly name: string
  readonly fires: string
  readonly inject: (at: ReturnType<typeof sound>) => void
}

/** Each fault with the rule that finds it. Whatever else is found has to be declared as a consequence of that. */
const faults: readonly Fault[] = [
  {
    name: 'a leaf that lost its links',
    fires: 'summary_without_source',
    inject: ({ memory, leaves }) =>
      memory.damage('DELETE FROM summary_messages WHERE summary_id = :s', { s: leaves[2] ?? '' }),
  },
  {
    name: 'a condensed node that calls itself a leaf',
    fires: 'kind_mismatch',
    inject: ({ memory, condensed }) =>
      memory.damage("UPDATE summaries SET kind = 'leaf' WHERE summary_id = :s", { s: condensed }),
  },
  {
    name: 'a source that was deleted',
    fires: 'dangling_edge',
    inject: ({ memory, leaves }) =>
      memory.damage('DELETE FROM summaries WHERE summary_id = :s', { s: leaves[0] ?? '' }),
  },
  {
    name: 'a summary made from itself',
    fires: 'lineage_cycle',
    inject: ({ memory, condensed }) =>
      memory.damage('INSERT INTO summary_sources VALUES (:s, :s, 2)', { s: condensed }),
  },
  {
    name: 'a wrong depth',
    fires: 'depth_mismatch',
    inject: ({ memory, condensed }) =>
      memory.damage('UPDATE summaries SET depth = 4 WHERE summary_id = :s', { s: condensed }),
  },
  {
    name: 'a summary nobody leads to',
    fires: 'orphan_summary',
    inject: ({ memory, leaves }) =>
      memory.damage('DELETE FROM context_items WHERE summary_id = :s', { s: leaves[2] ?? '' }),
  },
  {
    name: 'a message under two leaves that stand apart',
    fires: 'double_coverage',
    inject: ({ memory, leaves, messages }) =>
      memory.damage('INSERT INTO summary_messages VALUES (:s, :m, 6)', { s: leaves[1] ?? '', m: messages[12] ?? 0 }),
  },
  {
    name: 'messages linked in the wrong order',
    fires: 'source_order',
    inject: ({ memory, leaves }) =>
      memory.damage('UPDATE summary_messages SET ordinal = 5 - ordinal WHERE summary_id = :s', { s: leaves[2] ?? '' }),
  },
  {
    name: 'a message that fell out of the window',
    fires: 'coverage_gap',
    inject: ({ memory, messages }) =>
      memory.damage('DELETE FROM context_items WHERE message_id = :m', { m: messages[20] ?? 0 }),
  },
  {
    name: 'a window item that names nothing',
    fires: 'dangling_item',
    inject: ({ memory, conversation }) =>
      memory.damage("INSERT INTO context_items VALUES (:c, 900, 'message', 99999, NULL, 0)", { c: conversation }),
  },
  {
    name: 'a window in the wrong order',
    fires: 'context_order',
    inject: ({ memory, condensed }) =>
      memory.damage('UPDATE context_items SET ordinal = ordinal + 10000 WHERE summary_id = :s', { s: condensed }),
  },
  {
    name: 'a leaf in the window beside its dependent',
    fires: 'double_inclusion',
    inject: ({ memory, conversation, leaves }) => {
      const condensedAt = memory.db.value<number>('SELECT min(ordinal) FROM context_items') ?? 0
      memory.damage('UPDATE context_items SET ordinal = ordinal + 10000 WHERE ordinal > :at', { at: condensedAt })
      memory.damage("INSERT INTO context_items VALUES (:c, :at, 'summary', NULL, :s, 0)", {
        c: conversation,
        at: condensedAt + 1,
        s: leaves[1] ?? '',
      })
    },
  },
  {
    name: 'a fresh tail that was compacted',
    fires: 'fresh_tail_compacted',
    inject: ({ memory, conversation, messages }) => {
      memory.leaf(conversation, messages.slice(18), { content: 'Tail.', tokens: 3 })
    },
  },
  {
    name: 'a text that was changed',
    fires: 'content_hash',
    inject: ({ memory, messages }) =>
      memory.damage("UPDATE messages SET content = 'forged' WHERE message_id = :m", { m: messages[3] ?? 0 }),
  },
  {
    name: 'a lock whose owner died',
    fires: 'stale_lock',
    inject: ({ memory, conversation }) =>
      memory.damage("INSERT INTO conversation_locks VALUES (:c, 'gone', 0, :until)", {
        c: conversation,
        until: STORY_BEGINS_MS,
      }),
  },
]

describe('a seeded fault', () => {
  it.each(faults)(
    'is found by its rule and by no other, except for what follows from it: $name',
    async ({ fires, inject }) => {
      const at = sound()
      inject(at)
      const report = await scan(at.memory.path)
      expect(unexplained(report)).toEqual([fires])
      expect(report.ok).toBe(false)
    },
  )
})

describe('the number of descendants on a cycle', () => {
  const circle = (stored: number | null) => {
    const at = sound()
    const { memory, condensed, leaves } = at
    memory.damage('INSERT INTO summary_sources VALUES (:leaf, :node, 1)', { leaf: leaves[0] ?? '', node: condensed })
    if (stored !== null)
      memory.damage('UPDATE summaries SET descendant_count = :stored WHERE summary_id = :s', { stored, s: condensed })
    return at
  }

  it('is no finding of its own when it could be right without the cycle', async () => {
    expect(unexplained(await scan(circle(null).memory.path))).toEqual(['lineage_cycle'])
  })

  it('is a finding with its possible values when no cut of the cycle makes it right', async () => {
    const { memory, condensed } = circle(40)
    const report = await scan(memory.path)
    expect(unexplained(report).toSorted()).toEqual(['descendant_count', 'lineage_cycle'])
    expect(report.checks.find(({ id }) => id === 'descendant_count')?.samples).toMatchObject([
      {
        id: condensed,
        detail: 'stores 40 descendants; it stands in a circle, and without it there are between 1 and 2',
      },
    ])
  })
})

describe('a scan', () => {
  it('ends when it is cancelled', async () => {
    const { memory } = sound()
    const lcm = await openLcm(memory.path)
    const abort = new AbortController()
    const job = lcm.integrity.run(undefined, abort.signal)
    await job.next()
    abort.abort()
    await expect(
      (async () => {
        for (;;) if ((await job.next()).done) return
      })(),
    ).rejects.toMatchObject({ code: 'cancelled' })
    lcm.close()
  })

  it('refuses a conversation that does not exist', async () => {
    const { memory } = sound()
    const lcm = await openLcm(memory.path)
    const { read, info, settings, clock } = lcm
    const checker = new Scanner({
      db: read,
      info,
      settings: settings.compaction,
      clock,
      estimator: createTokenEstimator(),
    })
    await expect(checker.run(4242, new AbortController().signal).next()).rejects.toMatchObject({ code: 'not_found' })
    lcm.close()
  })
})
