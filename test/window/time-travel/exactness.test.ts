import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ContextAt, ContextDifference, type Moment, Timeline } from '#core/contract/time-travel.ts'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import type { NewMessage } from '#core/ingest/new-message.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { ContextAssembler } from '#core/window/context-assembler.ts'
import { buildMemory, STORY_BEGINS_MS, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { restsEnd, slowly } from '#test/builders/reading-times.ts'
import { engineOn, runToEnd } from '#test/compaction/run-compaction.ts'
import { travelIn } from './travel.ts'

// "contextAt(conversationId, when): the context window as it stood after any message or compaction event. Exact from the
// event log in native files."

afterEach(() => vi.restoreAllMocks())

/** What a history is built of: some messages, or a compaction with these settings. */
type Act =
  | { readonly kind: 'append'; readonly count: number; readonly words: number; readonly skewMs: number }
  | {
      readonly kind: 'compact'
      readonly tail: number
      readonly mode: 'leaf' | 'condense' | 'full'
      readonly fanout: number
    }

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    kind: fc.constant('append' as const),
    count: fc.integer({ min: 1, max: 9 }),
    words: fc.constantFrom(3, 30, 120),
    // Clocks are set back and forth, and imported messages are older than the compactions before them.
    skewMs: fc.constantFrom(0, 0, 0, -3_600_000, 3_600_000),
  }),
  fc.record({
    kind: fc.constant('compact' as const),
    tail: fc.constantFrom(0, 0, 2, 5),
    mode: fc.constantFrom('leaf' as const, 'full' as const, 'condense' as const),
    fanout: fc.constantFrom(2, 3),
  }),
)

type Recorded = { readonly moment: Moment; readonly window: readonly string[]; readonly name: string }

/**
 * Carries the acts out with the real store and engine and writes down the window after each step.
 * @param look is called after each act
 */
async function live(memory: TestMemory, acts: readonly Act[], look: () => void = () => {}): Promise<Recorded[]> {
  const store = new ConversationStore(memory.db, createTokenEstimator(), () => STORY_BEGINS_MS)
  const recorded: Recorded[] = []
  let clockMs = STORY_BEGINS_MS
  let made = 0
  const tick = (): number => {
    clockMs += 1_000
    return clockMs
  }
  for (const step of acts) {
    if (step.kind === 'append') {
      for (let index = 0; index < step.count; index += 1) {
        made += 1
        store.append(1, [message(made, step.words, tick() + step.skewMs)])
        const id = memory.db.value<number>('SELECT max(message_id) FROM messages')
        recorded.push({ moment: { messageId: `msg_${id}` }, window: windowIds(memory), name: `message ${made}` })
      }
      look()
      continue
    }
    const engine = engineOn(memory.db, {
      clock: tick,
      settings: {
        freshTailCount: step.tail,
        leafChunkTokens: 150,
        leafTargetTokens: 20,
        condensedTargetTokens: 20,
        condensedMinFanout: step.fanout,
        minMessagesToCompact: 1,
        leafConcurrency: 2,
      },
    })
    const { result } = await runToEnd(engine, { mode: step.mode }, undefined, () => {
      const eventId = memory.db.value<number>('SELECT max(event_id) FROM compaction_events') ?? 0
      recorded.push({ moment: { eventId }, window: windowIds(memory), name: `event ${eventId}` })
    })
    const { runId } = result
    if (runId) recorded.push({ moment: { runId }, window: windowIds(memory), name: `run ${runId}` })
    look()
  }
  return recorded
}

const message = (number: number, words: number, createdAtMs: number): NewMessage => ({
  externalId: `m${number}`,
  role: number % 2 === 0 ? 'assistant' : 'user',
  content: `Step ${number}: ${Array.from({ length: words }, (_, word) => `w${(number * 7 + word) % 50}`).join(' ')}`,
  createdAtMs,
  parts: [],
})

const windowIds = (memory: TestMemory): string[] =>
  memory.windowItems(1).map((item) => (typeof item === 'number' ? `msg_${item}` : item))

describe('time travel in a file that records every replacement', () => {
  it('shows for every moment exactly the window of that moment', async () => {
    let moments = 0
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 14 }), async (acts) => {
        using memory = buildMemory({ conversations: [{}] })
        const recorded = await live(memory, acts)
        const travel = travelIn(memory.db)
        for (const { moment, window, name } of recorded) {
          const context = ContextAt.parse(travel.contextAt({ conversationId: 1, moment }))
          expect(
            context.items.map((item) => item.id),
            name,
          ).toEqual(window)
          expect(context.reconstructed, name).toBe(false)
          moments += 1
        }
        const { events, isExact, messages } = Timeline.parse(travel.timeline(1))
        expect(isExact).toBe(true)
        expect(messages).toBe(memory.db.value('SELECT count(*) FROM messages'))
        for (const limit of [1, 2, 5]) {
          const parts: Timeline[] = []
          for (let next: number | undefined = 0; next !== undefined; next = parts.at(-1)?.nextEvent)
            parts.push(Timeline.parse(travel.timeline(1, { fromEvent: next, limit })))
          expect(parts.flatMap((part) => part.events)).toEqual(events)
          expect(parts.every((part) => part.events.length <= limit && part.messages === messages)).toBe(true)
        }
        for (const event of events) {
          const before = recorded.findIndex(({ name }) => name === `event ${event.eventId}`)
          expect(event.messages).toBe(recorded.slice(0, before).filter(({ moment }) => 'messageId' in moment).length)
          const { activeTokens } = travel.contextAt({ conversationId: 1, moment: { eventId: event.eventId } })
          expect(event.activeTokens).toBe(activeTokens)
        }
      }),
      { numRuns: runs(30) },
    )
    expect(moments).toBeGreaterThan(runs(250))
  })

  it('follows a file that grows and is compacted, and says after each step what a first reading says', async () => {
    slowly()
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 10 }), async (acts) => {
        using memory = buildMemory({ conversations: [{}] })
        const travel = travelIn(memory.db)
        await live(memory, acts, () => {
          const timeline = travel.timeline(1)
          expect(timeline).toEqual(travelIn(memory.db).timeline(1))
          const marks = travel.compactions({ conversationId: 1, from: 0, to: timeline.messages })
          expect(marks.reduce((sum, { summaries }) => sum + summaries, 0)).toBe(timeline.events.length)
          const half = timeline.messages >> 1
          const parts = [travel.compactions({ conversationId: 1, from: 0, to: half })]
          parts.push(travel.compactions({ conversationId: 1, from: half, to: timeline.messages }))
          expect(parts.flat()).toEqual(marks)
        })
      }),
      { numRuns: runs(15) },
    )
  })

  it('shows an event that another program changed in its place once the rest after reading events ends', async () => {
    slowly()
    using memory = buildMemory({ conversations: [{}] })
    await live(memory, [
      { kind: 'append', count: 6, words: 120, skewMs: 0 },
      { kind: 'compact', tail: 2, mode: 'full', fanout: 2 },
    ])
    const travel = travelIn(memory.db)
    const runOf = () => travel.timeline(1).events[0]?.runId
    const before = runOf()
    memory.damage("UPDATE compaction_events SET run_id = 'another'")
    expect(runOf()).toBe(before)
    restsEnd()
    memory.messages(1, 1)
    expect(runOf()).toBe('another')
  })

  it('shows what left and what entered between any two moments', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 8 }), fc.nat(), fc.nat(), async (acts, a, b) => {
        using memory = buildMemory({ conversations: [{}] })
        const recorded = await live(memory, acts)
        const [one, other] = [recorded[a % recorded.length], recorded[b % recorded.length]]
        if (!one || !other) return
        const travel = travelIn(memory.db)
        const change = ContextDifference.parse(
          travel.difference({ conversationId: 1, from: one.moment, to: other.moment }),
        )
        const after = one.window.filter((id) => !change.left.some((item) => item.id === id))
        expect(change.stayed).toBe(after.length)
        for (const item of change.entered) after.splice(item.ordinal, 0, item.id)
        expect(after).toEqual(other.window)
      }),
      { numRuns: runs(15) },
    )
  })

  it('assembles a past window by the rules of the present one', async () => {
    using memory = buildMemory({ conversations: [{}] })
    const recorded = await live(memory, [
      { kind: 'append', count: 9, words: 30, skewMs: 0 },
      { kind: 'compact', tail: 2, mode: 'leaf', fanout: 2 },
    ])
    const past = recorded[8]
    if (!past) throw new Error('nothing was recorded')
    const context = travelIn(memory.db).contextAt({
      conversationId: 1,
      moment: past.moment,
      budgetTokens: 120,
      freshTailCount: 1,
    })
    expect(context.items.at(-1)).toMatchObject({ included: true, reasonCode: 'fresh_tail', id: 'msg_9' })
    expect(context.items[0]).toMatchObject({ included: false, reasonCode: 'out_of_budget' })
    expect(context).toMatchObject({ budget: 120, events: 0, atMs: STORY_BEGINS_MS + 9_000 })

    using untouched = buildMemory({ conversations: [{}] })
    await live(untouched, [{ kind: 'append', count: 9, words: 30, skewMs: 0 }])
    const { compaction } = readSettings({})
    const then = new ContextAssembler(untouched.db, createTokenEstimator(), compaction).assemble({
      conversationId: 1,
      budgetTokens: 120,
      freshTailCount: 1,
    })
    const { atMs: _, events: __, ...rest } = context
    expect(rest).toEqual(then)
  })

  it('shows the stored window for now, and for any time after the last event', async () => {
    using memory = buildMemory({ conversations: [{}] })
    const recorded = await live(memory, [
      { kind: 'append', count: 9, words: 30, skewMs: 0 },
      { kind: 'compact', tail: 2, mode: 'full', fanout: 2 },
      { kind: 'append', count: 1, words: 30, skewMs: 0 },
    ])
    const travel = travelIn(memory.db)
    const { lastAtMs } = travel.timeline(1)
    for (const moment of [{ now: true } as const, { atMs: (lastAtMs ?? 0) + 1 }]) {
      const context = travel.contextAt({ conversationId: 1, moment })
      expect(context.items.map((item) => item.id)).toEqual(recorded.at(-1)?.window)
      expect(context).toMatchObject({ reconstructed: false, events: travel.timeline(1).events.length })
    }
  })

  it('separates times by the second', async () => {
    using memory = buildMemory({ conversations: [{}] })
    const recorded = await live(memory, [
      { kind: 'append', count: 6, words: 30, skewMs: 0 },
      { kind: 'compact', tail: 2, mode: 'leaf', fanout: 2 },
      { kind: 'append', count: 3, words: 30, skewMs: 0 },
    ])
    const travel = travelIn(memory.db)
    const { events } = travel.timeline(1)
    const ids = (atMs: number): string[] =>
      travel.contextAt({ conversationId: 1, moment: { atMs } }).items.map((item) => item.id)
    expect(ids(STORY_BEGINS_MS)).toEqual([])
    expect(ids(STORY_BEGINS_MS + 4_500)).toEqual(recorded[3]?.window)
    const first = events[0]
    expect(ids(first?.atMs ?? 0)).toEqual(recorded.find(({ name }) => name === `event ${first?.eventId}`)?.window)
  })

  it('separates what was recorded from what only clocks say', async () => {
    using memory = buildMemory({ conversations: [{}] })
    await live(memory, [
      { kind: 'append', count: 6, words: 30, skewMs: 0 },
      { kind: 'compact', tail: 0, mode: 'leaf', fanout: 2 },
      { kind: 'append', count: 3, words: 30, skewMs: 0 },
    ])
    memory.damage('UPDATE compaction_events SET newest_seq = NULL')
    const travel = travelIn(memory.db)
    expect(travel.timeline(1).isExact).toBe(false)
    const first = travel.contextAt({ conversationId: 1, moment: { messageId: 'msg_3' } })
    expect(first.items.map((item) => item.id)).toEqual(['msg_1', 'msg_2', 'msg_3'])
    expect(first.reconstructed).toBe(true)
    const [event] = travel.timeline(1).events
    const at = travel.contextAt({ conversationId: 1, moment: { eventId: event?.eventId ?? 0 } })
    expect(at.items[0]?.id).toBe(event?.summaryId)
    expect(at.reconstructed).toBe(true)
  })

  it('names the moments that it does not know', () => {
    using memory = buildMemory({ conversations: [{ messages: ['a'] }, { messages: ['b'] }] })
    const travel = travelIn(memory.db)
    for (const moment of [{ messageId: 'msg_2' }, { messageId: 'nobody' }, { eventId: 1 }, { runId: 'run_x' }]) {
      expect(() => travel.contextAt({ conversationId: 1, moment })).toThrow(
        expect.objectContaining({ code: 'not_found', message: expect.stringMatching(/look for it with|Ask for/) }),
      )
    }
    expect(() => travel.timeline(9)).toThrow(expect.objectContaining({ code: 'not_found' }))
  })
})

it('time travel uses the reader that the other services use', () => {
  using memory = buildMemory({ conversations: [{}] })
  expect(travelIn(memory.db, new MemoryReader(memory.db)).timeline(1)).toEqual({
    firstAtMs: null,
    lastAtMs: null,
    messages: 0,
    isExact: true,
    events: [],
  })
})
