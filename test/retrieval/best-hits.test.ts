import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTokenEstimator } from '../../core/context/token-estimator.ts'
import { GrepInput, type GrepRequest } from '../../core/contract/retrieval.ts'
import { ConversationStore } from '../../core/conversations/conversation-store.ts'
import { type Lcm, openLcm } from '../../core/lcm.ts'
import { buildMemory, STORY_BEGINS_MS, type TestMemory } from '../builders/memory.ts'
import { Random } from '../builders/random.ts'

const MESSAGES = 9000
/** A filter that everything passes: then every hit is scored. */
const EVERYTHING = { afterMs: 0 }

describe('the best of many hits', () => {
  let memory: TestMemory
  let lcm: Lcm
  const grep = (request: GrepRequest) =>
    lcm.retrieval.grep(GrepInput.parse({ sort: 'relevance', exactTotal: true, ...request }))

  beforeAll(() => {
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
    lcm = openLcm(memory.path)
  })

  afterAll(() => {
    lcm.close()
    memory[Symbol.dispose]()
  })

  it.each(['stone', 'sea river', 'riv*', 'stone OR lake', 'sea NOT stone'])(
    'are those that come first of all: %s',
    async (query) => {
      const best = await grep({ query, limit: 50 })
      const all = await grep({ query, limit: 50, ...EVERYTHING })
      expect(best.total).toBe(all.total)
      expect(best.hits.map((hit) => hit.id)).toEqual(all.hits.map((hit) => hit.id))
    },
  )

  it('go on from page to page as they would be all at once', async () => {
    const all = await grep({ query: 'stone', limit: 400, ...EVERYTHING })
    const first = await grep({ query: 'stone', limit: 200 })
    const second = await grep({ query: 'stone', limit: 200, ...(first.nextCursor && { cursor: first.nextCursor }) })
    expect([...first.hits, ...second.hits].map((hit) => hit.id)).toEqual(all.hits.map((hit) => hit.id))
  })

  it('of what is found by its letters are the same in large and small ones', async () => {
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
