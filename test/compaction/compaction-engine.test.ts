import { describe, expect, it } from 'vitest'
import type { Summarizer } from '../../core/compaction/summarizers/summarizer.ts'
import {
  CompactInput,
  CompactionDecision,
  CompactionPlan,
  type CompactRequest,
} from '../../core/contract/compaction.ts'
import { LcmError } from '../../core/errors.ts'
import { buildMemory, type MessageSpec, type TestMemory } from '../builders/memory.ts'
import { call, result } from '../context/tool-pair.ts'
import { canonicalRows, expectLossless, expectSoundGraph, messagesBeneath, windowOf } from './invariants.ts'
import { compact, engineOn, NOW_MS, runToEnd } from './run-compaction.ts'

const sized = (tokens: number, spec: MessageSpec = {}): MessageSpec => ({
  tokens,
  content: 'word '.repeat(tokens),
  ...spec,
})
const talk = (count: number, tokens = 100): MessageSpec[] =>
  Array.from({ length: count }, (_, index) => sized(tokens, { content: `step ${index}: ${'word '.repeat(tokens)}` }))
const remember = (messages: readonly MessageSpec[]): TestMemory => buildMemory({ conversations: [{ messages }] })
const input = (request: Partial<CompactRequest> = {}): CompactInput =>
  CompactInput.parse({ conversationId: 1, ...request })
const small = { leafChunkTokens: 400, leafTargetTokens: 60, condensedTargetTokens: 80, freshTailCount: 2 }

describe('evaluate', () => {
  it('gives the decision and every trigger’s numbers', () => {
    using memory = remember(talk(10, 100))
    const decide = (settings: object): CompactionDecision =>
      CompactionDecision.parse(engineOn(memory.db).evaluate(input({ settings })))
    expect(decide({ budgetTokens: 10_000 })).toMatchObject({
      should: false,
      urgency: 'none',
      tokens: 1_000,
      pressure: 0.1,
      eligibleMessages: 2,
      eligibleTokens: 200,
      triggers: [
        { name: 'soft_threshold', value: 1_000, limit: 7_500, fired: false },
        { name: 'hard_threshold', value: 1_000, limit: 10_000, fired: false },
        { name: 'active_messages', value: 10, limit: 0, fired: false },
      ],
    })
    expect(decide({ budgetTokens: 1_300 })).toMatchObject({ should: true, urgency: 'soft' })
    expect(decide({ budgetTokens: 1_000 })).toMatchObject({ should: true, urgency: 'hard', pressure: 1 })
    expect(decide({ maxActiveMessages: 9 })).toMatchObject({ should: true, urgency: 'soft' })
  })
})

describe('plan', () => {
  it('lists what would become what, and writes nothing', () => {
    using memory = remember(talk(10, 100))
    const before = [canonicalRows(memory.db), windowOf(memory.db, 1), memory.db.dataVersion()]
    const plan = CompactionPlan.parse(
      engineOn(memory.db, { settings: { ...small, condensedMinFanout: 2, minMessagesToCompact: 8 } }).plan(input()),
    )
    expect(plan).toEqual({
      conversationId: 1,
      mode: 'full',
      steps: [
        {
          pass: 'leaf',
          depth: 0,
          sources: ['msg_1', 'msg_2', 'msg_3', 'msg_4'],
          sourceTokens: 400,
          expectedTokens: 60,
          firstSeq: 0,
          lastSeq: 3,
        },
        {
          pass: 'leaf',
          depth: 0,
          sources: ['msg_5', 'msg_6', 'msg_7', 'msg_8'],
          sourceTokens: 400,
          expectedTokens: 60,
          firstSeq: 4,
          lastSeq: 7,
        },
        {
          pass: 'condensed',
          depth: 1,
          sources: ['step_0', 'step_1'],
          sourceTokens: 120,
          expectedTokens: 60,
          firstSeq: 0,
          lastSeq: 7,
        },
      ],
      modelCalls: 0,
      tokensBefore: 1_000,
      expectedTokensAfter: 260,
      skipped: null,
    })
    expect([canonicalRows(memory.db), windowOf(memory.db, 1), memory.db.dataVersion()]).toEqual(before)
  })

  it('says why there is nothing to do', () => {
    using memory = remember(talk(12))
    const plan = (request: Partial<CompactRequest>): string | null => engineOn(memory.db).plan(input(request)).skipped
    expect(plan({})).toBe(
      'Only 4 messages are eligible: outside the fresh tail of 8, not from the system and not yet summarised. At least 10 are needed.',
    )
    expect(plan({ mode: 'condense' })).toBe('No depth has enough neighbouring summaries to condense.')
    expect(plan({ mode: 'untilUnder', targetTokens: 5_000 })).toBe(
      'The window takes 1,200 tokens, which is not above the goal of 5,000.',
    )
  })
})

describe('a run', () => {
  it('replaces the oldest messages by leaves and leaves by a node one deeper', async () => {
    using memory = remember(talk(40))
    const before = canonicalRows(memory.db)
    const { result: run } = await compact(memory.db, {}, { settings: { ...small, freshTailCount: 4 } })
    expect(run).toMatchObject({ stopReason: 'nothing_eligible', tokensBefore: 4_000 })
    expect(run.created.map(({ depth }) => depth)).toEqual([...Array(9).fill(0), 1, 1])
    expect(windowOf(memory.db, 1)).toMatchObject([
      { ordinal: 0, summaryId: run.created[9]?.id },
      { ordinal: 16, summaryId: run.created[10]?.id },
      { ordinal: 32, summaryId: run.created[8]?.id },
      { ordinal: 36, messageId: 37 },
      { ordinal: 37, messageId: 38 },
      { ordinal: 38, messageId: 39 },
      { ordinal: 39, messageId: 40 },
    ])
    expectLossless(memory.db, 1)
    expectSoundGraph(memory.db)
    expect(canonicalRows(memory.db)).toBe(before)
  })

  it('records itself, each replacement, and a mark on the last message of the range', async () => {
    using memory = remember(talk(12))
    const { result: run } = await compact(
      memory.db,
      { mode: 'leaf', reason: 'threshold' },
      { settings: { ...small, leafChunkTokens: 500 } },
    )
    const [first, second] = run.created
    expect(memory.db.all('SELECT * FROM compaction_runs')).toMatchObject([
      {
        run_id: run.runId,
        conversation_id: 1,
        reason: 'threshold',
        mode: 'leaf',
        summarizer: 'deterministic',
        owner: 'test',
        started_at: NOW_MS,
        finished_at: NOW_MS,
        tokens_before: 1_200,
        tokens_after: run.tokensAfter,
        stop_reason: 'nothing_eligible',
      },
    ])
    const event = memory.db.get<{ removed: string }>('SELECT * FROM compaction_events WHERE summary_id = :id', {
      id: first?.id ?? '',
    })
    expect(event).toMatchObject({
      run_id: run.runId,
      pass: 'leaf',
      ordinal: 0,
      source_tokens: 500,
      tokens: first?.tokens,
    })
    const firstMessage = memory.db.value<number>('SELECT created_at FROM messages WHERE message_id = 1')
    expect(JSON.parse(event?.removed ?? '')).toHaveLength(5)
    expect(JSON.parse(event?.removed ?? '')[0]).toEqual([0, 'message', 'msg_1', firstMessage])
    expect(
      memory.db.all(
        "SELECT message_id, ordinal, is_synthetic, compaction_auto, metadata FROM message_parts WHERE part_type = 'compaction'",
      ),
    ).toEqual([
      {
        message_id: 5,
        ordinal: 1,
        is_synthetic: 1,
        compaction_auto: 1,
        metadata: JSON.stringify({ run: run.runId, summary: first?.id }),
      },
      {
        message_id: 10,
        ordinal: 1,
        is_synthetic: 1,
        compaction_auto: 1,
        metadata: JSON.stringify({ run: run.runId, summary: second?.id }),
      },
    ])
    expect(memory.db.all('SELECT * FROM conversation_locks')).toEqual([])
  })

  it('marks a condensed node on the newest message beneath it', async () => {
    using memory = remember(talk(22))
    const { result: run } = await compact(memory.db, {}, { settings: small })
    const root = run.created.at(-1)
    expect(root).toMatchObject({ kind: 'condensed', depth: 1 })
    const marked = memory.db.column<number>(
      "SELECT message_id FROM message_parts WHERE part_type = 'compaction' AND metadata LIKE '%' || :id || '%'",
      { id: root?.id ?? '' },
    )
    expect(marked).toEqual([messagesBeneath(memory.db, root?.id ?? '').at(-1)])
  })

  it('leaves no trace when nothing is eligible', async () => {
    using memory = remember(talk(9))
    const { result: run, progress } = await compact(memory.db)
    expect(run).toMatchObject({
      runId: null,
      stopReason: 'nothing_eligible',
      tokensBefore: 900,
      tokensAfter: 900,
      reduction: 0,
    })
    expect(run.skipped).toMatch(/^Only 1 message is eligible/)
    expect(progress).toEqual([])
    expect(memory.db.value('SELECT count(*) FROM compaction_runs')).toBe(0)
  })

  it('reports each node as it is made', async () => {
    using memory = remember(talk(22))
    const { result: run, progress } = await compact(memory.db, {}, { settings: small })
    expect(progress.map(({ pass, chunk, chunks }) => `${pass} ${chunk} of ${chunks}`)).toEqual([
      'leaf 1 of 5',
      'leaf 2 of 5',
      'leaf 3 of 5',
      'leaf 4 of 5',
      'leaf 5 of 5',
      'condensed 1 of 1',
    ])
    expect(progress.map(({ createdId }) => createdId)).toEqual(run.created.map(({ id }) => id))
    expect(progress.at(-1)?.tokensSaved).toBe(run.tokensBefore - run.tokensAfter)
  })

  it('until under a goal does no more than that', async () => {
    using memory = remember(talk(42))
    const { result: run } = await compact(memory.db, { mode: 'untilUnder', targetTokens: 3_000 }, { settings: small })
    expect(run).toMatchObject({ stopReason: 'target_reached' })
    expect(run.tokensAfter).toBeLessThanOrEqual(3_000)
    expect(run.created.length).toBe(4)
  })

  it('says so when the fresh tail alone is above the goal', async () => {
    using memory = remember([...talk(20, 10), sized(5_000)])
    const { result: run } = await compact(memory.db, { mode: 'untilUnder', targetTokens: 1_000 }, { settings: small })
    expect(run.stopReason).toBe('irreducible_tail')
    expect(run.tokensAfter).toBeLessThan(run.tokensBefore)
  })

  it('in leaf mode makes no deeper node, in condense mode no leaf', async () => {
    using memory = remember(talk(42))
    const leaves = await compact(memory.db, { mode: 'leaf' }, { settings: small })
    expect(new Set(leaves.result.created.map(({ depth }) => depth))).toEqual(new Set([0]))
    memory.messages(1, talk(20))
    const nodes = await compact(memory.db, { mode: 'condense' }, { settings: small })
    expect(nodes.result.created.map(({ depth }) => depth)).toEqual([1, 1])
    expectLossless(memory.db, 1)
  })

  it('goes no deeper than the greatest depth', async () => {
    using memory = remember(talk(120))
    const settings = { ...small, condensedMinFanout: 2, maxDepth: 1 }
    const { result: run } = await compact(memory.db, {}, { settings })
    expect(Math.max(...run.created.map(({ depth }) => depth))).toBe(1)
  })

  it('stops at its cap of passes and at its deadline, and keeps what is done', async () => {
    using memory = remember(talk(120))
    const capped = await compact(
      memory.db,
      {},
      { settings: { ...small, condensedMinFanout: 2 }, bounds: { passes: 2 } },
    )
    expect(capped.result.stopReason).toBe('cap')
    memory.messages(1, talk(60))
    let nowMs = NOW_MS
    const clock = (): number => (nowMs += 400)
    const late = await compact(memory.db, {}, { settings: small, clock, bounds: { durationMs: 2_000 } })
    expect(late.result.stopReason).toBe('deadline')
    expect(late.result.created.length).toBeGreaterThan(0)
    expectLossless(memory.db, 1)
  })

  it('stops when it is cancelled, or when nobody listens any more', async () => {
    using memory = remember(talk(60))
    const abort = new AbortController()
    const engine = engineOn(memory.db, { settings: small })
    const { result: run } = await runToEnd(engine, {}, abort.signal, () => abort.abort())
    expect(run).toMatchObject({ stopReason: 'cancelled' })
    expect(run.created).toHaveLength(1)

    for await (const _step of engine.compact(input(), new AbortController().signal)) break
    expect(memory.db.column('SELECT stop_reason FROM compaction_runs')).toEqual(['cancelled', 'cancelled'])
    expect(memory.db.all('SELECT * FROM conversation_locks')).toEqual([])
    expectLossless(memory.db, 1)
  })

  it('carries on the files that its sources refer to', async () => {
    const [one, two] = ['file_0123456789abcdef', 'file_fedcba9876543210']
    using memory = remember([
      ...talk(9),
      { content: `stored as ${two}`, tokens: 100 },
      call(['c'], { tokens: 100 }),
      result('c', {
        tokens: 100,
        content: '',
        parts: [{ part_type: 'tool', tool_call_id: 'c', tool_output: `${one} and ${two}` }],
      }),
      ...talk(6),
    ])
    await compact(memory.db, {}, { settings: small })
    expect(memory.db.value('SELECT file_ids FROM summaries ORDER BY depth DESC LIMIT 1')).toBe(
      JSON.stringify([two, one]),
    )
  })

  it('gives equal histories in one file their own nodes', async () => {
    using memory = buildMemory({ conversations: [{ messages: talk(30) }, { messages: talk(30) }] })
    const one = await compact(memory.db, { conversationId: 1 }, { settings: small })
    const two = await compact(memory.db, { conversationId: 2 }, { settings: small })
    expect(two.result.created).toHaveLength(one.result.created.length)
    expect(new Set([...one.result.created, ...two.result.created].map(({ id }) => id)).size).toBe(
      2 * one.result.created.length,
    )
    expectLossless(memory.db, 1)
    expectLossless(memory.db, 2)
    expectSoundGraph(memory.db)
  })

  it('takes a node up again whose replacement was undone', async () => {
    using memory = remember(talk(14))
    const settings = { ...small, leafChunkTokens: 10_000 }
    const first = await compact(memory.db, { mode: 'leaf' }, { settings })
    const window = memory.db.all<{ ordinal: number }>('SELECT ordinal FROM context_items')
    expect(window).toHaveLength(3)
    memory.damage('DELETE FROM context_items WHERE summary_id IS NOT NULL')
    memory.damage(
      `INSERT INTO context_items (conversation_id, ordinal, item_type, message_id, created_at)
       SELECT 1, seq, 'message', message_id, created_at FROM messages WHERE message_id <= 12`,
    )
    const second = await compact(memory.db, { mode: 'leaf' }, { settings })
    expect(second.result.created).toEqual(first.result.created)
    expect(memory.db.value('SELECT count(*) FROM summaries')).toBe(1)
    expectLossless(memory.db, 1)
  })

  it('refuses what cannot be', async () => {
    using memory = remember(talk(3))
    const refused = async (request: Partial<CompactRequest>): Promise<string> =>
      compact(memory.db, request).then(
        () => 'accepted',
        (error: unknown) => (error instanceof LcmError ? error.code : String(error)),
      )
    expect(await refused({ conversationId: 9 })).toBe('not_found')
    expect(await refused({ summarizer: 'gpt' })).toBe('invalid_argument')
    expect(memory.db.all('SELECT * FROM conversation_locks')).toEqual([])
  })
})

describe('a summariser that', () => {
  const hostile = (answer: (sourceTokens: number) => string | Promise<string>): Summarizer => ({
    name: 'hostile',
    levels: ['normal', 'aggressive'],
    model: 'm',
    promptVersion: 'p1',
    summarize: async ({ sourceTokens }) => answer(sourceTokens),
  })
  const runWith = async (summarizer: Summarizer) => {
    const memory = remember(talk(42))
    const { result: run } = await compact(
      memory.db,
      { summarizer: 'hostile' },
      { settings: small, summarizers: [summarizer] },
    )
    return { memory, run }
  }

  it.each<[string, (sourceTokens: number) => string | Promise<string>]>([
    ['fails', () => Promise.reject(new Error('no network'))],
    ['answers nothing', () => '  \n '],
    ['answers ten times too much', (sourceTokens) => 'word '.repeat(sourceTokens * 10)],
    ['answers exactly as much', (sourceTokens) => 'abc '.repeat(sourceTokens)],
  ])('%s is replaced by the deterministic one', async (_name, answer) => {
    const { memory, run } = await runWith(hostile(answer))
    expect(run.created.every(({ level }) => level === 'deterministic')).toBe(true)
    expectLossless(memory.db, 1)
    expectSoundGraph(memory.db)
    memory.close()
  })

  it('answers well is recorded with level, model and prompt', async () => {
    let calls = 0
    const everySecond = (): string => {
      calls += 1
      return calls % 2 === 1 ? '' : `Summary ${calls}.\ud800`
    }
    const { memory, run } = await runWith(hostile(everySecond))
    expect(run.created.every(({ level }) => level === 'aggressive')).toBe(true)
    expect(memory.db.get('SELECT level, model, prompt_version, content FROM summaries')).toEqual({
      level: 'aggressive',
      model: 'm',
      prompt_version: 'p1',
      content: 'Summary 2.\ufffd',
    })
    memory.close()
  })
})
