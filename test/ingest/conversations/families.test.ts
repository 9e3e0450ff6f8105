import { expect, it } from 'vitest'
import { ConversationsInput } from '#core/contract/memory.ts'
import { openLcm } from '#core/lcm.ts'
import { TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { writeLines } from '#test/builders/transcript-rows.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 10, 28, 4, 0, second)).toISOString()
const said = (id: number, parent: number | null, role: string, usage?: unknown) => ({
  type: 'message',
  id: `e${id}`,
  parentId: parent === null ? null : `e${parent}`,
  timestamp: at(id),
  message: { role, content: [{ type: 'text', text: `words ${id}` }], ...(usage ? { usage } : {}) },
})
const header = (id: string, second: number, more: object = {}) => ({
  ...{ type: 'session', version: 3, id, timestamp: at(second), cwd: '/' },
  ...more,
})

it('a fork stands below what it was forked from, and what both have counts once', async () => {
  using memory = buildMemory()
  const folder = temporaryFolder()
  const usage = { input: 10, output: 5, cacheRead: 90, cost: { total: 0.5 } }
  const shared = [said(1, null, 'user'), said(2, 1, 'assistant', usage)]
  const parentSession = '/x/2026_pi-1.jsonl'
  const fork = [header('pi-2', 10, { parentSession }), ...shared, said(11, 2, 'assistant', usage)]
  for (const path of [
    writeLines([header('pi-1', 0), ...shared], '2026_pi-1.jsonl', folder),
    writeLines(fork, 'b.jsonl', folder),
  ])
    await importOne(memory.db, path)
  using lcm = await openLcm(memory.path)
  const family = await lcm.families.of(2)
  expect(family.members.map(({ conversationId, relation, depth }) => [conversationId, relation, depth])).toEqual([
    [1, null, 0],
    [2, 'fork', 1],
  ])
  expect(family).toMatchObject({ messages: 3, usage: { steps: 2, inputTokens: 200, cachedTokens: 180, cost: 1 } })
  const asked = { families: true, limit: 1 }
  const first = lcm.stats.page(ConversationsInput.parse(asked))
  const second = lcm.stats.page(ConversationsInput.parse({ ...asked, cursor: first.nextCursor ?? undefined }))
  const rows = [...first.conversations, ...second.conversations]
  expect(rows.map(({ conversationId, family }) => [conversationId, family])).toEqual([
    [1, undefined],
    [2, { relation: 'fork', depth: 1 }],
  ])
  expect(second.nextCursor).toBeNull()
})

it('counts what a sub-agent or a fork of Codex says in the same words as the session that it came from', async () => {
  using memory = buildMemory()
  const folder = temporaryFolder()
  const line = (ordinal: number, second: number, type: string, payload: object) => ({
    ...{ ordinal, timestamp: at(second), type, payload },
  })
  const spoken = (ordinal: number, second: number, role: string, text: string) =>
    line(ordinal, second, 'response_item', {
      ...{ type: 'message', role },
      content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
    })
  const session = (id: string, second: number, more: object) => [
    line(0, second, 'session_meta', { id, timestamp: at(second), cwd: '/', cli_version: '0.171.0', ...more }),
    spoken(1, second, 'user', 'goes on'),
    spoken(2, second + 1, 'assistant', 'Done.'),
  ]
  const [one, two, three] = [1, 2, 3].map((n) => `01a2206a-7912-73a3-b254-86400000000${n}`) as [string, string, string]
  const source = { subagent: { thread_spawn: { parent_thread_id: one, depth: 1 } } }
  for (const [id, second, more] of [
    [one, 0, {}],
    [two, 10, { parent_thread_id: one, source }],
    [three, 20, { forked_from_id: one, forked_from_ordinal_exclusive: 3 }],
  ] as const)
    await importOne(memory.db, writeLines(session(id, second, more), `rollout-2026-11-28T04-00-00-${id}.jsonl`, folder))
  using lcm = await openLcm(memory.path)
  const { members, messages } = await lcm.families.of(1)
  expect(members.map(({ relation, messages, copies }) => [relation, messages, copies])).toEqual([
    [null, 2, 0],
    ['sub-agent', 2, 0],
    ['fork', 2, 0],
  ])
  expect(messages).toBe(6)
})

it('a session of Claude Code costs what its last account says', async () => {
  using memory = buildMemory()
  const story = new TranscriptBuilder()
  story.user('words')
  for (const totalCostUSD of [0.1, 0.25])
    story.raw({ type: 'cost-state', sessionId: '11111111-2222-4333-8444-555555555555', totalCostUSD })
  await importOne(memory.db, story.write())
  using lcm = await openLcm(memory.path)
  expect((await lcm.families.of(1)).usage.cost).toBe(0.25)
  expect((await lcm.stats.totals()).cost).toBe(0.25)
})

it.each([
  ['what came since, because its account goes on from that of its parent', 'its account', 0.25],
  ['what its account says, when the Agent SDK made it, because that account begins at 0', 'copies with own ids', 0.75],
])('a fork of Claude Code costs %s', async (_, kind, expected) => {
  using memory = buildMemory()
  const folder = temporaryFolder()
  const sessionId = '11111111-2222-4333-8444-555555555555'
  const cost = (totalCostUSD: number, of = sessionId) => ({ type: 'cost-state', sessionId: of, totalCostUSD })
  const story = new TranscriptBuilder()
  story.user('one')
  const last = story.answer('msg_1', [text('answer one')])
  const fork = new TranscriptBuilder('fork')
  const named = (id: string | null): string | null => (kind === 'copies with own ids' && id ? `copy of ${id}` : id)
  for (const line of story.lines) {
    const { uuid, parentUuid, ...record } = JSON.parse(line)
    const ids = { uuid: named(uuid), parentUuid: named(parentUuid), forkedFrom: { sessionId, messageUuid: uuid } }
    fork.raw({ ...record, ...ids, requestSessionId: sessionId, sessionId: 'fork' })
  }
  story.raw(cost(0.5))
  story.user('two', { parentUuid: last })
  story.answer('msg_2', [text('answer two')])
  story.raw(cost(2))
  fork.user('three', { parentUuid: named(last) })
  fork.answer('msg_3', [text('answer three')])
  fork.raw(cost(0.75, 'fork'))
  for (const path of [fork.write('b.jsonl', folder), story.write('a.jsonl', folder)]) await importOne(memory.db, path)
  using lcm = await openLcm(memory.path)
  const family = await lcm.families.of(1)
  expect(Object.fromEntries(family.members.map(({ relation, usage }) => [relation ?? 'first', usage.cost]))).toEqual({
    first: 2,
    fork: expected,
  })
  expect((await lcm.stats.totals()).cost).toBe(2 + expected)
})

it('a list of families has each conversation once, also where two name each other as what they came from', async () => {
  using memory = buildMemory()
  let parent: number | null = null
  for (let n = 0; n < 300; n += 1) parent = memory.conversation({ parentConversationId: parent, messages: [] })
  memory.db.run('UPDATE conversations SET parent_conversation_id = 300 WHERE conversation_id = 299')
  using lcm = await openLcm(memory.path)
  const { conversations } = lcm.stats.page(ConversationsInput.parse({ families: true, limit: 500 }))
  expect(new Set(conversations.map(({ conversationId }) => conversationId)).size).toBe(300)
  expect(conversations).toHaveLength(300)
})
