import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ConversationFacts, conversationPage } from '#core/browse/stats/conversation-page.ts'
import { MemoryStats } from '#core/browse/stats/memory-stats.ts'
import { CONVERSATION_SORTS } from '#core/contract/lists.ts'
import { ConversationsInput } from '#core/contract/memory.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { buildMemory } from '../builders/memory.ts'
import { openMemory } from '../builders/open-memory.ts'

const conversation = (over: Partial<ConversationFacts> & { readonly conversationId: number }): ConversationFacts => ({
  sessionId: `session-${over.conversationId}`,
  title: null,
  parentConversationId: null,
  archivedAtMs: null,
  createdAtMs: null,
  updatedAtMs: null,
  internal: null,
  summaries: 0,
  maxDepth: -1,
  ...over,
})

const pageOf = (
  all: readonly ConversationFacts[],
  asked: Partial<ConversationsInput>,
  sizes: readonly (number | null)[] = [],
) => conversationPage(all, ConversationsInput.parse(asked), ({ conversationId }) => sizes[conversationId] ?? null)

const idsOf = (...given: Parameters<typeof pageOf>): number[] =>
  pageOf(...given).rows.map(({ conversationId }) => conversationId)

const rows = [
  conversation({ conversationId: 1, title: 'Release 4.2', updatedAtMs: 30 }),
  conversation({ conversationId: 2, title: 'release notes', updatedAtMs: 10 }),
  conversation({ conversationId: 3, title: 'auth', updatedAtMs: 90, parentConversationId: 1 }),
]
const internal = conversation({ conversationId: 8, internal: 'a summariser’s own', summaries: 2, updatedAtMs: 99 })

describe('a page of conversations', () => {
  it('begins with what changed last, or with the greatest that is known', () => {
    expect(idsOf(rows, {})).toEqual([3, 1, 2])
    expect(idsOf(rows, { sort: 'size' }, [0, 10, 30, 20])).toEqual([2, 3, 1])
    expect(idsOf(rows, { sort: 'pressure' }, [0, 0, null, 0.5])).toEqual([3, 1, 2])
  })

  it('begins with the other end when it is reversed, and with what is not known last all the same', () => {
    expect(idsOf(rows, { reversed: true })).toEqual([2, 1, 3])
    expect(idsOf([internal, ...rows], { sort: 'messages', reversed: true }, [0, 10, null, 5])).toEqual([3, 1, 2, 8])
  })

  it('has the conversations of a memory system with itself last, or leaves them out and counts them', () => {
    expect(idsOf([internal, ...rows], {})).toEqual([3, 1, 2, 8])
    const hidden = pageOf([internal, ...rows], { internal: 'hidden' })
    expect(hidden).toMatchObject({ found: 3, internal: 1 })
    expect(hidden.rows).not.toContain(internal)
  })

  it('holds those that have every word, in any order and any case', () => {
    expect(idsOf(rows, { query: 'NOTES release' })).toEqual([2])
    expect(idsOf(rows, { query: 'session-3' })).toEqual([3])
    expect(pageOf(rows, { query: 'nowhere' })).toMatchObject({ rows: [], found: 0, nextCursor: null })
  })

  it('holds the sub-agents of one conversation', () => {
    expect(idsOf(rows, { parentConversationId: 1 })).toEqual([3])
  })

  it('begins, for a window that opens, with a compacted one of the user, and with a sub-agent or internal one last', () => {
    const compacted = conversation({ conversationId: 4, summaries: 3, updatedAtMs: 1 })
    expect(idsOf([internal, ...rows, compacted], { sort: 'opening' })).toEqual([4, 1, 2, 3, 8])
  })

  it('is refused for a cursor of another question', () => {
    const { nextCursor } = pageOf(rows, { limit: 1 })
    expect(() => pageOf(rows, { limit: 1, cursor: nextCursor ?? '', query: 'release' })).toThrowError(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
  })

  // Invariant: page after page, every conversation that was asked for comes exactly once, in the order of one large page.
  it('is followed by pages that hold every other conversation once, whatever the order and the length', () => {
    const time = fc.option(fc.integer({ min: 0, max: 4 }), { nil: null })
    const facts = fc.record({
      createdAtMs: time,
      updatedAtMs: fc.oneof(time, fc.constant(Number.NaN)),
      summaries: fc.integer({ min: 0, max: 1 }),
      internal: fc.constantFrom(null, 'a run'),
      parentConversationId: fc.constantFrom(null, 1),
      title: fc.constantFrom(null, 'a', 'b'),
    })
    fc.assert(
      fc.property(
        fc.array(facts, { maxLength: 30 }),
        fc.record({
          sort: fc.constantFrom(...CONVERSATION_SORTS),
          reversed: fc.boolean(),
          internal: fc.constantFrom('shown' as const, 'hidden' as const),
          query: fc.constantFrom('', 'a'),
          limit: fc.integer({ min: 1, max: 7 }),
        }),
        fc.array(fc.option(fc.double({ min: 0, max: 2, noNaN: true }), { nil: null }), { maxLength: 31 }),
        (found, asked, sizes) => {
          const all = found.map((each, index) => conversation({ ...each, conversationId: index + 1 }))
          const paged: number[] = []
          for (let cursor: string | null = ''; cursor !== null; ) {
            const page = pageOf(all, { ...asked, ...(cursor && { cursor }) }, sizes)
            expect(page.rows.length).toBeLessThanOrEqual(asked.limit)
            paged.push(...page.rows.map(({ conversationId }) => conversationId))
            cursor = page.nextCursor
          }
          const whole = pageOf(all, { ...asked, limit: 1000 }, sizes)
          expect(paged).toEqual(whole.rows.map(({ conversationId }) => conversationId))
          expect(new Set(paged).size).toBe(whole.found)
        },
      ),
    )
  })
})

describe('a page of the conversations of a memory', () => {
  it('has the figures that the whole list has, and the number of all', () => {
    using memory = buildMemory({
      conversations: [
        { title: 'one', messages: [{ tokens: 5 }] },
        {},
        { title: 'three', messages: [{}, { tokens: 9 }] },
      ],
    })
    memory.leaf(3, [2], { tokens: 2 })
    const opened = openMemory(memory.path)
    opened.close()
    const settings = { budgetTokens: 100, freshTailCount: 8 }
    const stats = new MemoryStats(memory.db, opened.info, settings, createTokenEstimator())
    const whole = stats.conversations()
    for (const sort of CONVERSATION_SORTS) {
      const page = stats.page(ConversationsInput.parse({ sort }))
      expect(page).toMatchObject({ found: 3, total: 3, nextCursor: null })
      expect(page.conversations.toSorted((a, b) => a.conversationId - b.conversationId)).toEqual(whole)
    }
    const [one] = whole
    expect(stats.page(ConversationsInput.parse({ conversationIds: [1, 99], limit: 1 }))).toEqual({
      conversations: [one],
      found: 1,
      internal: 0,
      total: 3,
      nextCursor: null,
    })
  })

  it('says what a check found and when each was compacted if it is asked, and sorts and filters by it', () => {
    using memory = buildMemory({ conversations: [{ messages: ['a'] }, { messages: ['b'] }, { messages: ['c'] }] })
    memory.leaf(3, [3], { tokens: 2, atMs: 5_000 })
    memory.leaf(1, [1], { tokens: 2, atMs: 7_000 })
    const opened = openMemory(memory.path)
    opened.close()
    const stats = new MemoryStats(
      memory.db,
      opened.info,
      { budgetTokens: 100, freshTailCount: 8 },
      createTokenEstimator(),
    )
    const found = new Map([
      [2, { error: 1, warning: 0 }],
      [3, { error: 0, warning: 9 }],
    ])
    const asked = (input: Partial<ConversationsInput>) =>
      stats.page(ConversationsInput.parse(input), found).conversations
    const ids = (input: Partial<ConversationsInput>) => asked(input).map(({ conversationId }) => conversationId)
    expect(ids({ sort: 'findings' })).toEqual([2, 3, 1])
    expect(ids({ sort: 'compaction' })).toEqual([1, 3, 2])
    expect(ids({ only: 'findings' }).sort()).toEqual([2, 3])
    expect(ids({ only: 'compacted' }).sort()).toEqual([1, 3])
    expect(ids({ minPressure: 0.5 })).toEqual([])
    const byId = new Map(asked({ health: true }).map((row) => [row.conversationId, row]))
    expect(byId.get(3)).toMatchObject({ compactedAtMs: 5_000, findings: { error: 0, warning: 9 } })
    expect(byId.get(2)).toMatchObject({ compactedAtMs: null, findings: { error: 1, warning: 0 } })
    // Without a check nothing is said of findings.
    expect(stats.page(ConversationsInput.parse({ health: true })).conversations[0]).not.toHaveProperty('findings')
  })
})
