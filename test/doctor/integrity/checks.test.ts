import { afterEach, describe, expect, it } from 'vitest'
import type { IntegrityReport } from '#core/contract/integrity.ts'
import { rules } from '#core/doctor/rules/rules.ts'
import { Scanner } from '#core/doctor/scan/scanner.ts'
import { openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { checkMemory } from '#test/builders/check-memory.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'

let memory: TestMemory | undefined
afterEach(() => {
  memory?.close()
  memory = undefined
})

async function scan(path: string): Promise<IntegrityReport> {
  using lcm = await openLcm(path)
  return await checkMemory(lcm)
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

describe('the search index of a native file', () => {
  const findings = (report: IntegrityReport) => report.checks.find(({ id }) => id === 'fts_in_sync')?.samples
  const surplus = { id: null, detail: 'messages_fts has row 999, which does not exist' }
  const addRow = `INSERT INTO messages_fts (rowid, content) VALUES (999, 'nobody')`

  it('has a finding for a row that belongs to no message', async () => {
    const { memory } = sound()
    memory.damage(addRow, {})
    expect(findings(await scan(memory.path))).toMatchObject([surplus])
  })

  it('has two findings when it lacks one row and has another too many, although it has as many rows as its table', async () => {
    const { memory, messages } = sound()
    memory.damage(addRow, {})
    memory.damage(
      `INSERT INTO messages_fts (messages_fts, rowid, content, tool_input, tool_output, reasoning)
       SELECT 'delete', message_id, content, tool_input, tool_output, reasoning FROM message_text WHERE message_id = :id`,
      { id: messages[3] ?? 0 },
    )
    expect(findings(await scan(memory.path))).toMatchObject([{ detail: 'not in messages_fts' }, surplus])
  })
})

describe('a call that two messages name', () => {
  const nameCallIn = (role: string): TestMemory => {
    const { memory } = sound()
    const both = memory.db.column<number>('SELECT message_id FROM messages ORDER BY seq DESC LIMIT 2')
    for (const id of both) {
      memory.damage('UPDATE messages SET role = :role WHERE message_id = :id', { role, id })
      memory.damage(
        `INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, tool_call_id, tool_name)
         VALUES ('call ' || :id, :id, 's', 'tool', 5, 'call_1', 'read')`,
        { id },
      )
    }
    return memory
  }

  it('is a finding when both make it, without a result', async () => {
    expect(fired(await scan(nameCallIn('assistant').path))).toContain('tool_call_repeated')
  })

  it('is a finding when both are results of it, and no message makes it', async () => {
    expect(fired(await scan(nameCallIn('tool').path))).toContain('duplicate_tool_result')
  })
})

describe('a scan', () => {
  it('ends when it is cancelled', async () => {
    const { memory } = sound()
    using lcm = await openLcm(memory.path)
    const abort = new AbortController()
    const job = (await lcm.doctor()).integrity.run(undefined, abort.signal)
    await job.next()
    abort.abort()
    await expect(
      (async () => {
        for (;;) if ((await job.next()).done) return
      })(),
    ).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('refuses a conversation that does not exist', async () => {
    const { memory } = sound()
    using lcm = await openLcm(memory.path)
    const { read, info, settings, clock } = lcm
    const checker = new Scanner({
      db: read,
      info,
      settings: settings.compaction,
      clock,
      estimator: createTokenEstimator(),
    })
    await expect(checker.run(4242, new AbortController().signal).next()).rejects.toMatchObject({ code: 'not_found' })
  })
})
