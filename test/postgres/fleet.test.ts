import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FleetQuery, type FleetRow } from '#core/contract/fleet.ts'
import { FLEET_SORTS } from '#core/contract/lists.ts'
import { checkConversations, readFleet } from '#core/remote/fleet.ts'
import { sendMemory } from '#core/remote/send.ts'
import { runToEnd } from '#core/yielding.ts'
import { TestMemory } from '../builders/memory.ts'
import { type InProcess, inProcess } from './pglite.ts'

const never = new AbortController().signal
const BUDGET = 1000
const HOUR = 3_600_000
const TENANTS = ['acme', 'globex', 'initech']
let server: InProcess
let nowMs = 0

/** Three tenants with twelve conversations, of which one has an empty summary and one a run that failed. */
beforeAll(async () => {
  server = await inProcess()
  for (const [index, tenant] of TENANTS.entries()) {
    using memory = new TestMemory()
    for (let number = 0; number < 4; number += 1) {
      const conversation = memory.conversation({
        sessionId: `s${number}`,
        title: number === 0 ? null : `Work ${number}`,
      })
      const ids = memory.messages(conversation, 3 + number * (index + 1))
      if (number === 1) memory.leaf(conversation, ids.slice(0, 2), { content: tenant === 'acme' ? '  ' : 'A summary' })
    }
    await runToEnd(sendMemory({ from: memory.db, to: server.db, tenant }, never))
  }
  nowMs = Date.now()
})
afterAll(() => server.close())

const ask = (asked: Partial<FleetQuery> = {}, at = nowMs) =>
  readFleet(server.db, FleetQuery.parse(asked), { budgetTokens: BUDGET, nowMs: at })
const keyOf = ({ tenant, conversationId }: FleetRow) => `${tenant} ${conversationId}`

describe('the table of all conversations', () => {
  it('counts what the rows of each conversation say', async () => {
    const { conversations, total, totalIsExact } = await ask()
    expect([total, totalIsExact, conversations.length]).toEqual([12, true, 12])
    for (const row of conversations) {
      const [counted] = await server.db.read(row.tenant, (query) =>
        query<{ messages: number; tokens: number }>(
          'SELECT count(*)::int AS messages, sum(token_count)::int AS tokens FROM lcm.messages WHERE conversation_id = $1',
          [row.conversationId],
        ),
      )
      expect({ messages: row.messages, tokens: row.messageTokens }).toEqual(counted)
      expect(row.growthTokens).toBe(row.messageTokens)
      expect(row.pressure).toBe(row.windowTokens / BUDGET)
    }
    expect(new Set(conversations.map(({ label }) => label))).toEqual(new Set(['s0', 'Work 1', 'Work 2', 'Work 3']))
  })

  it.each(FLEET_SORTS)('is the same in pages of any size, sorted by %s', async (sort) => {
    const whole = (await ask({ sort })).conversations.map(keyOf)
    expect(new Set(whole).size).toBe(12)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 13 }), async (limit) => {
        const seen: string[] = []
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const page = await ask({ sort, limit, ...(cursor && { cursor }) })
          seen.push(...page.conversations.map(keyOf))
          cursor = page.nextCursor
        }
        expect(seen).toEqual(whole)
      }),
      { numRuns: 4 },
    )
  })

  it('refuses a cursor of another order', async () => {
    const { nextCursor } = await ask({ sort: 'messages', limit: 2 })
    await expect(ask({ sort: 'growth', cursor: nextCursor ?? '' })).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('is narrowed by tenant, title and pressure', async () => {
    expect((await ask({ tenant: 'globex' })).conversations.map(({ tenant }) => tenant)).toEqual(Array(4).fill('globex'))
    expect((await ask({ text: 'wORK 2' })).total).toBe(3)
    const all = (await ask()).conversations
    const middle = all[5]?.pressure ?? 0
    expect((await ask({ minPressure: middle })).total).toBe(all.filter(({ pressure }) => pressure >= middle).length)
  })
})

describe('alarms', () => {
  it('name conversations with empty summaries', async () => {
    const { conversations, alarms } = await ask({ alarm: 'empty_summaries' })
    expect(conversations).toMatchObject([{ tenant: 'acme', label: 'Work 1', alarms: ['empty_summaries'] }])
    expect(alarms.emptySummaries).toBe(1)
  })

  it('name tenants to which nothing was added for a while, and not those that ended long ago', async () => {
    expect((await ask()).alarms.stalledIngest).toEqual([])
    const later = await ask({ stalledAfterHours: 2, alarm: 'stalled_ingest' }, nowMs + 3 * HOUR)
    expect(later.alarms.stalledIngest.map(({ tenant }) => tenant).toSorted()).toEqual(TENANTS)
    expect(later.total).toBe(12)
    expect((await ask({}, nowMs + 8 * 24 * HOUR)).alarms.stalledIngest).toEqual([])
  })

  it('name a conversation whose last run failed, until a run succeeds', async () => {
    const [row] = (await ask({ tenant: 'initech', sort: 'messages' })).conversations
    const insert = (id: string, at: number, reason: string) =>
      server.db.write('initech', (query) =>
        query(
          `INSERT INTO lcm.compaction_runs (tenant_id, conversation_id, run_id, reason, mode, summarizer, configuration,
             owner, started_at, finished_at, tokens_before, stop_reason, model_input_tokens, model_output_tokens)
           VALUES ('initech', $1, $2, 'asked', 'full', 'deterministic', '{}', 'a test', $3, $3, 10, $4, 0, 0)`,
          [row?.conversationId, id, at, reason],
        ),
      )
    await insert('run_1', 1000, 'no_progress')
    const failing = await ask({ alarm: 'failing_compaction' })
    expect(failing.conversations).toMatchObject([{ failedRuns: 1, lastRunAtMs: 1000, alarms: ['failing_compaction'] }])
    expect(failing.alarms.failingCompaction).toBe(1)
    await insert('run_2', 2000, 'under_budget')
    expect((await ask({ alarm: 'failing_compaction' })).total).toBe(0)
    expect((await ask({ sort: 'failures', limit: 1 })).conversations).toMatchObject([{ failedRuns: 1, runs: 2 }])
  })
})

describe('a check of conversations', () => {
  it('stores findings with the sums, goes through what was never checked, and again through what was written since', async () => {
    const scanned: string[] = []
    const scan = async (path: string) => {
      scanned.push(path)
      return scanned.length
    }
    const check = (limit: number) =>
      runToEnd(checkConversations({ from: server.db, limit, tenant: 'acme', scan, now: () => 5000 }, never))
    expect(await check(3)).toBe(3)
    expect(await check(10)).toBe(1)
    expect(await check(10)).toBe(0)
    const { conversations } = await ask({ tenant: 'acme', sort: 'findings' })
    expect(conversations.map(({ findings }) => findings)).toEqual([4, 3, 2, 1])
    expect(conversations.every(({ isCheckCurrent, checkedAtMs }) => isCheckCurrent && checkedAtMs === 5000)).toBe(true)
    const id = conversations[0]?.conversationId
    await server.db.write('acme', (query) =>
      query('UPDATE lcm.conversations SET changes = changes + 1 WHERE conversation_id = $1', [id]),
    )
    expect((await ask({ tenant: 'acme', sort: 'findings', limit: 1 })).conversations).toMatchObject([
      { findings: 4, isCheckCurrent: false },
    ])
    expect(await check(10)).toBe(1)
  })
})
