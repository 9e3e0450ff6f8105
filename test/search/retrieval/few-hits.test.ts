import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GrepInput, type GrepRequest } from '#core/contract/retrieval.ts'
import { ConversationStore } from '#core/ingest/conversation-store.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { Grep } from '#core/search/grep.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'

/** More than are looked up at first. */
const MESSAGES = 6000

let memory: TestMemory
let grep: Grep

/** In the first conversation every message has "often", every tenth "seldom" and one "once"; the second has all of them. */
beforeAll(() => {
  memory = buildMemory({ conversations: [] })
  const store = new ConversationStore(memory.db, createTokenEstimator(), () => 0)
  for (const [name, count] of [
    ['long', MESSAGES],
    ['short', 30],
  ] as const) {
    const conversationId = store.ensureConversation({ importer: 'test', sessionId: name })
    const messages = Array.from({ length: count }, (_, place) => ({
      externalId: null,
      role: 'user' as const,
      content: `often ${place % 10 === 3 ? 'seldom ' : ''}${place === count - 5 ? 'once ' : ''}src/file-${place}.ts`,
      createdAtMs: place,
      parts: [],
    }))
    store.ingestBulk([{ conversationId, messages }])
  }
  grep = new Grep(memory.db, NATIVE_CAPABILITIES, new MemoryReader(memory.db))
})
afterAll(() => memory.close())

const ask = (input: GrepRequest): GrepInput => GrepInput.parse({ limit: 20, ...input })

describe('a search for ids', () => {
  it.each([
    ['often', MESSAGES + 30],
    ['seldom', MESSAGES / 10 + 3],
    ['often seldom', MESSAGES / 10 + 3],
    ['once', 2],
    ['never', 0],
  ])('gives ids for %s, which has %i hits, unless it has more than are wanted', async (query, hits) => {
    const input = ask({ query, sort: 'relevance', match: 'all' })
    const { hits: found } = await grep.search(input)
    expect(await grep.searchIds(input, hits)).toEqual({
      ...{ ids: found.map(({ id }) => id), total: hits },
      totalIsExact: true,
    })
    if (hits > 0) expect(await grep.searchIds(input, hits - 1)).toBeNull()
  })

  it('gives ids when other conversations alone have too many hits', async () => {
    const conversationIds = [2]
    expect((await grep.searchIds(ask({ query: 'often', conversationIds }), 30))?.total).toBe(30)
    expect(await grep.searchIds(ask({ query: 'often', conversationIds }), 29)).toBeNull()
  })

  it('gives ids for a path, of which only texts tell how many hits it has', async () => {
    const input = ask({ query: 'src/file-5995.ts', sort: 'relevance' })
    expect(await grep.searchIds(input, 1)).toEqual({ ids: ['msg_5996'], total: 1, totalIsExact: true })
  })

  it.each([
    ['src/file-59', { total: 20, totalIsExact: false }],
    ['src/file-599', { total: 11, totalIsExact: true }],
    ['file-12.ts', { total: 2, totalIsExact: true }],
  ])('counts the hits of %s only where few texts have to be read for it', async (query, count) => {
    const input = ask({ query, sort: 'relevance' })
    expect(await grep.searchIds(input, MESSAGES)).toMatchObject(count)
  })

  it('gives none for a question of which one word has too many hits', async () => {
    const input = ask({ query: 'once often never', sort: 'relevance' })
    expect(await grep.searchIds(input, 1000)).toBeNull()
  })
})
