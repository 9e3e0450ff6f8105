import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Tools } from '#core/agents/tools/tools.ts'
import { lostByKind } from '#core/contract/lists.ts'
import { LossInput } from '#core/contract/trace.ts'
import { lossText } from '#core/doors/cli/commands/trace-commands.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { lossMarkdown } from '#renderer/features/start/loss-report.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'

const Answer = z.object({
  conversationId: z.int(),
  dropped: z.array(
    z.object({ kind: z.string(), text: z.string(), messageId: z.string(), atSummary: z.string().nullable() }),
  ),
  changed: z.array(z.unknown()),
  droppedTotal: z.int(),
})
const AFTER = Date.UTC(2027, 0, 1)
let memory: TestMemory
let lcm: Lcm

beforeAll(async () => {
  memory = buildMemory({
    conversations: [
      { messages: ['We decided to use port 8123 for QuotaServer.', 'Good.', 'And now?'] },
      { messages: ['The secret plan is in src/secret/plan.ts.', 'Yes.', 'Go on.'] },
    ],
  })
  memory.leaf(1, [1, 2], { content: 'They talked.', id: 'sum_one', atMs: AFTER })
  memory.leaf(2, [4, 5], { content: 'They talked, too.', id: 'sum_two', atMs: AFTER + 1 })
  lcm = await openLcm(memory.path, { readOnly: true })
})
afterAll(() => {
  lcm.close()
  memory.close()
})

const call = async (tools: Tools, given: object) =>
  Answer.parse(await tools.call('lcm_loss', given, new AbortController().signal))
const all = () => new Tools(async () => lcm, { kind: 'all' })

describe('the tool lcm_loss', () => {
  it('lists what the last compaction took from the window, with ids and decisions first', async () => {
    const { dropped, droppedTotal } = await call(all(), { conversationId: 1 })
    expect(dropped.map(({ kind, text, messageId, atSummary }) => [kind, text, messageId, atSummary])).toEqual([
      ['decision', 'We decided to use port 8123 for QuotaServer.', 'msg_1', 'sum_one'],
      ['number', '8123', 'msg_1', 'sum_one'],
      ['id', 'QuotaServer', 'msg_1', 'sum_one'],
    ])
    expect(droppedTotal).toBe(3)
    expect((await call(all(), { conversationId: 1, limit: 1 })).dropped.length).toBe(1)
  })

  it('gives a dropped decision before a changed number, also where only one of them fits', async () => {
    using other = buildMemory({
      conversations: [
        { messages: ['The gate listens on port 8123.', 'We decided to keep the ledger in SQLite.', 'And now?'] },
      ],
    })
    other.leaf(1, [1, 2], { content: 'The gate listens on port 9000.', id: 'sum_one', atMs: AFTER })
    using own = await openLcm(other.path, { readOnly: true })
    const tools = new Tools(async () => own, { kind: 'all' })
    const { dropped, changed } = await call(tools, { conversationId: 1, limit: 1 })
    expect([dropped.map(({ kind }) => kind), changed]).toEqual([['decision'], []])
    expect((await call(tools, { conversationId: 1, limit: 50 })).changed).toMatchObject([{ text: '8123' }])
    const report = await own.losses.report(LossInput.parse({ conversationId: 1 }))
    expect(lostByKind(report).map(({ state, detail }) => [detail.kind, state])).toEqual([
      ['decision', 'dropped'],
      ['number', 'changed'],
      ['name', 'dropped'],
    ])
    expect(lossText(report)).toMatch(/^decision {4}dropped {2}We decided.*\nnumber {6}changed {2}8123/)
    expect(lossMarkdown(report, 'gate')).toMatch(/- decision: We decided.*\n- number: 8123/)
  })

  it('takes a message, a run or a time as the moment since which it looks', async () => {
    expect((await call(all(), { conversationId: 1, since: 'msg_3' })).droppedTotal).toBe(3)
    expect((await call(all(), { conversationId: 1, since: '2027-06-01' })).droppedTotal).toBe(0)
    await expect(call(all(), { conversationId: 1, since: 'yesterday' })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
  })

  it('tells nothing of another conversation than the one that may be read', async () => {
    const one = new Tools(async () => lcm, { kind: 'conversation', conversationId: 1 })
    const answer = await call(one, {})
    expect(answer.conversationId).toBe(1)
    expect(JSON.stringify(answer)).not.toContain('secret')
    await expect(call(one, { conversationId: 2 })).rejects.toMatchObject({ code: 'grant_scope' })
  })
})
