import { describe, expect, it } from 'vitest'
import { CompactionPlanner } from '#core/compaction/compaction-planner.ts'
import { WhatIfPlanner } from '#core/compaction/what-if.ts'
import { CompactInput } from '#core/contract/compaction.ts'
import { ProbeInput } from '#core/contract/probe.ts'
import { openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { statedCosts } from '#core/systems/records/stated-costs.ts'
import { KeptWindow } from '#core/window/kept-window.ts'
import { WindowSizes } from '#core/window/window-sizes.ts'
import { SESSION, TranscriptBuilder, text } from '#test/builders/claude-code.ts'
import { compare } from '#test/builders/coverage.ts'
import { findings } from '#test/builders/findings.ts'
import { importOne } from '#test/builders/import.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { sentWindow } from '#test/builders/sent-window.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { dump, told, writeLines } from '#test/builders/transcript-rows.ts'
import { compact } from '#test/compaction/run-compaction.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 10, 28, 4, 0, second)).toISOString()

/** Imports files one after the other, twice, and checks the memory. */
async function imported(paths: readonly string[]): Promise<TestMemory> {
  const memory = buildMemory()
  for (const path of paths) expect(await importOne(memory.db, path)).toMatchObject({ error: null, conflicts: 0 })
  const before = dump(memory)
  for (const path of paths) expect(await importOne(memory.db, path)).toMatchObject({ added: 0, conflicts: 0 })
  expect(dump(memory)).toEqual(before)
  expect(await findings(memory.path)).toEqual([])
  expectSizes(memory)
  return memory
}

/** The list of conversations says the same of a window as the window itself. */
function expectSizes(memory: TestMemory): void {
  const { db } = memory
  const sizes = new WindowSizes(db, createTokenEstimator(), readSettings({}).compaction)
  type Row = { id: number; session: string }
  for (const { id, session } of db.all<Row>('SELECT conversation_id AS id, session_id AS session FROM conversations')) {
    expect(sizes.measure([id]).get(id)?.activeTokens).toBe(sentWindow(memory, session).context.activeTokens)
  }
}

/** Sessions with that from which each was forked. */
const parentsIn = ({ db }: TestMemory): (readonly [string, string | null])[] =>
  db
    .all<{ session: string; parent: string | null }>(
      `SELECT c.session_id AS session, p.session_id AS parent FROM conversations AS c
       LEFT JOIN conversations AS p ON p.conversation_id = c.parent_conversation_id ORDER BY c.session_id`,
    )
    .map(({ session, parent }) => [session, parent])

const orders = <T>(parent: T, fork: T): readonly (readonly [string, readonly T[]])[] => [
  ['the parent first', [parent, fork]],
  ['the fork first', [fork, parent]],
]

describe('a fork of Codex without copies', () => {
  const line = (type: string, payload: unknown, ordinal: number) => ({ timestamp: at(ordinal), ordinal, type, payload })
  const said = (role: string, words: string, ordinal: number) =>
    line('response_item', { type: 'message', role, content: [{ type: 'text', text: words }] }, ordinal)
  const files = (cut: number, more: readonly unknown[] = []) => {
    const folder = temporaryFolder()
    const parent = [
      line('session_meta', { id: 'parent' }, 0),
      said('user', 'one', 1),
      said('assistant', 'answer one', 2),
      said('user', 'two', 3),
      said('assistant', 'answer two', 4),
    ]
    const meta = { id: 'fork', forked_from_id: 'parent', forked_from_ordinal_exclusive: cut }
    const fork = [line('session_meta', meta, 10), said('user', 'own', 11), said('assistant', 'own answer', 12), ...more]
    return [writeLines(parent, 'parent.jsonl', folder), writeLines(fork, 'fork.jsonl', folder)] as const
  }

  it.each(orders(0, 1))('begins with what its parent had at the cut, %s', async (_, order) => {
    for (const [cut, begin] of [
      [5, ['one', 'answer one', 'two', 'answer two']],
      [3, ['one', 'answer one']],
      [0, []],
    ] as const) {
      const paths = files(cut)
      using memory = await imported(order.map((index) => paths[index] as string))
      expect(sentWindow(memory, 'fork').texts).toEqual([...begin, 'own', 'own answer'])
      expect(told(memory, 'fork')).toEqual(['user: own', 'assistant: own answer'])
      expect(sentWindow(memory, 'parent').texts).toEqual(['one', 'answer one', 'two', 'answer two'])
    }
  })

  it('names the conversation of each item that it sees and does not have', async () => {
    using memory = await imported(files(3))
    const items = sentWindow(memory, 'fork').context.items
    expect(items.map(({ conversationId }) => conversationId)).toEqual([1, 1, undefined, undefined])
  })

  it.each(orders(0, 1))('sees nothing more of its parent after a compaction of its own, %s', async (_, order) => {
    const compacted = line('compacted', { message: 'Told so far.', replacement_history: [] }, 13)
    const paths = files(5, [compacted, said('user', 'after', 14)])
    using memory = await imported(order.map((index) => paths[index] as string))
    const texts = sentWindow(memory, 'fork').texts.map((words) => (words.includes('Told so far.') ? 'summary' : words))
    expect(texts).toEqual(['summary', 'after'])
  })
})

describe('the window of a fork', () => {
  const words = 'The harbour office is leased until 30 June 2028, as we decided with the owner in the meeting.'
  const line = (type: string, payload: unknown, ordinal: number) => ({ timestamp: at(ordinal), ordinal, type, payload })
  const said = (role: string, text: string, ordinal: number) =>
    line('response_item', { type: 'message', role, content: [{ type: 'text', text }] }, ordinal)
  const files = (): string[] => {
    const folder = temporaryFolder()
    const parent = [line('session_meta', { id: 'parent' }, 0), said('user', words, 1), said('assistant', 'noted', 2)]
    const meta = { id: 'fork', forked_from_id: 'parent', forked_from_ordinal_exclusive: 3 }
    const own = Array.from({ length: 14 }, (_, turn) =>
      said(turn % 2 ? 'assistant' : 'user', `own words ${turn}`, 11 + turn),
    )
    return [
      writeLines(parent, 'parent.jsonl', folder),
      writeLines([line('session_meta', meta, 10), ...own], 'fork.jsonl', folder),
    ]
  }
  const settings = { freshTailCount: 2, minMessagesToCompact: 1, leafChunkTokens: 1000 }

  it('counts in what triggers a compaction, in what-if and in a plan, which says what it leaves alone', async () => {
    using memory = await imported(files())
    const { context } = sentWindow(memory, 'fork')
    const windows = new KeptWindow(memory.db, createTokenEstimator())
    const { compaction } = readSettings({})
    const input = CompactInput.parse({ conversationId: context.conversationId, settings })
    const planner = new CompactionPlanner(windows, compaction)
    expect(planner.evaluate(input).activeTokens).toBe(context.activeTokens)
    const plan = planner.plan(input)
    const inherited = context.items.filter(({ conversationId }) => conversationId === 1)
    const tokens = inherited.reduce((sum, item) => sum + item.tokens, 0)
    expect(plan.inherited).toEqual({ conversationId: 1, items: 2, tokens })
    expect(plan.tokensBefore).toBe(context.activeTokens - tokens)
    const sources = plan.steps.flatMap((step) => step.sources)
    expect(sources.length).toBeGreaterThan(0)
    for (const { id } of inherited) expect(sources).not.toContain(id)
    const tried = new WhatIfPlanner(windows, compaction).ask({
      ...input,
      settings: { ...settings, budgetTokens: 1000 },
    })
    expect(tried.decision.activeTokens).toBe(context.activeTokens)
    expect(tried.plan.inherited).toEqual(plan.inherited)
    const saved = plan.tokensBefore - plan.expectedTokensAfter
    expect(Math.round(tried.pressureAfter * 1000)).toBe(context.activeTokens - saved)
    const parent = planner.plan({ ...input, conversationId: 1 })
    expect(parent.inherited).toBeUndefined()
  })

  it('stays as it was when the parent is compacted later, although nothing was said in it since', async () => {
    using memory = await imported(files())
    const before = sentWindow(memory, 'fork').texts
    const { result } = await compact(
      memory.db,
      { settings: { ...settings, freshTailCount: 0 } },
      { clock: () => Date.parse(at(59)) },
    )
    expect(result.created).not.toEqual([])
    expect(sentWindow(memory, 'parent').texts).not.toContain('noted')
    expect(sentWindow(memory, 'fork').texts).toEqual(before)
    expectSizes(memory)
  })

  it('is what a probe looks into', async () => {
    using memory = await imported(files())
    const lcm = await openLcm(memory.path)
    const questions = [{ question: 'Until when is the harbour office leased?', answer: '30 June 2028' }]
    const { conversationId } = sentWindow(memory, 'fork').context
    const report = await lcm.prober.probe(ProbeInput.parse({ conversationId, questions }))
    lcm.close()
    expect(report.questions.map(({ state }) => state)).toEqual(['in_window'])
  })
})

describe('a fork of Pi', () => {
  const entry = (id: number, parent: number | null, role: string, words: string) => ({
    type: 'message',
    id: `e${id}`,
    parentId: parent === null ? null : `e${parent}`,
    timestamp: at(id),
    message: { role, content: [{ type: 'text', text: words }] },
  })
  const header = (id: string, second: number, more: Record<string, unknown> = {}) => ({
    type: 'session',
    version: 3,
    id,
    timestamp: at(second),
    cwd: '/',
    ...more,
  })

  it.each(orders(0, 1))('begins with the summary and the messages of its parent, %s', async (_, order) => {
    const folder = temporaryFolder()
    const long = ' said at length and in so many words that it is worth a summary'
    const summary = { summary: 'Of the beginning.', firstKeptEntryId: 'e2', tokensBefore: 100 }
    const shared = [
      entry(1, null, 'user', `one${long}`),
      entry(2, 1, 'assistant', 'kept'),
      { type: 'compaction', id: 'e3', parentId: 'e2', timestamp: at(3), ...summary },
      entry(4, 3, 'user', 'two'),
    ]
    const parentSession = '/x/2026-11-28T04-00-00_pi-1.jsonl'
    const paths = [
      writeLines([header('pi-1', 0), ...shared, entry(5, 4, 'assistant', 'goes on')], '2026_pi-1.jsonl', folder),
      writeLines([header('pi-2', 10, { parentSession }), ...shared, entry(11, 4, 'user', 'other')], 'b.jsonl', folder),
    ]
    using memory = await imported(order.map((index) => paths[index] as string))
    expect(told(memory, 'pi-2')).toEqual(['user: other'])
    const [first, ...rest] = sentWindow(memory, 'pi-2').texts
    expect(first).toContain('Of the beginning.')
    expect(rest).toEqual(['kept', 'two', 'other'])
    expect(sentWindow(memory, 'pi-1').texts.slice(1)).toEqual(['kept', 'two', 'goes on'])
    expect(memory.db.value('SELECT count(*) FROM messages')).toBe(6)
  })

  it('ends before what its parent copied later, when it is a fork of a fork', async () => {
    const folder = temporaryFolder()
    const [first, second] = [entry(1, null, 'user', 'one'), entry(2, 1, 'assistant', 'two')]
    const [third, fourth] = [entry(3, 2, 'user', 'three'), entry(4, 3, 'assistant', 'four')]
    const fork = header('pi-2', 10, { parentSession: '/x/2026-11-28T04-00-00_pi-1.jsonl' })
    const next = header('pi-3', 20, { parentSession: '/x/2026-11-28T04-00-10_pi-2.jsonl' })
    const begun = writeLines([header('pi-1', 0), first, second, third, fourth], 'a.jsonl', folder)
    const paths = [
      writeLines([fork, first, second, third, fourth, entry(11, 4, 'user', 'in the fork')], 'b.jsonl', folder),
      writeLines([next, first, second, entry(21, 2, 'user', 'in the next fork')], 'c.jsonl', folder),
    ]
    using memory = await imported([begun, ...paths])
    expect(sentWindow(memory, 'pi-3').texts).toEqual(['one', 'two', 'in the next fork'])
    expect(sentWindow(memory, 'pi-2').texts).toEqual(['one', 'two', 'three', 'four', 'in the fork'])
    expect(memory.db.value('SELECT count(*) FROM messages')).toBe(6)
  })

  it('keeps what it copied of a branch that its parent left since', async () => {
    const folder = temporaryFolder()
    const shared = [entry(1, null, 'user', 'one'), entry(2, 1, 'assistant', 'two'), entry(3, 2, 'user', 'three')]
    const parentSession = '/x/2026-11-28T04-00-00_pi-1.jsonl'
    const left = [entry(15, 1, 'assistant', 'another two'), entry(16, 15, 'user', 'another three')]
    const paths = [
      writeLines([header('pi-1', 0), ...shared, ...left], 'a.jsonl', folder),
      writeLines([header('pi-2', 10, { parentSession }), ...shared, entry(11, 3, 'user', 'forked')], 'b.jsonl', folder),
    ]
    using memory = await imported(paths)
    expect(sentWindow(memory, 'pi-1').texts).toEqual(['one', 'another two', 'another three'])
    expect(sentWindow(memory, 'pi-2').texts).toEqual(['one', 'two', 'three', 'forked'])
  })

  it('leaves out what it copied and went back from', async () => {
    const folder = temporaryFolder()
    const shared = [entry(1, null, 'user', 'one'), entry(2, 1, 'assistant', 'two'), entry(3, 2, 'user', 'three')]
    const parentSession = '/x/2026-11-28T04-00-00_pi-1.jsonl'
    const own = [entry(11, 3, 'assistant', 'left'), entry(12, 1, 'assistant', 'another two')]
    const paths = [
      writeLines([header('pi-1', 0), ...shared], 'a.jsonl', folder),
      writeLines([header('pi-2', 10, { parentSession }), ...shared, ...own], 'b.jsonl', folder),
    ]
    using memory = await imported(paths)
    expect(sentWindow(memory, 'pi-1').texts).toEqual(['one', 'two', 'three'])
    expect(sentWindow(memory, 'pi-2').texts).toEqual(['one', 'another two'])
  })

  it.each(orders(0, 1))('leaves out what the person ran for itself before the fork, %s', async (_, order) => {
    const folder = temporaryFolder()
    const ran = { role: 'bashExecution', command: 'ls', output: 'a', exitCode: 0, excludeFromContext: true }
    const shared = [entry(1, null, 'user', 'one'), { ...entry(2, 1, 'user', ''), message: ran }]
    const parentSession = '/x/2026-11-28T04-00-00_pi-1.jsonl'
    const paths = [
      writeLines([header('pi-1', 0), ...shared, entry(5, 2, 'assistant', 'goes on')], '2026_pi-1.jsonl', folder),
      writeLines([header('pi-2', 10, { parentSession }), ...shared, entry(11, 2, 'user', 'other')], 'b.jsonl', folder),
    ]
    using memory = await imported(order.map((index) => paths[index] as string))
    expect(sentWindow(memory, 'pi-1').texts).toEqual(['one', 'goes on'])
    expect(sentWindow(memory, 'pi-2').texts).toEqual(['one', 'other'])
  })

  it.each(orders(0, 1))(
    'tells of its parent what the parent had when it was forked, also without its file, %s',
    async (_, order) => {
      const folder = temporaryFolder()
      const failed = (id: number, parent: number, words: string) => {
        const said = entry(id, parent, 'assistant', words)
        return { ...said, message: { ...said.message, stopReason: 'error' } }
      }
      const shared = [
        entry(1, null, 'user', 'one'),
        entry(2, 1, 'assistant', 'given up before the fork'),
        failed(3, 1, 'failed before the fork'),
        entry(4, 3, 'assistant', 'two'),
        entry(5, 4, 'user', 'three'),
      ]
      const parentSession = '/x/2026-11-28T04-00-00_pi-1.jsonl'
      const own = [failed(11, 5, 'failed in the fork'), entry(12, 4, 'user', 'another three')]
      const paths = [
        writeLines([header('pi-1', 0), ...shared], 'a.jsonl', folder),
        writeLines([header('pi-2', 10, { parentSession }), ...shared, ...own], 'b.jsonl', folder),
      ]
      const leftOut = (memory: TestMemory, session: string) =>
        sentWindow(memory, session).context.items.flatMap(({ included, excerpt, reason }) =>
          included ? [] : `${excerpt}: ${reason}`,
        )
      const ofParent = [
        'given up before the fork: out: on a branch that was given up',
        'failed before the fork: out: the agent does not send it again',
      ]
      const both = await imported(order.map((index) => paths[index] as string))
      const forkAlone = await imported([paths[1] as string])
      for (const memory of [both, forkAlone]) {
        expect(sentWindow(memory, 'pi-1').texts).toEqual(['one', 'two', 'three'])
        expect(leftOut(memory, 'pi-1')).toEqual(ofParent)
        expect(sentWindow(memory, 'pi-2').texts).toEqual(['one', 'two', 'another three'])
        memory.close()
      }
    },
  )

  it('tells what its parent never sent, also in a session of version 1, whose entries have no ids', async () => {
    const plain = (id: number, role: string, words: string, more: object = {}) => {
      const { timestamp, message } = entry(id, null, role, words)
      return { type: 'message', timestamp, message: { ...message, ...more } }
    }
    const branchedFrom = '/x/2026-11-28T04-00-00_pi-1.jsonl'
    const { version: _, ...head } = header('pi-2', 10, { branchedFrom })
    const said = [plain(1, 'user', 'one'), plain(2, 'assistant', 'cut off', { stopReason: 'aborted' })]
    const path = writeLines([head, ...said, plain(3, 'user', 'again')], 'b.jsonl', temporaryFolder())
    using memory = await imported([path])
    for (const session of ['pi-1', 'pi-2']) expect(sentWindow(memory, session).texts).toEqual(['one', 'again'])
  })

  it('leaves out the summary of a branch that it copied and went back from', async () => {
    const folder = temporaryFolder()
    const summary = { type: 'branch_summary', fromId: 'e2', summary: 'Of a branch.' }
    const shared = [
      entry(1, null, 'user', 'one'),
      entry(2, 1, 'assistant', 'a branch of which so much was said that it is worth a summary'),
      { ...summary, id: 'e3', parentId: 'e1', timestamp: at(3) },
      entry(4, 3, 'user', 'two'),
    ]
    const parentSession = '/x/2026-11-28T04-00-00_pi-1.jsonl'
    const fork = [header('pi-2', 10, { parentSession }), ...shared, entry(11, 1, 'assistant', 'another')]
    const paths = [writeLines([header('pi-1', 0), ...shared], 'a.jsonl', folder), writeLines(fork, 'b.jsonl', folder)]
    using memory = await imported(paths)
    expect(sentWindow(memory, 'pi-1').texts).toHaveLength(3)
    expect(sentWindow(memory, 'pi-2').texts).toEqual(['one', 'another'])
  })

  it('is a session also when nothing was said in it yet and the file of its parent is not there', async () => {
    const entries = [entry(1, null, 'user', 'one'), entry(2, 1, 'assistant', 'answer')]
    const parentSession = '/x/2026-11-28T04-00-00_pi-1.jsonl'
    const path = writeLines([header('pi-2', 10, { parentSession }), ...entries], 'b.jsonl', temporaryFolder())
    using memory = await imported([path])
    expect(told(memory, 'pi-2')).toEqual([])
    expect(sentWindow(memory, 'pi-2').texts).toEqual(['one', 'answer'])
  })
})

describe('a fork of Claude Code after a compaction', () => {
  const files = (folder = temporaryFolder()): readonly [string, string] => {
    const story = new TranscriptBuilder()
    story.user('a question in words enough to be worth a summary of some length')
    story.answer('msg_1', [text('the kept answer')], { uuid: 'kept' })
    const boundary = {
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      uuid: 'boundary',
    }
    const compactMetadata = { trigger: 'manual', preservedMessages: { uuids: ['kept'] } }
    story.record({ ...boundary, parentUuid: null, logicalParentUuid: 'kept', compactMetadata })
    story.user('A summary.', { isCompactSummary: true, uuid: 'summary' })
    const last = story.user('after the compaction')
    const copy = (line: number, parentUuid: string | null): unknown => ({
      ...JSON.parse(story.lines[line] ?? '{}'),
      sessionId: 'fork',
      parentUuid,
    })
    const fork = new TranscriptBuilder('fork')
    for (const record of [copy(2, null), copy(3, 'boundary'), copy(1, 'summary'), copy(4, 'kept')]) fork.raw(record)
    fork.user('in the fork', { parentUuid: last })
    return [story.write('a.jsonl', folder), fork.write('fork.jsonl', folder)]
  }

  it('is linked when the session that it was forked from comes later, and keeps its window', async () => {
    using memory = await imported(files().toReversed())
    const { db } = memory
    const ids = db.all<{ session: string; id: number; parent: number | null }>(
      'SELECT session_id AS session, conversation_id AS id, parent_conversation_id AS parent FROM conversations',
    )
    const [fork, original] = ['fork', SESSION].map((name) => ids.find(({ session }) => session === name))
    expect(fork?.parent).toBe(original?.id)
    expect(original?.parent).toBeNull()
    const texts = sentWindow(memory, 'fork').texts.filter((words) => !words.startsWith('['))
    expect(texts.slice(1)).toEqual(['the kept answer', 'after the compaction', 'in the fork'])
    expect(told(memory, SESSION)).toHaveLength(4)
  })

  it('names the session whose messages it repeats, and begins with its summary', async () => {
    using memory = await imported(files())
    expect(told(memory, 'fork')).toEqual(['user: in the fork'])
    expect(memory.db.value("SELECT parent_conversation_id FROM conversations WHERE session_id = 'fork'")).toBe(1)
    const [first, ...rest] = sentWindow(memory, 'fork').texts
    expect(first).toContain('A summary.')
    expect(rest.filter((words) => !words.startsWith('['))).toEqual([
      'the kept answer',
      'after the compaction',
      'in the fork',
    ])
  })
  it('takes what follows a prompt for copies that its parent was told before the compaction', async () => {
    const prompt = { type: 'prompt_snapshot', systemPrompt: ['The prompt of the program.'] }
    const story = new TranscriptBuilder()
    story.user('a question in words enough to be worth a summary of some length')
    story.record({ type: 'attachment', attachment: prompt })
    story.answer('msg_1', [text('an answer')], { uuid: 'answered' })
    const compactMetadata = { trigger: 'manual' }
    const boundary = { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' }
    story.record({ ...boundary, parentUuid: null, logicalParentUuid: 'answered', compactMetadata })
    story.user('A summary.', { isCompactSummary: true })
    story.user('after the compaction')
    story.record({ type: 'attachment', attachment: prompt })
    const last = story.answer('msg_2', [text('a later answer')])
    const fork = new TranscriptBuilder('fork')
    for (const line of story.lines.slice(3)) fork.raw({ ...JSON.parse(line), sessionId: 'fork' })
    fork.user('in the fork', { parentUuid: last })
    const folder = temporaryFolder()
    const forked = fork.write('fork.jsonl', folder)
    using memory = await imported([story.write('a.jsonl', folder), forked])
    expect(told(memory, 'fork')).toEqual(['system: The prompt of the program.', 'user: in the fork'])
    expect(await compare(memory.path, forked, { conversationId: 2 })).toMatchObject({ ok: true, sessionId: 'fork' })
    const texts = sentWindow(memory, 'fork').texts.filter((words) => !words.startsWith('['))
    expect(texts.slice(-3)).toEqual(['after the compaction', 'a later answer', 'in the fork'])
  })
})

describe('a fork of Claude Code after a compaction, whose answers name the session that said them', () => {
  const NEXT = 'fork-of-the-fork'
  type Story = { readonly builder: TranscriptBuilder; readonly name: string; cost: number }
  const say = ({ builder }: Story, words: string): void => {
    builder.user(words)
    const usage = { input_tokens: 1000, output_tokens: 5 }
    builder.answer(`msg of ${words}`, [text(`answer to ${words}`)], {}, { usage })
  }
  const endTurn = (story: Story): void => {
    story.cost += 1
    story.builder.raw({ type: 'cost-state', sessionId: story.name, totalCostUSD: story.cost })
  }
  /** Keeps the last answer. */
  const compact = ({ builder, name }: Story): void => {
    const kept = builder.lastUuid
    const compactMetadata = { trigger: 'manual', preservedMessages: { uuids: [kept] } }
    const boundary = { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' }
    builder.record({ ...boundary, parentUuid: null, logicalParentUuid: kept, compactMetadata })
    builder.user(`A summary of ${name}.`, { isCompactSummary: true })
    builder.user(`a command in ${name}`)
  }
  /** A fork has the boundary, the summary, what it kept, and everything since. */
  const forkOf = ({ builder, cost, name: origin }: Story, name: string): Story => {
    const records = builder.lines.map((line) => JSON.parse(line)).filter(({ uuid }) => uuid !== undefined)
    const at = records.findLastIndex(({ subtype }) => subtype === 'compact_boundary')
    const [boundary, summary, next, ...rest] = records.slice(at)
    const kept = records.find(({ uuid }) => uuid === boundary.logicalParentUuid)
    const fork = new TranscriptBuilder(name)
    const copies = [
      boundary,
      summary,
      { ...kept, parentUuid: summary.uuid },
      { ...next, parentUuid: kept.uuid },
      ...rest,
    ]
    for (const record of copies) {
      const named = record.type === 'assistant' ? { requestSessionId: record.requestSessionId ?? origin } : {}
      fork.raw({ ...record, ...named, sessionId: name })
    }
    fork.lastUuid = builder.lastUuid
    return { builder: fork, name, cost }
  }
  const files = (): string[] => {
    const folder = temporaryFolder()
    const first: Story = { builder: new TranscriptBuilder(), name: SESSION, cost: 0 }
    say(first, 'a question in words enough to be worth a summary of some length')
    compact(first)
    say(first, 'after the compaction')
    endTurn(first)
    const fork = forkOf(first, 'fork')
    say(fork, 'in the fork')
    compact(fork)
    endTurn(fork)
    const next = forkOf(fork, NEXT)
    say(next, 'in the next one')
    endTurn(next)
    say(first, 'later')
    endTurn(first)
    return [first, fork, next].map(({ builder, name }) => builder.write(`${name}.jsonl`, folder))
  }

  it.each([[[0, 1, 2]], [[0, 2, 1]], [[1, 0, 2]], [[1, 2, 0]], [[2, 0, 1]], [[2, 1, 0]]])(
    'has the window of its last request, and costs what came since, with the files in the order %j',
    async (order) => {
      const paths = files()
      using memory = await imported(order.map((index) => paths[index] as string))
      const texts = (session: string): string[] =>
        sentWindow(memory, session).texts.map((words) => /A summary of [^.]*/.exec(words)?.[0] ?? words)
      const question = 'a question in words enough to be worth a summary of some length'
      const begun = [`A summary of ${SESSION}`, `answer to ${question}`, `a command in ${SESSION}`]
      const after = ['after the compaction', 'answer to after the compaction']
      const compacted = ['A summary of fork', 'answer to in the fork', 'a command in fork']
      expect(texts(SESSION)).toEqual([...begun, ...after, 'later', 'answer to later'])
      expect(texts('fork')).toEqual(compacted)
      expect(texts(NEXT)).toEqual([...compacted, 'in the next one', 'answer to in the next one'])
      expect(Object.fromEntries(parentsIn(memory))).toEqual({ [SESSION]: null, fork: SESSION, [NEXT]: 'fork' })
      expect([...statedCosts(memory.db).values()].sort()).toEqual([1, 1, 2])
    },
  )
})

describe('a fork of Claude Code that copies what was said', () => {
  const NEXT = 'second-fork'
  type Mark = (record: Record<string, unknown>) => Record<string, unknown>
  const inAnswers: Mark = ({ type, sessionId, requestSessionId }) =>
    type === 'assistant' ? { requestSessionId: requestSessionId ?? sessionId } : {}
  const inAll: Mark = (record) => ({
    ...inAnswers(record),
    forkedFrom: { sessionId: record.sessionId, messageUuid: record.uuid },
  })
  /** Gives a copy in a session its id. */
  type Rename = (uuid: string, sessionId: string) => string
  const kept: Rename = (uuid) => uuid
  const anew: Rename = (uuid, sessionId) => `${uuid} in ${sessionId}`
  type Kind = { readonly mark: Mark; readonly rename: Rename }
  const kinds = [
    ['an answer names', { mark: inAnswers, rename: kept }],
    ['every record names', { mark: inAll, rename: kept }],
    ['every record has an id of its own and names', { mark: inAll, rename: anew }],
  ] as const
  const forkOf = (story: TranscriptBuilder, sessionId: string, { mark, rename }: Kind): TranscriptBuilder => {
    const fork = new TranscriptBuilder(sessionId)
    for (const line of story.lines) {
      const record = JSON.parse(line)
      const named = (uuid: string | null): string | null => uuid && rename(uuid, sessionId)
      const ids = { uuid: named(record.uuid), parentUuid: named(record.parentUuid) }
      fork.raw({ ...record, ...mark(record), ...ids, sessionId })
    }
    return fork
  }
  const files = (kind: Kind): string[] => {
    const folder = temporaryFolder()
    const story = new TranscriptBuilder()
    story.user('one')
    const usage = { input_tokens: 1000, output_tokens: 5 }
    story.answer('msg_1', [text('answer one')], {}, { usage })
    const last = story.answer('msg_1', [text('and its rest')], {}, { usage })
    const fork = forkOf(story, 'fork', kind)
    story.user('two', { parentUuid: last })
    const asked = fork.user('in the fork', { parentUuid: kind.rename(last, 'fork') })
    const answered = fork.answer('msg_2', [text('answer two')], { parentUuid: asked }, { usage })
    const next = forkOf(fork, NEXT, kind)
    next.user('in the next one', { parentUuid: kind.rename(answered, NEXT) })
    const all = [story, fork, next] as const
    return all.map((one, at) => one.write(`${[SESSION, 'fork', NEXT][at]}.jsonl`, folder))
  }
  const every = kinds.flatMap(([what, kind]) =>
    [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ].map((order) => [what, order.join(), kind, order] as const),
  )

  it.each(every)(
    'what a fork repeats is stored once, where %s the session that said it, with the files in the order %s',
    async (_, __, kind, order) => {
      const paths = files(kind)
      using memory = await imported(order.map((index) => paths[index] as string))
      expect(told(memory, SESSION)).toEqual(['user: one', 'assistant: answer one\n\nand its rest', 'user: two'])
      expect(told(memory, 'fork')).toEqual(['user: in the fork', 'assistant: answer two'])
      expect(told(memory, NEXT)).toEqual(['user: in the next one'])
      expect(sentWindow(memory, NEXT).texts).toEqual([
        'one',
        'answer one\n\nand its rest',
        'in the fork',
        'answer two',
        'in the next one',
      ])
      expect(Object.fromEntries(parentsIn(memory))).toEqual({
        [SESSION]: null,
        fork: SESSION,
        [NEXT]: 'fork',
      })
    },
  )

  const goneBack = kinds.flatMap(([what, kind]) =>
    [
      [0, 1],
      [1, 0],
    ].map((order) => [what, order.join(), kind, order] as const),
  )

  it.each(goneBack)(
    'a fork whose person goes back behind its beginning leaves out what it copied after that, where %s the session that said it, with the files in the order %s',
    async (_, __, kind, order) => {
      const folder = temporaryFolder()
      const story = new TranscriptBuilder()
      story.user('one')
      const first = story.answer('msg_1', [text('answer one')])
      story.user('two')
      story.answer('msg_2', [text('answer two')])
      const fork = forkOf(story, 'fork', kind)
      story.user('three')
      const later = '2026-03-02T09:01:00.000Z'
      fork.user('another two', { parentUuid: kind.rename(first, 'fork'), timestamp: later })
      fork.answer('msg_3', [text('another answer')], { timestamp: later })
      const paths = [story.write(`${SESSION}.jsonl`, folder), fork.write('fork.jsonl', folder)]
      using memory = await imported(order.map((index) => paths[index] as string))
      expect(sentWindow(memory, SESSION).texts).toEqual(['one', 'answer one', 'two', 'answer two', 'three'])
      expect(sentWindow(memory, 'fork').texts).toEqual(['one', 'answer one', 'another two', 'another answer'])
      expect(memory.db.value('SELECT count(*) FROM messages')).toBe(7)
    },
  )

  it('two copies that name the same original are both kept', async () => {
    const folder = temporaryFolder()
    const fork = new TranscriptBuilder('fork')
    for (const words of ['one', 'two']) fork.user(words, { forkedFrom: { sessionId: SESSION, messageUuid: 'same' } })
    using memory = await imported([fork.write('fork.jsonl', folder)])
    expect(memory.db.column('SELECT content FROM messages')).toEqual(['one', 'two'])
  })
})

describe('a fork that the Agent SDK made after a compaction', () => {
  const copyOf = (uuid: string | null): string | null => uuid && `copy of ${uuid}`
  const files = (): string[] => {
    const folder = temporaryFolder()
    const story = new TranscriptBuilder()
    story.user('a question in words enough to be worth a summary of some length')
    story.answer('msg_1', [text('the kept answer')], { uuid: 'kept' })
    const boundary = { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' }
    const preserved = { headUuid: 'kept', anchorUuid: 'summary', tailUuid: 'kept' }
    const named = { uuid: 'boundary', parentUuid: null, logicalParentUuid: 'kept' }
    story.record({ ...boundary, ...named, compactMetadata: { trigger: 'manual', preservedSegment: preserved } })
    story.user('A summary.', { isCompactSummary: true, uuid: 'summary' })
    const last = story.user('after the compaction')
    const fork = new TranscriptBuilder('fork')
    for (const line of story.lines) {
      const { uuid, parentUuid, logicalParentUuid, ...record } = JSON.parse(line)
      const preservedMessages = { anchorUuid: copyOf('summary'), uuids: [copyOf('kept')] }
      const compacted = record.compactMetadata && {
        logicalParentUuid: copyOf(logicalParentUuid),
        compactMetadata: { trigger: 'manual', preservedMessages },
      }
      const ids = {
        uuid: copyOf(uuid),
        parentUuid: copyOf(parentUuid),
        forkedFrom: { sessionId: SESSION, messageUuid: uuid },
      }
      fork.raw({ ...record, ...compacted, ...ids, sessionId: 'fork' })
    }
    fork.user('in the fork', { parentUuid: copyOf(last) })
    return [story.write(`${SESSION}.jsonl`, folder), fork.write('fork.jsonl', folder)]
  }

  it.each(orders(0, 1))('has the window of its parent and what was said in it, %s', async (_, order) => {
    const paths = files()
    using memory = await imported(order.map((index) => paths[index] as string))
    expect(told(memory, 'fork')).toEqual(['user: in the fork'])
    const texts = (session: string) => sentWindow(memory, session).texts
    expect(texts('fork')).toEqual([...texts(SESSION), 'in the fork'])
    expect(texts(SESSION).at(-1)).toBe('after the compaction')
  })
})
