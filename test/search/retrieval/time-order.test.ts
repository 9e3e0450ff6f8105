import fc from 'fast-check'
import { expect, it } from 'vitest'
import { GrepInput, type GrepRequest } from '#core/contract/retrieval.ts'
import { MessageCorpus } from '#core/search/indexes/message-corpus.ts'
import { NativeTextIndex } from '#core/search/indexes/native-text-index.ts'
import { SummaryCorpus } from '#core/search/indexes/summary-corpus.ts'
import { timeKeyOf } from '#core/search/orders/hit-order.ts'
import { TimeOrder, type TimeOrderOptions } from '#core/search/orders/time-order.ts'
import { Filters } from '#core/search/planning/filters.ts'
import { planQuery } from '#core/search/planning/plan-query.ts'
import { prepareSearch } from '#core/search/planning/search.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { TimeSlice } from '#core/yielding.ts'
import { buildMemory, STORY_BEGINS_MS, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { Random } from '#test/builders/random.ts'

const WORDS = ['stone', 'River', 'Lake_Side', 'sea', '返回值', 'C++']
const MINUTE_MS = 60_000

/**
 * Several rows have one time, also across messages and summaries. Times ascend with the rows, or in two runs of rows, or
 * not at all.
 */
function build(timeOf: (place: number) => number): TestMemory {
  const memory = buildMemory({ conversations: [{}] })
  const random = new Random(5)
  const someText = (): string => Array.from({ length: random.int(1, 5) }, () => random.pick(WORDS)).join(' ')
  const at = (place: number): number => STORY_BEGINS_MS + timeOf(place) * MINUTE_MS
  for (let place = 0; place < 150; place += 1) memory.message(1, { content: someText(), atMs: at(place) })
  for (let place = 0; place < 30; place += 1) {
    memory.leaf(1, [1 + place * 5], { content: someText(), atMs: at(place * 5) })
  }
  return memory
}

const request = fc.record({
  query: fc.constantFrom(
    'stone',
    'stone river',
    'sea OR River',
    'sea NOT stone',
    'Lake_Side',
    'stone 返回值',
    'C++',
    'ri*',
  ),
  mode: fc.constantFrom('full_text', 'literal', 'regex'),
  afterMs: fc.option(fc.constant(STORY_BEGINS_MS + 20 * MINUTE_MS), { nil: undefined }),
}) satisfies fc.Arbitrary<GrepRequest>

async function pagesOf(memory: TestMemory, given: GrepRequest, options: Omit<TimeOrderOptions, 'after'>) {
  const { db } = memory
  const input = GrepInput.parse(given)
  const query = await planQuery(input).catch(() => null)
  if (!query) return null
  const slice = new TimeSlice()
  const corpora = [
    new MessageCorpus(db, () => new NativeTextIndex(db, 'messages')),
    new SummaryCorpus(db, () => new NativeTextIndex(db, 'summaries')),
  ]
  const filters = new Filters(db, new MemoryReader(db), input, null)
  const pages: string[][] = []
  const totals: number[] = []
  for (let after: TimeOrderOptions['after'] = null; ; ) {
    const searches = await Promise.all(
      corpora.map(async (corpus, order) => {
        await corpus.catalogue(slice)
        const ground = { corpus, order, newestRow: corpus.newestRow(), filters, index: corpus.index }
        return prepareSearch(ground, query.strict, slice)
      }),
    )
    const order = new TimeOrder(searches, { ...options, after })
    while (!order.isDone) await order.step()
    pages.push(order.page.map(({ searched, index }) => `${searched.corpus.kind} ${searched.catalogue.rows[index]}`))
    totals.push(order.found)
    expect(order.scanned).toBe(order.rows)
    const last = order.page.at(-1)
    if (!last || order.page.length < options.limit) return { pages, totals }
    after = timeKeyOf(last)
  }
}

it('gives the same pages and totals in either order of time, whether the index is asked for all rows at once or range by range', async () => {
  using ascending = build((place) => Math.floor(place / 3))
  using inTwoRuns = build((place) => Math.floor((place % 75) / 2))
  using scattered = build((place) => (place * 37) % 50)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(ascending, inTwoRuns, scattered),
      request,
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 60 }),
      async (memory, given, isNewestFirst, limit, firstRows) => {
        const atOnce = await pagesOf(memory, given, { isNewestFirst, limit, firstRows: Number.MAX_SAFE_INTEGER })
        const byRange = await pagesOf(memory, given, { isNewestFirst, limit, firstRows })
        expect(byRange).toEqual(atOnce)
      },
    ),
    { numRuns: runs(60) },
  )
})

/** The first page of three hits, and how many rows each question to the index of words was about. */
async function firstPage(memory: TestMemory, typed: string) {
  const index = new NativeTextIndex(memory.db, 'messages')
  const ranges: number[] = []
  const corpus = new MessageCorpus(memory.db, () => ({
    ...{ best: index.best.bind(index), wordsWith: index.wordsWith.bind(index), trigrams: index.trigrams.bind(index) },
    ...{ count: index.count.bind(index), countUpTo: index.countUpTo.bind(index), pairs: index.pairs.bind(index) },
    rows: (match, range) => {
      ranges.push(range ? range.last - range.first + 1 : Number.POSITIVE_INFINITY)
      return index.rows(match, range)
    },
  }))
  const slice = new TimeSlice()
  await corpus.catalogue(slice)
  const input = GrepInput.parse({ query: typed })
  const query = await planQuery(input)
  if (!query) throw new Error('the query has a plan')
  const filters = new Filters(memory.db, new MemoryReader(memory.db), input, null)
  const ground = { corpus, order: 0, newestRow: corpus.newestRow(), filters, index: corpus.index }
  const order = new TimeOrder([await prepareSearch(ground, query.strict, slice)], {
    ...{ isNewestFirst: true, limit: 3, after: null, firstRows: 30 },
  })
  while (!order.isPageDone) await order.step()
  expect(order.page).toHaveLength(3)
  return { order, index, ranges }
}

it('asks the index for no more rows than the page needs', async () => {
  using memory = build((place) => Math.floor(place / 3))
  const { order, index, ranges } = await firstPage(memory, 'stone')
  while (!order.isDone) await order.step()
  expect(order.found).toBe(index.rows('"stone"', null).length)
  expect(ranges).toEqual([3, 24])
})

it('fills a page with a common prefix from the newest texts, and asks the index only to count', async () => {
  using memory = build((place) => Math.floor(place / 3))
  const { order, index, ranges } = await firstPage(memory, 's* OR r* OR l*')
  expect(ranges).toEqual([])
  expect(order.isCountingLong).toBe(true)
  while (!order.isDone) await order.step()
  expect(order.found).toBe(index.rows('s* OR r* OR l*', null).length)
})
