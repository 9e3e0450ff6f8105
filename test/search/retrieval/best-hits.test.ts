import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GrepHit, GrepInput, type GrepRequest } from '#core/contract/retrieval.ts'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { Grep } from '#core/search/grep.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory, STORY_BEGINS_MS, type TestMemory } from '#test/builders/memory.ts'
import { Random } from '#test/builders/random.ts'

const MESSAGES = 4000
/** A filter that everything passes: then every hit is scored. */
const EVERYTHING = { afterMs: 0 }

describe('the best hits', () => {
  let memory: TestMemory
  let lcm: Lcm
  const grep = (request: GrepRequest) =>
    lcm.retrieval.grep(GrepInput.parse({ sort: 'relevance', exactTotal: true, ...request }))

  beforeAll(async () => {
    memory = buildMemory({ conversations: [{}, {}] })
    const random = new Random(11)
    const store = new ConversationStore(memory.db, createTokenEstimator(), () => STORY_BEGINS_MS)
    const messages = Array.from({ length: MESSAGES }, (_, place) => {
      const content = Array.from({ length: random.int(3, 12) }, () =>
        random.pick(['stone', 'river', 'Lake_Side', 'sea']),
      )
      return {
        externalId: `m${place}`,
        role: 'user' as const,
        content: content.join(' '),
        // Neither in the order of the rows nor each its own.
        createdAtMs: STORY_BEGINS_MS + random.int(0, 500) * 1000,
        parts: [],
      }
    })
    store.ingestBulk([
      { conversationId: 1, messages: messages.slice(0, MESSAGES / 2) },
      { conversationId: 2, messages: messages.slice(MESSAGES / 2) },
    ])
    lcm = await openLcm(memory.path)
  })

  afterAll(() => {
    lcm.close()
    memory[Symbol.dispose]()
  })

  it.each(['stone', 'sea river', 'riv*', 'Lake_Side stone'])(
    'keep their order when a filter leaves few rows, which are ranked by themselves: %s',
    async (query) => {
      const filter = { beforeMs: STORY_BEGINS_MS + 50_000 }
      const few = await grep({ query, limit: 1000, match: 'all', ...filter })
      const everything = await grep({ query, limit: 1000, match: 'all' })
      const ids = new Set(few.hits.map((hit) => hit.id))
      expect(ids.size).toBeGreaterThan(20)
      expect(ids.size).toBe(few.total)
      const inAll = everything.hits.filter((hit) => ids.has(hit.id)).map((hit) => hit.id)
      expect(few.hits.map((hit) => hit.id).filter((id) => inAll.includes(id))).toEqual(inAll)
    },
  )

  it.each(['stone', 'sea river', 'riv*', 'stone OR sea'])(
    'keep their order when a filter leaves most rows, of which only the best are ranked: %s',
    async (query) => {
      const filter = { beforeMs: STORY_BEGINS_MS + 450_000 }
      const most = await grep({ query, limit: 50, match: 'all', ...filter })
      const everything = await grep({ query, limit: 1000, match: 'all' })
      const passed = everything.hits.filter(({ createdAtMs }) => (createdAtMs ?? 0) <= filter.beforeMs)
      expect(most.total).toBeGreaterThan(1000)
      expect(most.hits.map((hit) => hit.id)).toEqual(passed.slice(0, 50).map((hit) => hit.id))
    },
  )

  it.each(['stone', 'sea river', 'riv*', 'stone OR lake', 'sea NOT stone'])(
    'are the first of all hits, without sorting all: %s',
    async (query) => {
      const best = await grep({ query, limit: 50 })
      const all = await grep({ query, limit: 50, ...EVERYTHING })
      expect(best.total).toBe(all.total)
      expect(best.hits.map((hit) => hit.id)).toEqual(all.hits.map((hit) => hit.id))
    },
  )

  /** What a text scores for a query, after the book: which of its words it holds, how often, and how long it is. */
  function scorer(terms: readonly ((words: string) => number)[]) {
    const rows = memory.db
      .all<{ id: string; content: string }>("SELECT 'msg_' || message_id AS id, content FROM messages")
      .map(({ id, content }) => ({ id, words: ` ${content.toLowerCase().replaceAll('_', ' ')} ` }))
    const lengthOf = (words: string): number => words.trim().split(' ').length
    const average = rows.reduce((sum, { words }) => sum + lengthOf(words), 0) / rows.length
    const idfs = terms.map((count) => {
      const holding = rows.filter(({ words }) => count(words) > 0).length
      return Math.max(1e-6, Math.log((rows.length - holding + 0.5) / (holding + 0.5)))
    })
    return new Map(
      rows.map(({ id, words }) => {
        const damped = 1.2 * (0.25 + (0.75 * lengthOf(words)) / average)
        const parts = terms.map((count, i) => ((idfs[i] ?? 0) * count(words) * 2.2) / (count(words) + damped))
        return [id, parts.reduce((sum, part) => sum + part, 0)]
      }),
    )
  }
  const phrase = (wanted: string) => (words: string) =>
    Array.from(words, (_, at) => words.startsWith(` ${wanted}`, at)).filter(Boolean).length
  const word = (wanted: string) => phrase(`${wanted} `)

  it.each([
    ['stone', [word('stone')]],
    ['stone river', [word('stone'), word('river')]],
    ['stone OR sea', [word('stone'), word('sea')]],
    ['riv* NOT stone', [phrase('riv')]],
    ['"sea river"', [word('sea river')]],
    ['lake_side', [word('lake side')]],
    ['lake_side stone', [word('lake side'), word('stone')]],
    ['lake_side OR stone', [word('lake side'), word('stone')]],
  ] as const)(
    'are ordered by score, and equal ones by the order in which they were stored, by index and by scan: %s',
    async (query, terms) => {
      const scores = scorer(terms)
      const scanning = new Grep(
        memory.db,
        { ...NATIVE_CAPABILITIES, fullTextIndex: false },
        new MemoryReader(memory.db),
      )
      const searches = [
        grep,
        (request: GrepRequest) => scanning.search(GrepInput.parse({ sort: 'relevance', ...request })),
      ]
      for (const search of searches) {
        const hits: GrepHit[] = []
        for (let cursor: string | undefined; ; ) {
          const page = await search({ query, match: 'all', limit: 1000, cursor })
          hits.push(...page.hits)
          if (page.nextCursor === null) break
          cursor = page.nextCursor
        }
        expect(hits.length).toBeGreaterThan(500)
        expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length)
        hits.forEach((hit, place) => {
          const before = hits[place - 1]
          if (!before) return
          const difference = (scores.get(before.id) ?? 0) - (scores.get(hit.id) ?? 0)
          expect(difference).toBeGreaterThan(-1e-9)
          if (difference === 0) expect(Number(before.id.slice(4))).toBeGreaterThan(Number(hit.id.slice(4)))
        })
      }
    },
  )

  it('continue over pages as in one long page', async () => {
    const all = await grep({ query: 'stone', limit: 400, ...EVERYTHING })
    const first = await grep({ query: 'stone', limit: 200, ...EVERYTHING })
    const second = await grep({
      query: 'stone',
      limit: 200,
      ...EVERYTHING,
      ...(first.nextCursor && { cursor: first.nextCursor }),
    })
    expect([...first.hits, ...second.hits].map((hit) => hit.id)).toEqual(all.hits.map((hit) => hit.id))
  })

  it('are the same for small and capital letters when they are found by letters', async () => {
    const [small, large] = await Promise.all(
      ['lake_side', 'LAKE_SIDE'].map((query) => grep({ query, sort: 'newest', limit: 1000 })),
    )
    const both = await grep({ query: 'Lake_side sea', sort: 'newest', limit: 1 })
    expect(both.total).toBe((await grep({ query: 'lake sea', limit: 1 })).total)
    const wild = await grep({ query: 'lake-side', sort: 'newest' })
    expect(small?.total).toBe((await grep({ query: 'lake', limit: 1 })).total)
    expect(large?.hits.map((hit) => hit.id)).toEqual(small?.hits.map((hit) => hit.id))
    expect(wild.total).toBe(0)
  })
})
