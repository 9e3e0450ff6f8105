import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { CompactInput } from '#core/contract/compaction.ts'
import { ConversationsInput } from '#core/contract/memory.ts'
import { WhatIfInput } from '#core/contract/what-if.ts'
import { openLcm } from '#core/lcm.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { lcmHere } from '#test/doors/cli/lcm.ts'
import { FIXTURES } from '#test/sqlite/fixtures.ts'
import { copyWithLedger, ended, line, lines } from '#test/systems/decapod-files.ts'
import { changedCopy } from '#test/systems/foreign-files.ts'
import { fired, resultOf, scanFile } from '../integrity/scan-file.ts'

let memory: TestMemory
afterEach(() => memory?.close())

const countOf = async (path: string, rule: string): Promise<number> => resultOf(await scanFile(path), rule).count

it('a tool call without a result is found before the newest message', async () => {
  memory = buildMemory()
  const call = { part_type: 'tool', tool_call_id: 'call_1', tool_name: 'bash', tool_input: '{}' } as const
  const conversation = memory.conversation()
  memory.message(conversation, { role: 'assistant', content: '', parts: [call] })
  expect(await countOf(memory.path, 'tool_call_unanswered')).toBe(0)
  memory.message(conversation, { role: 'user', content: 'Never mind.' })
  expect(await countOf(memory.path, 'tool_call_unanswered')).toBe(1)
})

it('a conversation above the threshold that was never compacted is found', async () => {
  memory = buildMemory()
  const conversation = memory.conversation()
  memory.message(conversation, { content: 'long '.repeat(10), tokens: 10_000_000 })
  expect(await countOf(memory.path, 'never_compacted')).toBe(1)
})

describe('a conversation of lossless-claw without any summary', () => {
  /** @param share of the budget that its messages are */
  const uncompacted = (share: number, requestedAt: string) =>
    changedCopy(join(FIXTURES, 'lossless-claw/small.db'), (db) =>
      db.exec(`DELETE FROM context_items; DELETE FROM summary_parents; DELETE FROM summary_messages; DELETE FROM summaries;
        INSERT INTO context_items (conversation_id, ordinal, item_type, message_id)
          SELECT 1, message_id - 1, 'message', message_id FROM messages;
        INSERT INTO conversation_compaction_maintenance
          (conversation_id, pending, requested_at, reason, running, token_budget)
          SELECT 1, 1, '${requestedAt}', 'threshold', 0, CAST(sum(token_count) / ${share} AS INTEGER) FROM messages`),
    )

  it('is judged by the budget that its file names, and its compaction that never began is named', async () => {
    const report = await scanFile(uncompacted(2, '2025-09-01 10:12:00'))
    const [never] = resultOf(report, 'never_compacted').samples
    expect(never?.detail).toMatch(/^[\d,]+ tokens, 200 % of the [\d,]+ that the file itself names$/)
    expect(resultOf(report, 'compaction_failing').samples[0]?.detail).toMatch(
      /^a compaction is pending since 2025-09-01 \([\d,]+ days\) and never began$/,
    )
  })

  it('is measured against that budget by lists, overviews, windows, decisions, what-ifs and commands alike', async () => {
    const path = uncompacted(2, '2025-09-01 10:12:00')
    const [never] = resultOf(await scanFile(path), 'never_compacted').samples
    const lcm = await openLcm(path, { readOnly: true })
    const [row] = lcm.stats.conversations()
    const budget = row?.ownBudgetTokens ?? 0
    expect(never?.detail).toContain(`of the ${budget.toLocaleString('en')} that the file itself names`)
    const share = (row?.contextTokens ?? 0) / budget
    expect(Math.floor(share * 100)).toBe(200)
    const page = lcm.stats.page(ConversationsInput.parse({ minPressure: 1.9, sort: 'pressure' }))
    const { conversation, budgetTokens } = lcm.stats.overview(1)
    const context = lcm.context.assemble({ conversationId: 1 })
    expect([row, ...page.conversations, conversation, context].map((one) => one?.pressure)).toEqual(
      [1, 2, 3, 4].map(() => share),
    )
    expect([budgetTokens, context.budget]).toEqual([budget, budget])
    expect([context.tokens, context.leftOutTokens]).toEqual([row?.contextTokens, 0])
    expect(lcm.context.assemble({ conversationId: 1, budgetTokens: 100_000 })).toMatchObject({ budget: 100_000 })
    const input = CompactInput.parse({ conversationId: 1 })
    const decision = lcm.planner.evaluate(input)
    const { decision: tried, pressureAfter, plan } = lcm.whatIf.ask(WhatIfInput.parse({ conversationId: 1 }))
    expect(tried).toEqual(decision)
    expect(decision).toMatchObject({
      budget,
      pressure: share,
      tokens: context.tokens,
      leftOutTokens: 0,
      urgency: 'hard',
    })
    expect(decision.triggers.map(({ limit }) => limit)).toEqual([0.75 * budget, budget, 0])
    expect(pressureAfter).toBe(plan.expectedTokensAfter / budget)
    const until = lcm.planner.plan({ ...input, mode: 'untilUnder', settings: { freshTailCount: 8 } })
    expect(until.steps).not.toEqual([])
    expect(lcm.planner.evaluate({ ...input, settings: { budgetTokens: 100_000 } })).toMatchObject({ budget: 100_000 })
    expect(lcm.whatIf.ask({ ...input, preset: 'argentos' }).decision).toMatchObject({ budget: 128_000 })
    await lcm.stats.measure()
    expect(lcm.stats.listed()[0]?.pressure).toBe(share)
    lcm.close()
    expect((await lcmHere(['stats', '--db', path])).stdout).toContain(`200 % of its own ${budget.toLocaleString('en')}`)
    expect((await lcmHere(['context', '--db', path])).stdout).toContain(
      `of ${budget.toLocaleString('en')} tokens (200 %)`,
    )
  })

  it('is in order below the threshold of that budget, and while its compaction was just asked for', async () => {
    const below = await scanFile(uncompacted(0.5, '2025-09-01 10:12:00'))
    expect(fired(below)).not.toContain('never_compacted')
    expect(fired(below)).not.toContain('compaction_failing')
    const now = await scanFile(uncompacted(2, new Date().toISOString()))
    expect(fired(now)).toContain('never_compacted')
    expect(fired(now)).not.toContain('compaction_failing')
  })
})

it('a native file of an older schema that is only read is found', async () => {
  memory = buildMemory()
  memory.message(memory.conversation())
  expect(await countOf(memory.path, 'schema_version')).toBe(0)
  const version = memory.db.value<number>('PRAGMA user_version') ?? 0
  memory.db.exec(`PRAGMA user_version = ${version - 1}`)
  expect(await countOf(memory.path, 'schema_version')).toBe(1)
})

it('time ranges that are shifted by an offset from UTC are found where a system writes them like that', async () => {
  const shifted = changedCopy(join(FIXTURES, 'lossless-claude/small.sqlite'), (db) =>
    db.exec(`UPDATE summaries SET earliest_at = strftime('%Y-%m-%dT%H:%M:%SZ', earliest_at, '+2 hours'),
      latest_at = strftime('%Y-%m-%dT%H:%M:%SZ', latest_at, '+2 hours')`),
  )
  expect(await countOf(shifted, 'time_range_shifted')).toBeGreaterThan(0)
})

it('an event that stands in a ledger twice is found', async () => {
  const [first = ''] = lines
  const path = copyWithLedger(ended([...lines, first]))
  expect(await countOf(path, 'ledger_duplicate_event')).toBe(1)
})

it('a line that is older than the one before it is found in a ledger', async () => {
  const path = copyWithLedger(ended(lines) + line('Said long ago.', { ts: '1000000000Z' }))
  expect(await countOf(path, 'ledger_time_order')).toBe(1)
})
