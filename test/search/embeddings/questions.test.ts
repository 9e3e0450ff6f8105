import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { signsOf } from '#core/search/meaning/vector-file.ts'
import { buildMemory } from '#test/builders/memory.ts'
import type { ModelServer } from '#test/models/summarizers/model-server.ts'
import { encodes, startEncoder } from './encoder-server.ts'
import { ask, embed, idsOf, openWith } from './meaning-memory.ts'

let server: ModelServer
beforeAll(async () => {
  server = await startEncoder()
})
beforeEach(() => server.behave(encodes()))
afterAll(() => server.close())

const STORY = [
  'the weather was mild all week',
  'in march she bought a red automobile in Ghent',
  'we talked about gardens and soup',
  'the physician was kind to him',
  'nothing else happened that day',
]
const story = () => buildMemory({ conversations: [{ messages: STORY }] })

it('finds what shares no word with the question, and says that it was found by what it says', async () => {
  using memory = story()
  using lcm = await openWith(memory.path, server.url)
  await embed(lcm)
  const answer = await ask(lcm, 'purchase vehicle?')
  const [first] = answer.hits
  expect(first).toMatchObject({ id: 'msg_2', isPartial: true, words: [], matches: [] })
  expect(first?.ranking).toMatchObject({ words: 0, meaning: 1, neighbours: 0, hasAll: false })
  expect(answer.sort).toBe('relevance')
  expect(answer.notes).toContainEqual('Searched for what the question says, too, with encoder (tiny-vectors).')
  expect(idsOf(await ask(lcm, 'surgeon'))[0]).toBe('msg_4')
})

it('puts what has all the words first, and adds what a hit says to the score of its words', async () => {
  using memory = story()
  using lcm = await openWith(memory.path, server.url)
  await embed(lcm)
  const { hits } = await ask(lcm, 'red vehicle in Ghent that she purchased in march')
  expect(hits[0]?.id).toBe('msg_2')
  expect(hits[0]?.ranking?.words).toBeGreaterThan(0)
  expect(hits[0]?.ranking?.meaning).toBeGreaterThan(0)
  expect(idsOf(await ask(lcm, 'gardens soup'))[0]).toBe('msg_3')
})

it('asks nobody about a search that is no question, or is only taken for one', async () => {
  using memory = story()
  using lcm = await openWith(memory.path, server.url)
  await embed(lcm)
  const before = server.asked.length
  for (const match of ['auto', 'all', 'any'] as const) await ask(lcm, 'where is the vehicle?', { match })
  for (const mode of ['literal', 'regex'] as const) await ask(lcm, 'vehicle', { mode })
  expect(server.asked.length).toBe(before)
})

it('sends a question once, however many pages are read', async () => {
  using memory = story()
  using lcm = await openWith(memory.path, server.url)
  await embed(lcm)
  const before = server.asked.length
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await ask(lcm, 'purchase vehicle?', { limit: 2, ...(cursor !== undefined && { cursor }) })
    ids.push(...idsOf(page))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  expect(server.asked.length).toBe(before + 1)
  expect(ids.toSorted()).toEqual(['msg_1', 'msg_2', 'msg_3', 'msg_4', 'msg_5'])
})

it('finds nothing by what it says outside of the filters', async () => {
  using memory = buildMemory({ conversations: [{ messages: STORY }, { messages: STORY }] })
  using lcm = await openWith(memory.path, server.url)
  await embed(lcm)
  const inSecond = await ask(lcm, 'purchase vehicle?', { conversationIds: [2] })
  expect(inSecond.hits[0]?.id).toBe('msg_7')
  expect(new Set(inSecond.hits.map(({ conversationId }) => conversationId))).toEqual(new Set([2]))
  expect((await ask(lcm, 'vehicle', { scope: 'summaries' })).hits).toEqual([])
})

it('answers by words, and says so, when the model does not answer', async () => {
  using memory = story()
  using lcm = await openWith(memory.path, server.url, { provider: { timeoutMs: 100 } })
  await embed(lcm)
  server.behave(() => undefined)
  const answer = await ask(lcm, 'gardens or soup?')
  expect(idsOf(answer)[0]).toBe('msg_3')
  expect(answer.hits[0]?.ranking).not.toHaveProperty('meaning')
  expect(answer.notes.join()).toMatch(
    /Answered by words only: encoder \(tiny-vectors\) did not answer\. No answer within/,
  )
})

it('asks no model that failed three times in a row', async () => {
  using memory = story()
  using lcm = await openWith(memory.path, server.url)
  await embed(lcm)
  server.behave((response) => void response.writeHead(500).end())
  for (const question of ['a vehicle?', 'a car?', 'a fault?']) await ask(lcm, question)
  const before = server.asked.length
  expect((await ask(lcm, 'a defect?')).notes.join()).toContain('Not asked: 3 requests in a row had failed')
  expect(server.asked.length).toBe(before)
})

it('sends no question to a model of which there are no vectors', async () => {
  using memory = story()
  using lcm = await openWith(memory.path, server.url)
  const before = server.asked.length
  const answer = await ask(lcm, 'gardens or soup?')
  expect(idsOf(answer)[0]).toBe('msg_3')
  expect(answer.notes.join()).toContain('no text of this memory has a vector of encoder yet')
  expect(server.asked.length).toBe(before)
})

it('does not find a text that has changed since it got its vector', async () => {
  using memory = story()
  using lcm = await openWith(memory.path, server.url)
  await embed(lcm)
  // Other systems change texts in place, which a file of ours refuses.
  for (const name of memory.db.column<string>(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`)) {
    memory.db.exec(`DROP TRIGGER "${name}"`)
  }
  memory.db.run(`UPDATE messages SET content = 'we saw the sea' WHERE message_id = 2`)
  const { hits } = await ask(lcm, 'purchase vehicle?')
  expect(hits.find(({ id }) => id === 'msg_2')?.ranking?.meaning ?? 0).toBe(0)
})

it('lifts a message by the words of its neighbours, and not by what these say in others', async () => {
  using memory = story()
  using lcm = await openWith(memory.path, server.url)
  await embed(lcm)
  const lift = async (question: string): Promise<number | undefined> =>
    (await ask(lcm, question)).hits.find(({ id }) => id === 'msg_3')?.ranking?.neighbours
  expect(await lift('purchase vehicle?')).toBe(0)
  expect(await lift('purchase vehicle Ghent?')).toBeGreaterThan(0)
})

it('counts a bit for every number above 0', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, min: -1, max: 1 }), { minLength: 1, maxLength: 40 }), (numbers) => {
      const signs = signsOf(Float32Array.from(numbers))
      const bits = numbers.map((_, at) => ((signs[at >> 3] ?? 0) >> (at & 7)) & 1)
      expect(bits).toEqual([...Float32Array.from(numbers)].map((value) => (value > 0 ? 1 : 0)))
    }),
  )
})
