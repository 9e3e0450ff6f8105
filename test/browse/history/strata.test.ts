import fc from 'fast-check'
import { expect, it } from 'vitest'
import { StrataService } from '#core/browse/strata.ts'
import { StrataAxis } from '#core/contract/strata.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory, type MessageSpec, STORY_BEGINS_MS, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { randomLineage, reachedFrom, writeLineage } from './random-lineage.ts'

const HOUR = 3_600_000
const strataOf = (memory: TestMemory, freshTailCount = 2): StrataService =>
  new StrataService(memory.db, new MemoryReader(memory.db), freshTailCount)

const randomMessages = fc.array(
  fc.record({
    tokens: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 500 })),
    // Few distinct times, so that many are equal and some run backwards.
    atMs: fc.integer({ min: 0, max: 12 }).map((hours) => STORY_BEGINS_MS + hours * 700),
    role: fc.constantFrom('user', 'assistant', 'tool', 'system'),
  }) satisfies fc.Arbitrary<MessageSpec>,
  { minLength: 1, maxLength: 40 },
)

it('the fresh tail begins at the oldest of the newest raw messages in the window, for the requested tail', () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, 10)
  memory.leaf(1, [9, 10])
  const strata = strataOf(memory, 2)
  const tailAt = (freshTailCount?: number): number =>
    strata.get({ conversationId: 1, axis: 'messages', freshTailCount }).freshTailX
  expect([tailAt(), tailAt(2), tailAt(5), tailAt(0), tailAt(99)]).toEqual([6, 6, 3, 10, 0])
})

it('the window separates what goes to the model from what is left out', () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, 6)
  const leaf = memory.leaf(1, [1, 2])
  const strata = new StrataService(memory.db, new MemoryReader(memory.db), 2, undefined, () => new Set([leaf, 'msg_4']))
  expect(
    strata.get({ conversationId: 1, axis: 'messages' }).window.map(({ x0, x1, isLeftOut }) => [x0, x1, isLeftOut]),
  ).toEqual([
    [0, 2, true],
    [2, 3, undefined],
    [3, 4, true],
    [4, 6, undefined],
  ])
})

it('a run is marked at the newest message of its time, whatever the clocks say', () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, 6)
  const leaf = memory.leaf(1, [1, 2])
  memory.db.run(
    `INSERT INTO compaction_runs (run_id, conversation_id, reason, mode, summarizer, configuration, owner, started_at, tokens_before)
     VALUES ('run_1', 1, 'manual', 'full', 'deterministic', '{}', 'test', :at, 1)`,
    { at: STORY_BEGINS_MS + 3_600_000 },
  )
  memory.db.run(
    `INSERT INTO compaction_events (run_id, conversation_id, at, pass, summary_id, ordinal, removed, level, source_tokens, tokens, duration_ms, newest_seq)
     VALUES ('run_1', 1, :at, 'leaf', :leaf, 0, '[]', 'normal', 2, 1, 0, 3)`,
    { at: STORY_BEGINS_MS + 3_600_000, leaf },
  )
  expect(strataOf(memory).get({ conversationId: 1, axis: 'messages' }).runs).toMatchObject([{ x: 4, runId: 'run_1' }])
})

it('the columns contain every message of the range once, in order, with all its tokens', () => {
  fc.assert(
    fc.property(
      randomMessages,
      fc.constantFrom(...StrataAxis.options),
      fc.integer({ min: 1, max: 60 }),
      (specs, axis, buckets) => {
        using memory = buildMemory({ conversations: [{ messages: specs }] })
        const strata = strataOf(memory)
        const { extent } = strata.get({ conversationId: 1, axis })
        const columns = strata.messages({ conversationId: 1, axis, x0: 0, x1: extent, buckets })
        expect(columns.x0.length).toBeLessThanOrEqual(buckets)
        expect(columns.count.reduce((a, b) => a + b, 0)).toBe(specs.length)
        expect(columns.tokens.reduce((a, b) => a + b, 0)).toBe(specs.reduce((sum, spec) => sum + spec.tokens, 0))
        expect(columns.inWindow.reduce((a, b) => a + b, 0)).toBe(specs.length)
        expect(Math.max(...columns.maxTokens)).toBe(Math.max(...specs.map((spec) => spec.tokens)))
        let first = 1
        columns.count.forEach((count, column) => {
          expect(columns.firstMessage[column]).toBe(first)
          first += count
          expect(columns.x0[column]).toBeLessThanOrEqual(columns.x1[column] ?? -1)
          expect(columns.x0[column]).toBeGreaterThanOrEqual(columns.x1[column - 1] ?? 0)
          expect(columns.x1[column]).toBeLessThanOrEqual(extent)
        })
      },
    ),
    { numRuns: runs(25) },
  )
})

it('a message belongs to a range exactly when it reaches into it', () => {
  fc.assert(
    fc.property(
      randomMessages,
      fc.constantFrom(...StrataAxis.options),
      fc.nat(100),
      fc.nat(100),
      (specs, axis, a, b) => {
        using memory = buildMemory({ conversations: [{ messages: specs }] })
        const strata = strataOf(memory)
        const { extent } = strata.get({ conversationId: 1, axis })
        const each = strata.messages({ conversationId: 1, axis, x0: 0, x1: extent, buckets: 8192 })
        const [x0, x1] = [(extent * Math.min(a, b)) / 100, (extent * Math.max(a, b)) / 100]
        const inside = each.firstMessage.filter((_, i) => {
          const [from, to] = [each.x0[i] ?? 0, each.x1[i] ?? 0]
          return (from < x1 || x1 >= extent) && (to > x0 || from >= x0)
        })
        expect(strata.messages({ conversationId: 1, axis, x0, x1, buckets: 8192 }).firstMessage).toEqual(inside)
      },
    ),
    { numRuns: runs(25) },
  )
})

it('messages of one second are drawn side by side within it', () => {
  using memory = buildMemory({ conversations: [{ messages: [1, 2, 3, 4].map(() => ({ atMs: STORY_BEGINS_MS })) }] })
  const strata = strataOf(memory)
  expect(strata.get({ conversationId: 1, axis: 'time' })).toMatchObject({ extent: 1000, originMs: STORY_BEGINS_MS })
  const columns = strata.messages({ conversationId: 1, axis: 'time', x0: 0, x1: 1000, buckets: 100 })
  expect([columns.x0, columns.x1]).toEqual([
    [0, 250, 500, 750],
    [250, 500, 750, 1000],
  ])
})

it('a gap in time is drawn as a gap', () => {
  using memory = buildMemory({
    conversations: [{ messages: [0, 9].map((hours) => ({ atMs: STORY_BEGINS_MS + hours * HOUR })) }],
  })
  const columns = strataOf(memory).messages({ conversationId: 1, axis: 'time', x0: 0, x1: 10 * HOUR, buckets: 10 })
  expect(columns.x1[0]).toBe(60_000)
  expect(columns.x0[1]).toBe(9 * HOUR)
})

it('the window is shown as summaries and runs of raw messages, with the begin of the fresh tail', () => {
  using memory = buildMemory({ conversations: [{}] })
  const ids = memory.messages(
    1,
    Array.from({ length: 8 }, () => ({ tokens: 10 })),
  )
  const leaf = memory.leaf(1, ids.slice(0, 4), { tokens: 5 })
  memory.window(1, [leaf, ...ids.slice(4, 6), 8])
  const strata = strataOf(memory, 3).get({ conversationId: 1, axis: 'messages' })
  expect(strata.window).toEqual([
    { x0: 0, x1: 4, id: leaf, depth: 0, items: 1, tokens: 5 },
    { x0: 4, x1: 6, id: null, depth: -1, items: 2, tokens: 20 },
    { x0: 7, x1: 8, id: null, depth: -1, items: 1, tokens: 10 },
  ])
  expect(strata).toMatchObject({ extent: 8, freshTailX: 4, totalTokens: 80, maxDepth: 0 })
  expect(strata.marks).toEqual([{ kind: 'uncovered', x0: 6, x1: 7, messages: 1, firstId: 'msg_7' }])
  expect(strataOf(memory, 0).get({ conversationId: 1, axis: 'messages' }).freshTailX).toBe(8)
  expect(strataOf(memory, 99).get({ conversationId: 1, axis: 'tokens' }).freshTailX).toBe(40)
})

it('summaries are placed over what they cover, by depth and then from left to right', () => {
  using memory = buildMemory({ conversations: [{}] })
  const ids = memory.messages(
    1,
    Array.from({ length: 6 }, () => ({ tokens: 10 })),
  )
  const late = memory.leaf(1, ids.slice(3, 6), { content: 'late' })
  const early = memory.leaf(1, ids.slice(0, 3), { content: 'early' })
  const top = memory.condensed(1, [early, late])
  const { summaries, marks } = strataOf(memory).get({ conversationId: 1, axis: 'tokens' })
  expect(summaries.id).toEqual([early, late, top])
  expect([summaries.x0, summaries.x1]).toEqual([
    [0, 30, 0],
    [30, 60, 60],
  ])
  expect(summaries).toMatchObject({ messages: [3, 3, 6], sourceTokens: [30, 30, 60], inWindow: [0, 0, 1] })
  expect(marks).toEqual([])
})

it('messages under two leaves without a common dependent are marked, and no others', () => {
  const sharesDependent = (
    lineage: { edges: readonly (readonly [number, number])[] },
    a: number,
    b: number,
    count: number,
  ) => {
    const up = (node: number, above = new Set<number>()): Set<number> => {
      for (const [from, to] of lineage.edges) {
        if (to === node && from < count && !above.has(from)) up(from, above.add(from))
      }
      return above
    }
    const over = up(b).add(b)
    return [...up(a).add(a)].some((node) => over.has(node) && !(node === a && node === b))
  }
  fc.assert(
    fc.property(randomLineage, (given) => {
      // Acyclic here: on a cycle it is a matter of taste what stands above what.
      const lineage = { ...given, edges: given.edges.filter(([from, to]) => from > to) }
      using memory = writeLineage(lineage)
      const { marks } = strataOf(memory).get({ conversationId: 1, axis: 'messages' })
      const marked = (kind: string): number[] =>
        marks
          .filter((mark) => mark.kind === kind)
          .flatMap((mark) => Array.from({ length: mark.messages }, (_, i) => mark.x0 + i))
          .sort((a, b) => a - b)
      const total = lineage.leaves.length + lineage.condensed
      const leavesOver = (message: number): number[] =>
        lineage.leaves.flatMap((_, place) => (reachedFrom(lineage, place).has(message) ? [place] : []))
      const twice = Array.from({ length: lineage.messages }, (_, message) => message).filter((message) =>
        leavesOver(message).some((a, _, all) => all.some((b) => b > a && !sharesDependent(lineage, a, b, total))),
      )
      expect(marked('double_coverage')).toEqual(twice)
      const seen = new Set(lineage.windowSummaries.flatMap((place) => [...reachedFrom(lineage, place)]))
      for (const message of lineage.windowMessages) seen.add(message)
      const lost = Array.from({ length: lineage.messages }, (_, message) => message).filter((m) => !seen.has(m))
      expect(marked('uncovered')).toEqual(lost)
    }),
    { numRuns: runs(40) },
  )
})

it('a damaged lineage has strata on every axis', () => {
  fc.assert(
    fc.property(randomLineage, (lineage) => {
      using memory = writeLineage(lineage)
      for (const axis of StrataAxis.options) {
        const strata = strataOf(memory).get({ conversationId: 1, axis })
        expect(strata.summaries.id.length).toBe(lineage.leaves.length + lineage.condensed)
        for (const x of [...strata.summaries.x0, ...strata.summaries.x1, strata.freshTailX]) {
          expect(x).toBeGreaterThanOrEqual(0)
          expect(x).toBeLessThanOrEqual(strata.extent)
        }
      }
    }),
    { numRuns: runs(25) },
  )
})

it('the time axis has at most 24 ticks, at round times, for histories of minutes and of years', () => {
  for (const hours of [0.5, 3, 30, 24 * 40, 24 * 3000]) {
    using memory = buildMemory({
      conversations: [
        {
          messages: Array.from({ length: 50 }, (_, i) => ({
            atMs: STORY_BEGINS_MS + Math.round((i * hours * HOUR) / 49),
          })),
        },
      ],
    })
    for (const axis of StrataAxis.options) {
      const { ticks, extent } = strataOf(memory).get({ conversationId: 1, axis })
      expect(ticks.length).toBeGreaterThan(0)
      expect(ticks.length).toBeLessThanOrEqual(24)
      for (const tick of ticks) expect([tick.atMs % 60_000, tick.x <= extent]).toEqual([0, true])
      expect(ticks.map((tick) => tick.x)).toEqual(ticks.map((tick) => tick.x).sort((a, b) => a - b))
    }
  }
})

it('a compaction run is placed after the newest message of its time', () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, 4)
  memory.db.run(
    `INSERT INTO compaction_runs (run_id, conversation_id, reason, mode, summarizer, configuration, owner, started_at, tokens_before)
     VALUES ('run_1', 1, 'manual', 'full', 'deterministic', '{}', 'test', :at, 10)`,
    { at: STORY_BEGINS_MS + 61_000 },
  )
  expect(strataOf(memory).get({ conversationId: 1, axis: 'messages' }).runs).toEqual([
    { x: 2, runId: 'run_1', atMs: STORY_BEGINS_MS + 61_000 },
  ])
})

it('an empty conversation has empty strata', () => {
  using memory = buildMemory({ conversations: [{}] })
  for (const axis of StrataAxis.options) {
    expect(strataOf(memory).get({ conversationId: 1, axis })).toMatchObject({
      extent: 0,
      ticks: [],
      marks: [],
      window: [],
    })
    expect(strataOf(memory).messages({ conversationId: 1, axis, x0: 0, x1: 0, buckets: 5 }).count).toEqual([])
  }
})
