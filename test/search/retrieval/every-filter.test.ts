import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { GrepInput, type GrepRequest } from '#core/contract/retrieval.ts'
import { Grep } from '#core/search/grep.ts'
import { type HitOrder, stepOf } from '#core/search/orders/hit-order.ts'
import { RelevanceOrder } from '#core/search/orders/relevance-order.ts'
import { ScanOrder } from '#core/search/orders/scan-order.ts'
import { TimeOrder } from '#core/search/orders/time-order.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory, STORY_BEGINS_MS, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { type NaiveRow, naiveRows, naiveWords, passes } from './naive-scan.ts'

/** The memory has ten rows: a search that takes more steps than this takes too many, or never ends. */
const MOST_STEPS = 200

/** Eight messages in two conversations, two summaries above some of them, and a large file. */
function build(): TestMemory {
  const memory = buildMemory({ conversations: [{}, {}] })
  const roles = ['user', 'assistant', 'tool', 'system'] as const
  roles.forEach((role, i) => {
    memory.message(1, { role, content: `the lease of the harbour office ${i}`, atMs: STORY_BEGINS_MS + i * 1000 })
    memory.message(2, { role, content: `a lamp ${i}`, atMs: STORY_BEGINS_MS + i * 1000 })
  })
  const leaf = memory.leaf(1, [1, 3], { id: 'sum_leaf', content: 'the lease was signed' })
  memory.condensed(1, [leaf], { id: 'sum_top', content: 'a lease and an office' })
  memory.largeFile(1, { file_name: 'lease.csv', exploration_summary: 'rents of the harbour' })
  return memory
}

const optional = <T>(...values: T[]): fc.Arbitrary<T | undefined> =>
  fc.option(fc.constantFrom(...values), { nil: undefined })

const choices = {
  scope: ['messages', 'summaries', 'both', 'files'],
  roles: [undefined, [], ['user'], ['tool', 'system']],
  depths: [undefined, [], [0], [7]],
  sort: [undefined, 'relevance', 'newest', 'oldest'],
} as const

/** Every value of the filters that decide which kinds of rows are searched at all, in every order. */
function* kindsAndOrders(): Generator<Partial<GrepRequest>> {
  for (const scope of choices.scope)
    for (const roles of choices.roles)
      for (const depths of choices.depths)
        for (const sort of choices.sort)
          yield { scope, sort, roles: roles && [...roles], depths: depths && [...depths] }
}

const others = fc.record({
  match: fc.constantFrom('auto', 'all', 'any', 'question'),
  mode: fc.constantFrom('full_text', 'literal', 'regex'),
  caseSensitive: optional(true, false),
  conversationIds: optional<number[]>([], [1], [2], [99]),
  afterMs: optional(STORY_BEGINS_MS - 1, STORY_BEGINS_MS + 2000, STORY_BEGINS_MS * 2),
  beforeMs: optional(STORY_BEGINS_MS - 1, STORY_BEGINS_MS + 2000),
  inContext: optional(true, false),
  within: optional('sum_leaf', 'sum_top'),
  fromMessage: optional('msg_1', 'msg_3'),
  toMessage: optional('msg_3', 'msg_7'),
  explain: optional(true),
  limit: fc.constantFrom(1, 3, 50),
  exactTotal: fc.boolean(),
}) as fc.Arbitrary<Partial<GrepRequest>>

describe('every combination of filters', () => {
  let memory: TestMemory
  let rows: NaiveRow[]
  let greps: Grep[]
  let steps = 0

  beforeAll(() => {
    memory = build()
    rows = naiveRows(memory.db)
    greps = [NATIVE_CAPABILITIES, { ...NATIVE_CAPABILITIES, fullTextIndex: false }].map(
      (capabilities) => new Grep(memory.db, capabilities, new MemoryReader(memory.db)),
    )
  })
  afterAll(() => memory.close())
  beforeEach(() => {
    for (const order of [RelevanceOrder, ScanOrder, TimeOrder]) {
      const { step } = order.prototype
      vi.spyOn(order.prototype, 'step').mockImplementation(function (this: never) {
        steps += 1
        if (steps > MOST_STEPS) throw new Error('the search does not end')
        return step.call(this)
      })
    }
  })
  afterEach(() => vi.restoreAllMocks())

  /** The first page of both searches, by an index and by a scan, within a bounded number of steps. */
  async function idsOf(input: GrepInput): Promise<string[][]> {
    return Promise.all(
      greps.map(async (grep) => {
        const ids: string[] = []
        for (let cursor: string | undefined, pages = 0; pages < 20; pages += 1) {
          steps = 0
          const { hits, nextCursor } = await grep.search({ ...input, cursor })
          ids.push(...hits.map(({ id }) => id))
          if (nextCursor === null) return ids.sort()
          cursor = nextCursor
        }
        throw new Error('the pages do not end')
      }),
    )
  }

  /** What one word finds in the way that each mode reads it. Every row that holds it does so as a whole word. */
  const holding = (input: GrepInput): string[] => {
    const ends = [input.fromMessage, input.toMessage].map((id) => (id ? Number(id.slice(4)) : undefined))
    const isBetween = (row: NaiveRow): boolean => {
      if (ends[0] === undefined && ends[1] === undefined) return true
      const inside = (id: number): boolean => id % 2 === 1 && id >= (ends[0] ?? 1) && id <= (ends[1] ?? 7)
      if (row.kind === 'message') return inside(Number(row.id.slice(4)))
      return row.kind === 'summary' && [1, 3].some(inside)
    }
    return rows
      .filter(
        (row) => passes(row, input) && isBetween(row) && row.texts.some((text) => naiveWords(text).includes('lease')),
      )
      .map(({ id }) => id)
      .sort()
  }

  it('is answered as by a naive scan, also when it leaves nothing to search', async () => {
    for (const some of kindsAndOrders()) {
      const input = GrepInput.parse({ query: 'lease', ...some })
      for (const ids of await idsOf(input)) expect([some, ids]).toEqual([some, holding(input)])
    }
  })

  it('is answered as by a naive scan with every other filter, mode and way to match', async () => {
    const kinds = [...kindsAndOrders()]
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...kinds), others, async (some, more) => {
        const input = GrepInput.parse({ query: 'lease', ...some, ...more })
        for (const ids of await idsOf(input)) expect(ids).toEqual(holding(input))
      }),
      { numRuns: runs(1000) },
    )
  })

  it('gives an empty answer and says why when no kind of row is left', async () => {
    for (const match of ['auto', 'all', 'any', 'question'] as const)
      for (const grep of greps) {
        const input = { query: 'what became of the lease', match, scope: 'summaries', roles: ['user'] } as const
        steps = 0
        const answer = await grep.search(GrepInput.parse({ ...input, sort: 'relevance' }))
        expect(answer).toMatchObject({ hits: [], total: 0, totalIsExact: true, nextCursor: null })
        expect(answer.notes).toContain('Only messages have a role, only summaries a depth: nothing is left.')
      }
  })
})

describe('a step of a search', () => {
  it('ends the search with an error when it changes nothing, where it would go on for ever', async () => {
    const order: HitOrder = {
      ...{ page: [], isPageDone: false, isDone: false, found: 0, countsAll: true, scanned: 0, rows: 1, progress: 0 },
      step: async () => {},
    }
    await expect(stepOf(order)).rejects.toThrow('came no further')
  })
})
