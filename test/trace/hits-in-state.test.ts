import { afterEach, expect, it, vi } from 'vitest'
import { GrepInput, type GrepRequest } from '#core/contract/retrieval.ts'
import { FactState } from '#core/contract/trace.ts'
import { Grep } from '#core/search/grep.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { FactStateFinder } from '#core/trace/fact-states.ts'
import { hitsInState } from '#core/trace/hits-in-state.ts'
import { TextIndexes } from '#core/trace/text-indexes.ts'
import { buildMemory, type TestMemory } from '../builders/memory.ts'
import { plantFacts } from './planted-facts.ts'
import { FIRST_FACTS } from './told-facts.ts'

function searchOf({ db }: TestMemory) {
  const reader = new MemoryReader(db)
  const states = new FactStateFinder({ db, reader, indexes: new TextIndexes(db) })
  const grep = new Grep(db, NATIVE_CAPABILITIES, reader)
  const search = (input: GrepInput) => grep.search(input)
  const inState = (asked: GrepRequest, ...wanted: FactState[]) =>
    hitsInState({ states, search }, GrepInput.parse(asked), new Set(wanted))
  return { search, states, inState }
}

it('finds in pages of any size exactly the hits of which a trace says so, in their order', async () => {
  const { memory } = plantFacts(FIRST_FACTS.slice(0, 12), 23, 2)
  const { search, states, inState } = searchOf(memory)
  for (const query of ['the', 'decided to use the queue']) {
    const { hits, sort } = await search(GrepInput.parse({ query, limit: 500 }))
    const traced = await states.of({ ids: hits.map(({ id }) => id), budgetMs: Number.POSITIVE_INFINITY })
    const stateOf = new Map(traced.states.map(({ id, state, inWindow }) => [id, inWindow ? 'kept' : state]))
    expect(new Set(stateOf.values()).size, query).toBeGreaterThan(2)
    for (const state of FactState.options) {
      const right = hits.filter(({ id }) => stateOf.get(id) === state).map(({ id }) => id)
      const found: string[] = []
      let cursor: string | null = null
      do {
        const page = await inState({ query, sort, limit: 3, ...(cursor !== null && { cursor }) }, state)
        expect(page.hits.every((hit) => hit.state === state)).toBe(true)
        expect(page.nextCursor === null || page.hits.length === 3, `${state} in ${query}`).toBe(true)
        found.push(...page.hits.map(({ id }) => id))
        cursor = page.nextCursor
      } while (cursor !== null)
      expect(found, `${state} in ${query}`).toEqual(right)
    }
  }
  memory.close()
})

afterEach(() => {
  vi.restoreAllMocks()
})

it('answers the same however slow the machine is', async () => {
  using memory = buildMemory({ conversations: [{}] })
  const ids = Array.from({ length: 400 }, (_, at) => memory.message(1, { content: `The port is ${9000 + at}.` }))
  memory.leaf(1, ids, { content: 'Ports 9390 to 9399 were named: 9390, 9391, 9392, 9393, 9394, 9395, 9396.' })
  const pages = async () => {
    const { inState } = searchOf(memory)
    const asked = { query: 'port is', mode: 'literal', scope: 'messages', limit: 5 } as const
    const { tookMs: _, ...first } = await inState(asked, 'dropped')
    const { tookMs: __, ...second } = await inState({ ...asked, cursor: first.nextCursor ?? '' }, 'dropped')
    return [first, second]
  }
  const fast = await pages()
  let ms = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (ms += 10))
  expect(await pages()).toEqual(fast)
  expect(fast.map(({ hits }) => hits.length)).toEqual([5, 5])
})

it('understands a query as it does without a state', async () => {
  const { memory } = plantFacts(FIRST_FACTS.slice(0, 12), 23, 2)
  const { search, inState } = searchOf(memory)
  for (const limit of [1, 5, 20]) {
    const asked = { query: 'queue retries', limit }
    expect((await inState(asked, ...FactState.options)).hits.map(({ id }) => id)).toEqual(
      (await search(GrepInput.parse(asked))).hits.map(({ id }) => id),
    )
  }
  memory.close()
})

it('traces 600 hits for a page and says that more are left, which the cursor finds', async () => {
  using memory = buildMemory({ conversations: [{}] })
  const ids = Array.from({ length: 640 }, (_, at) => memory.message(1, { content: `The port is ${9000 + at}.` }))
  memory.leaf(1, ids, { content: 'Ports 9001 and 9002 were named.' })
  const { inState } = searchOf(memory)
  const asked = { query: 'port', scope: 'messages' } as const
  const first = await inState(asked, 'kept')
  expect(first.hits).toEqual([])
  expect(first).toMatchObject({ total: 0, totalIsExact: false })
  expect(first.notes).toEqual(['600 hits were traced, and more have not been: the cursor goes on with them.'])
  const second = await inState({ ...asked, cursor: first.nextCursor ?? '' }, 'kept')
  expect(second.hits.map(({ snippet, state }) => [snippet, state])).toEqual([
    ['The port is 9002.', 'kept'],
    ['The port is 9001.', 'kept'],
  ])
  expect(second.nextCursor).toBeNull()
})
