import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { RetrievalEngine } from '#core/browse/retrieval-engine.ts'
import type { ExpandQueryRequest } from '#core/contract/expand-query.ts'
import type { ProbeInput } from '#core/contract/probe.ts'
import type { MessageEnds } from '#core/contract/retrieval.ts'
import type { TraceInput } from '#core/contract/trace.ts'
import { Core } from '#core/core.ts'
import { executeHere } from '#core/doors/run-job.ts'
import { Machine } from '#core/machine/machine.ts'
import { createRouter } from '#core/router.ts'
import { RelevanceOrder } from '#core/search/orders/relevance-order.ts'
import { ScanOrder } from '#core/search/orders/scan-order.ts'
import { TimeOrder } from '#core/search/orders/time-order.ts'
import { readSettings } from '#core/settings/settings.ts'
import { buildMemory, STORY_BEGINS_MS, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import type { Client } from '#test/contract/doors.ts'
import { type NaiveRow, naiveRows, naiveWords } from './naive-scan.ts'

/** Searches and their steps. The memory has ten rows: an answer that takes more of them takes too many, or never ends. */
const MOST_WORK = 100

/** Four messages in each of two conversations; those with odd numbers are of the first, which has two summaries. */
function build(): TestMemory {
  const memory = buildMemory({ conversations: [{}, {}, {}] })
  for (let i = 0; i < 4; i += 1) {
    const role = i % 2 === 0 ? 'user' : 'assistant'
    const atMs = STORY_BEGINS_MS + i * 1000
    memory.message(1, { role, content: `We decided that the lease of harbour office ${i} ends in 203${i}.`, atMs })
    memory.message(2, { role, content: `A lamp ${i} burns.`, atMs })
  }
  const leaf = memory.leaf(1, [1, 3], { id: 'sum_leaf', content: 'The lease of harbour office 0 ends in 2030.' })
  const top = memory.condensed(1, [leaf], { id: 'sum_top', content: 'A lease was signed.' })
  memory.window(1, [top, 5, 7])
  memory.largeFile(1, { file_name: 'lease.csv', exploration_summary: 'rents of the harbour' })
  return memory
}

const optional = <T>(...values: T[]): fc.Arbitrary<T | undefined> =>
  fc.option(fc.constantFrom(...values), { nil: undefined })

/** Every way to limit something to a conversation and to a range: also to none, to one that is not there, and backwards. */
const LIMITS: readonly Limits[] = [undefined, 1, 2, 3, 99].flatMap((conversationId) =>
  [undefined, 'msg_1', 'msg_5', 'msg_4', 'msg_99', 'sum_leaf'].flatMap((fromMessage) =>
    [undefined, 'msg_1', 'msg_7', 'msg_8'].map((toMessage) => ({ conversationId, fromMessage, toMessage })),
  ),
)
type Limits = MessageEnds & { readonly conversationId: number | undefined }
const limits = fc.constantFrom(...LIMITS)

const numberOf = (id: string): number => Number(id.slice(4))

describe('every combination of the filters of a', () => {
  let memory: TestMemory
  let rows: NaiveRow[]
  let core: Core
  let client: Client
  let work = 0

  beforeAll(() => {
    memory = build()
    rows = naiveRows(memory.db)
    const home = temporaryFolder()
    const open = { settings: readSettings({}), cacheDir: join(home, 'cache'), dataDir: join(home, 'data') }
    const machine = new Machine({ env: {}, resourcesDir: home, home, cwd: home })
    core = new Core({ path: memory.path, open, machine, execute: executeHere(open) })
    client = createRouterClient(createRouter(core)) as Client
  })
  afterAll(async () => {
    await core.close()
    memory.close()
  })
  beforeEach(() => {
    const counted = (prototype: object, name: string): void => {
      const method = Reflect.get(prototype, name) as (...given: unknown[]) => unknown
      vi.spyOn(prototype as Record<string, () => unknown>, name).mockImplementation(function (
        this: unknown,
        ...given: unknown[]
      ) {
        work += 1
        if (work > MOST_WORK) throw new Error('the search does not end')
        return method.apply(this, given)
      })
    }
    for (const order of [RelevanceOrder, ScanOrder, TimeOrder]) counted(order.prototype, 'step')
    counted(RetrievalEngine.prototype, 'search')
  })
  afterEach(() => vi.restoreAllMocks())

  /** Returns the answer, or the code with which it was refused. */
  async function answerOf<T>(ask: () => Promise<T>): Promise<T | { readonly refused: string }> {
    work = 0
    try {
      return await ask()
    } catch (error) {
      const code = (error as { readonly data?: { readonly code?: string } }).data?.code
      if (code !== 'invalid_argument' && code !== 'not_found') throw error
      return { refused: code }
    }
  }

  /** What the limits leave of the memory, or how they are refused. */
  function left({ conversationId, fromMessage, toMessage }: Limits): NaiveRow[] | { readonly refused: string } {
    const ends = [fromMessage, toMessage]
    if (ends.includes('msg_99')) return { refused: 'not_found' }
    if (ends.includes('sum_leaf')) return { refused: 'invalid_argument' }
    const own = ends.flatMap((id) => (id === undefined ? [] : 2 - (numberOf(id) % 2)))
    if (own.length === 2 && own[0] !== own[1]) return { refused: 'invalid_argument' }
    const [from, to] = [fromMessage ? numberOf(fromMessage) : 1, toMessage ? numberOf(toMessage) : 8]
    if (own.length === 2 && from > to) return { refused: 'invalid_argument' }
    const inRange = (number: number): boolean => number >= from && number <= to
    return rows.filter((row) => {
      if (row.kind === 'file') return false
      if (conversationId !== undefined && row.conversationId !== conversationId) return false
      if (own.length === 0) return true
      if (row.conversationId !== own[0]) return false
      return row.kind === 'message' ? inRange(numberOf(row.id)) : [1, 3].some(inRange)
    })
  }

  const saying = (word: string, some: readonly NaiveRow[]): string[] =>
    some.flatMap(({ id, texts }) => (texts.some((text) => naiveWords(text).includes(word)) ? [id] : [])).sort()

  // "A combination that leaves nothing to search is an empty answer."
  it('trace ends, and finds the places that a naive scan finds', async () => {
    for (const some of LIMITS)
      for (const text of ['lease', 'zebra']) {
        const answer = await answerOf(() => client.trace.fact({ text, ...some, limit: 50 }))
        const rest = left(some)
        if ('refused' in rest) expect([some, answer]).toEqual([some, rest])
        else {
          const found = 'refused' in answer ? [] : answer.places.map(({ id }) => id).sort()
          expect([some, found]).toEqual([some, saying(text, rest)])
          expect(answer).toMatchObject({ id: found.length === 0 ? null : expect.stringMatching(/^(msg|sum)_/) })
        }
      }
  })

  it('trace ends with every other filter, of a message, a summary, a file and what is not there', async () => {
    const asked = fc.record({
      id: optional('msg_1', 'msg_7', 'msg_8', 'sum_leaf', 'sum_top', 'sum_none', 'file_none'),
      text: optional('lease', 'the lease of harbour office 2', 'zebra', '  ', '"', '2031', '*', 'NOT'),
      limit: fc.constantFrom(1, 50),
      ladderOnly: optional(true, false),
    }) as fc.Arbitrary<Partial<TraceInput>>
    await fc.assert(
      fc.asyncProperty(limits, asked, async (some, more) => {
        const answer = await answerOf(() => client.trace.fact({ ...some, ...more }))
        if ('refused' in answer) return
        const rest = left(some)
        const allowed = 'refused' in rest ? [] : rest.map(({ id }) => id)
        expect(allowed).toEqual(expect.arrayContaining(answer.places.map(({ id }) => id)))
      }),
      { numRuns: runs(300) },
    )
  })

  it('question ends, and quotes only what the filters leave, and something where they leave an answer', async () => {
    const asked = fc.record({
      prompt: fc.constantFrom('What became of the lease?', 'zebra', 'the', '"'),
      summaryIds: optional<string[]>([], ['sum_leaf'], ['sum_leaf', 'sum_top'], ['sum_none'], ['msg_1']),
      query: optional('lease', 'lamp', 'zebra', '', '*'),
      depth: fc.constantFrom(1, 8),
      tokenCap: optional(1, 40, 8000),
    }) as fc.Arbitrary<ExpandQueryRequest>
    const plain = { prompt: 'What became of the lease?' }
    const check = async (some: Limits, more: ExpandQueryRequest): Promise<void> => {
      const answer = await answerOf(() => client.retrieval.expandQuery({ ...more, ...some }))
      const rest = left(some)
      if ('refused' in answer) return
      expect('refused' in rest).toBe(false)
      const allowed = 'refused' in rest ? [] : rest
      expect(allowed.map(({ id }) => id)).toEqual(expect.arrayContaining(answer.citations.map(({ id }) => id)))
      if (more === plain) expect(answer.citations.length > 0).toBe(saying('lease', allowed).length > 0)
      if (answer.citations.length === 0) expect(answer.notes).toHaveLength(1)
    }
    for (const some of LIMITS) await check(some, plain)
    await fc.assert(fc.asyncProperty(limits, asked, check), { numRuns: runs(300) })
  })

  it('probe ends, and asks only about what the filters leave', async () => {
    const question = 'When does the lease end?'
    const asked = fc.record({
      at: optional<ProbeInput['at']>({ messageId: 'msg_3' }, { messageId: 'msg_8' }, { eventId: 1 }, { eventId: 99 }),
      questions: optional<ProbeInput['questions']>(
        [{ question }],
        [{ question: '*' }, { question: 'zebra', answer: 'zebra' }],
        [{ question, answer: '2031', evidence: ['msg_3'] }],
        [{ question, evidence: ['msg_8', 'msg_99', 'sum_top'] }],
        [{ question, evidence: [] }],
      ),
      limit: fc.constantFrom(1, 5, 60),
    }) as fc.Arbitrary<Partial<ProbeInput>>
    const check = async (some: Limits, more: Partial<ProbeInput>): Promise<void> => {
      const { conversationId = 1 } = some
      const answer = await answerOf(() => client.trace.probe({ ...some, ...more, conversationId }))
      if ('refused' in answer) return
      const rest = left({ ...some, conversationId })
      const allowed = 'refused' in rest ? [] : rest.map(({ id }) => id)
      if (more.questions === undefined)
        expect(allowed).toEqual(expect.arrayContaining(answer.questions.map(({ evidence }) => evidence?.id)))
      expect(answer.total.questions).toBe(answer.questions.length)
    }
    for (const some of LIMITS) await check(some, {})
    await fc.assert(fc.asyncProperty(limits, asked, check), { numRuns: runs(200) })
  })
})
