import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { InOrder } from '#core/compaction/in-order.ts'
import { Slots } from '#core/compaction/slots.ts'
import type { CompactionSettings } from '#core/contract/compaction.ts'
import type { Summarizer, SummaryRequest } from '#core/models/summarizers/summarizer.ts'
import { processorClock } from '../builders/busy-machine.ts'
import { expectLossless, expectSoundGraph, windowOf } from './invariants.ts'
import { compact, engineOn, runToEnd, says } from './run-compaction.ts'
import { remember, small, talk } from './talk.ts'

type Seen = { most: number; now: number; calls: number; aborted: number }
type Watched = Summarizer & { readonly seen: Seen }

/** A model that takes its time, as long as `ms` says for a request, and tells how many calls it had at once. */
function slow(ms: (request: SummaryRequest, call: number) => number, heedsSignal = true): Watched {
  const seen: Seen = { most: 0, now: 0, calls: 0, aborted: 0 }
  return {
    seen,
    name: 'slow',
    levels: ['normal'],
    model: 'm',
    promptVersion: () => 'p',
    summarize: async (request, signal) => {
      seen.calls += 1
      seen.now += 1
      seen.most = Math.max(seen.most, seen.now)
      try {
        await wait(ms(request, seen.calls), null, heedsSignal ? { signal } : {})
        return says(`Stands for ${request.entries[0]?.id}.`)
      } catch (error) {
        seen.aborted += 1
        throw error
      } finally {
        seen.now -= 1
      }
    },
  }
}

const run = async (
  model: Summarizer,
  settings: Partial<CompactionSettings>,
  request: Parameters<typeof compact>[1] = {},
  messages = 82,
) => {
  const memory = remember(talk(messages))
  const spec = { settings: { ...small, ...settings }, summarizers: [model] }
  const ran = await compact(memory.db, { summarizer: 'slow', ...request }, spec)
  return { memory, ...ran }
}

describe('the model calls of a pass', () => {
  it('run at most leafConcurrency at once, leaves and condensed nodes alike', async () => {
    for (const leafConcurrency of [1, 3, 8]) {
      const model = slow(() => 3)
      const { memory } = await run(model, { leafConcurrency })
      expect(model.seen.most).toBe(leafConcurrency)
      expect(model.seen.calls).toBe(20 + 5 + 1)
      expectLossless(memory.db, 1)
      memory.close()
    }
  })

  it('may end in any order, and are committed in the order of the history', async () => {
    const model = slow((_request, call) => (call % 5 === 1 ? 40 : 1))
    const { memory, result, progress } = await run(model, { leafConcurrency: 4 }, { mode: 'leaf' })
    const firsts = result.created.map(({ id }) =>
      memory.db.value<number>('SELECT min(message_id) FROM summary_messages WHERE summary_id = :id', { id }),
    )
    expect(firsts).toEqual(firsts.toSorted((a = 0, b = 0) => a - b))
    expect(progress.map(({ chunk }) => chunk)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    expectSoundGraph(memory.db)
    memory.close()
  })

  it('are made four at once in every round, as long as four are left to be made', async () => {
    const waiting: (() => void)[] = []
    let calls = 0
    // Answers only when four calls wait. With fewer at once the run would never end.
    const model: Summarizer = {
      ...slow(() => 0),
      summarize: async ({ entries }) => {
        calls += 1
        await new Promise<void>((answer) => {
          waiting.push(answer)
          if (waiting.length === 4) for (const next of waiting.splice(0)) next()
        })
        return says(`Stands for ${entries[0]?.id}.`)
      },
    }
    const { memory } = await run(model, { leafConcurrency: 4 }, { mode: 'leaf' }, 98)
    memory.close()
    expect(calls).toBe(24)
  })

  it('leave the thread free', async () => {
    const memory = remember(talk(82))
    let [longest, usedMs] = [0, processorClock()]
    const ticking = setInterval(() => {
      longest = Math.max(longest, usedMs())
      usedMs = processorClock()
    }, 1)
    await compact(memory.db, { summarizer: 'slow' }, { settings: small, summarizers: [slow(() => 5)] })
    clearInterval(ticking)
    // It takes 5 ms.
    expect(longest).toBeLessThan(500)
    memory.close()
  })

  it.each([true, false])('are aborted at once by a cancellation (the model heeds it: %s)', async (heedsSignal) => {
    const memory = remember(talk(82))
    const model = slow((_request, call) => (call <= 4 ? 1 : 60_000), heedsSignal)
    const abort = new AbortController()
    const engine = engineOn(memory.db, { settings: small, summarizers: [model] })
    const { result } = await runToEnd(engine, { summarizer: 'slow' }, abort.signal, ({ chunk }) => {
      if (chunk === 4) setTimeout(() => abort.abort(), 20)
    })
    expect(result).toMatchObject({ stopReason: 'cancelled' })
    // A call that is not aborted takes 60 s.
    expect(result.durationMs).toBeLessThan(30_000)
    expect(result.created).toHaveLength(4)
    if (heedsSignal) expect(model.seen.now).toBe(0)
    expect(memory.db.all('SELECT * FROM conversation_locks')).toEqual([])
    expectLossless(memory.db, 1)
    memory.close()
  })

  it('are aborted by the deadline', async () => {
    const memory = remember(talk(82))
    const spec = { settings: small, summarizers: [slow(() => 60_000)], bounds: { durationMs: 80 } }
    const { result } = await compact(memory.db, { summarizer: 'slow' }, spec)
    expect(result).toMatchObject({ stopReason: 'deadline', created: [] })
    expect(result.skipped).toMatch(/time/)
    memory.close()
  })

  it('are limited to what the goal is likely to need, and dropped when it is reached sooner', async () => {
    const model = slow((_request, call) => call)
    const goal = { mode: 'untilUnder' as const, targetTokens: 7_150 }
    const { memory, result } = await run(model, { leafConcurrency: 8 }, goal)
    expect(result.stopReason).toBe('target_reached')
    expect(result.tokensAfter).toBeLessThanOrEqual(7_150)
    expect(result.created).toHaveLength(3)
    expect(model.seen.calls).toBeLessThanOrEqual(4)
    memory.close()
  })

  it('contain the newest earlier summary that is written by then', async () => {
    const previous: (string | null)[] = []
    const model: Summarizer = {
      ...slow(() => 0),
      summarize: async ({ entries, previousSummary }) => {
        previous.push(previousSummary)
        return says(`Stands for ${entries[0]?.id}.`)
      },
    }
    const { memory } = await run(model, { leafConcurrency: 1 }, {}, 22)
    // Five leaves, each with the one before it, and a condensed node without.
    expect(previous).toEqual([null, ...[1, 5, 9, 13].map((id) => `Stands for msg_${id}.`), null])
    memory.messages(1, talk(14))
    previous.length = 0
    const spec = { settings: { ...small, leafConcurrency: 1 }, summarizers: [model] }
    await compact(memory.db, { summarizer: 'slow', mode: 'leaf' }, spec)
    expect(previous[0]).toBe('Stands for msg_17.')
    memory.close()
  })
})

describe('a pass without a model', () => {
  it('begins no summary before the one before it is written', async () => {
    const begun: number[] = []
    const work = new InOrder([0, 1, 2], { slots: new Slots(1), isWanted: () => true }, async (entry) =>
      begun.push(entry),
    )
    await work.take()
    await wait(5)
    expect(begun).toEqual([0])
  })
})

describe('a goal that the usual groups do not reach', () => {
  it('is reached with neighbours of different depths, each within its share', async () => {
    using memory = remember(talk(60))
    const { result } = await compact(memory.db, { mode: 'untilUnder', targetTokens: 260 }, { settings: small })
    expect(result.stopReason).toBe('target_reached')
    expect(windowOf(memory.db, 1).filter(({ summaryId }) => summaryId !== null).length).toBeGreaterThan(0)
    expectLossless(memory.db, 1)
    expectSoundGraph(memory.db)
  })

  it('is planned with neighbours of different depths too', async () => {
    using memory = remember(talk(60))
    const engine = engineOn(memory.db, { settings: small })
    const goal = { conversationId: 1, mode: 'untilUnder', targetTokens: 260, summarizer: 'deterministic' } as const
    const plan = engine.plan({ ...goal, reason: 'manual' })
    expect(plan.expectedTokensAfter).toBeLessThanOrEqual(260)
    expect(plan.steps.length).toBeGreaterThan(0)
  })

  it('is given up when the tail alone is above it, and good summaries are kept', async () => {
    using memory = remember(talk(60))
    const { result } = await compact(memory.db, { mode: 'untilUnder', targetTokens: 150 }, { settings: small })
    expect(result.stopReason).toBe('irreducible_tail')
    const plain = remember(talk(60))
    const full = await compact(plain.db, {}, { settings: small })
    expect(result.created).toEqual(full.result.created)
    plain.close()
  })
})

describe('model calls of the next pass', () => {
  const stored = (memory: ReturnType<typeof remember>) => ({
    events: memory.db.all(
      'SELECT pass, summary_id, ordinal, source_tokens, tokens FROM compaction_events ORDER BY event_id',
    ),
    summaries: memory.db.all('SELECT summary_id, depth, content FROM summaries ORDER BY summary_rowid'),
    links: memory.db.all('SELECT * FROM summary_sources ORDER BY summary_id, ordinal'),
  })

  it('fill the slots that a pass leaves idle at its end', async () => {
    const model = slow(({ depth }) => (depth === 0 ? 40 : 80))
    const besides: number[] = []
    let leaves = 0
    const counting: Summarizer = {
      ...model,
      summarize: async (request, signal) => {
        if (request.depth > 0) besides.push(leaves)
        else leaves += 1
        try {
          return await model.summarize(request, signal)
        } finally {
          if (request.depth === 0) leaves -= 1
        }
      },
    }
    // The last of 21 leaves would be made alone.
    const { memory } = await run(counting, { leafConcurrency: 4 }, {}, 86)
    expect(Math.min(...besides.slice(0, 3))).toBeGreaterThan(0)
    expect(model.seen.most).toBe(4)
    memory.close()
  })

  it('change nothing about what is stored, however long each takes', async () => {
    const spans = [
      () => 1,
      (_: SummaryRequest, call: number) => (call * 7) % 23,
      ({ depth }: SummaryRequest) => 20 - 9 * depth,
    ]
    const alone = await run(
      slow(() => 0),
      { leafConcurrency: 1 },
      {},
      200,
    )
    for (const ms of spans) {
      const model = slow(ms)
      const { memory, result } = await run(model, { leafConcurrency: 5 }, {}, 200)
      expect(result.stopReason).toBe(alone.result.stopReason)
      expect(model.seen.calls).toBe(result.created.length)
      expect(stored(memory)).toEqual(stored(alone.memory))
      expectSoundGraph(memory.db)
      memory.close()
    }
    alone.memory.close()
  })

  it('are not made for a run with a goal, which a pass may reach', async () => {
    const model = slow(() => 2)
    const { memory, result } = await run(model, { leafConcurrency: 4 }, { mode: 'untilUnder', targetTokens: 3_000 })
    expect(result.stopReason).toBe('target_reached')
    expect(model.seen.calls).toBeLessThanOrEqual(result.created.length + 3)
    memory.close()
  })

  it('are dropped when the run is cancelled', async () => {
    const memory = remember(talk(86))
    const model = slow(({ depth }) => (depth === 0 ? 1 : 60_000))
    const abort = new AbortController()
    const engine = engineOn(memory.db, { settings: { ...small, leafConcurrency: 4 }, summarizers: [model] })
    setTimeout(() => abort.abort(), 300)
    const { result } = await runToEnd(engine, { summarizer: 'slow' }, abort.signal)
    expect(result).toMatchObject({ stopReason: 'cancelled' })
    expect(model.seen.now).toBe(0)
    memory.close()
  })
})
