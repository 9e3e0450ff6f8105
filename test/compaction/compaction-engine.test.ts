import { describe, expect, it } from 'vitest'
import type { CompactRequest } from '#core/contract/compaction.ts'
import { LcmError } from '#core/errors.ts'
import { buildMemory } from '../builders/memory.ts'
import { call, result } from '../window/assembling/tool-pair.ts'
import { canonicalRows, coveredMessages, expectLossless, expectSoundGraph, windowOf } from './invariants.ts'
import { compact, engineOn, NOW_MS, runToEnd } from './run-compaction.ts'
import { input, remember, sized, small, talk } from './talk.ts'

describe('a compaction run', () => {
  it('replaces the oldest messages by leaves, and leaves by a node that is one deeper', async () => {
    using memory = remember(talk(40))
    const before = canonicalRows(memory.db)
    const { result: run } = await compact(memory.db, {}, { settings: { ...small, freshTailCount: 4 } })
    expect(run).toMatchObject({ stopReason: 'all_compacted', tokensBefore: 4_000 })
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

  it('records itself, each replacement, and a mark at the last message of the range', async () => {
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
        stop_reason: 'all_compacted',
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

  it('marks a condensed node at the newest message that it covers', async () => {
    using memory = remember(talk(22))
    const { result: run } = await compact(memory.db, {}, { settings: small })
    const root = run.created.at(-1)
    expect(root).toMatchObject({ kind: 'condensed', depth: 1 })
    const marked = memory.db.column<number>(
      "SELECT message_id FROM message_parts WHERE part_type = 'compaction' AND metadata LIKE '%' || :id || '%'",
      { id: root?.id ?? '' },
    )
    expect(marked).toEqual([coveredMessages(memory.db, root?.id ?? '').at(-1)])
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

  it('stops below its goal and does no more than that', async () => {
    using memory = remember(talk(42))
    const { result: run } = await compact(memory.db, { mode: 'untilUnder', targetTokens: 3_000 }, { settings: small })
    expect(run).toMatchObject({ stopReason: 'target_reached' })
    expect(run.tokensAfter).toBeLessThanOrEqual(3_000)
    expect(run.created.length).toBe(4)
  })

  it('says that the fresh tail alone is above the goal', async () => {
    using memory = remember([...talk(20, 10), sized(5_000)])
    const { result: run } = await compact(memory.db, { mode: 'untilUnder', targetTokens: 1_000 }, { settings: small })
    expect(run.stopReason).toBe('irreducible_tail')
    expect(run.tokensAfter).toBeLessThan(run.tokensBefore)
  })

  it('makes only leaves in leaf mode, and only condensed nodes in condense mode', async () => {
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

  it('stops at its limit of passes and at its deadline, and keeps what is done', async () => {
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

  it('stops when it is cancelled or when nobody consumes it any more', async () => {
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

  it('carries over the file ids of its sources', async () => {
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

  it('makes separate nodes for equal conversations in one file', async () => {
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

  it('uses a node again whose replacement was undone', async () => {
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

  it('refuses invalid requests', async () => {
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
