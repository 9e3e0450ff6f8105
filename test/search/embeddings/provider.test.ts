import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkedVectors } from '#core/models/embeddings/checked-vectors.ts'
import { callEmbeddings } from '#core/models/summarizers/ai-sdk-call.ts'
import { testProvider } from '#core/models/summarizers/test-provider.ts'
import { KEY, NEVER, TOLD } from '#test/models/summarizers/ask-model.ts'
import { type Behaviour, json, type ModelServer } from '#test/models/summarizers/model-server.ts'
import { DIMENSIONS, encoder, encodes, startEncoder } from './encoder-server.ts'

let server: ModelServer
beforeAll(async () => {
  server = await startEncoder()
})
afterAll(() => server.close())

const data = (...vectors: readonly (readonly unknown[])[]) => ({
  data: vectors.map((embedding, index) => ({ index, embedding })),
})
const answers =
  (body: unknown): Behaviour =>
  (response) =>
    json(response, 200, body)

it('asks a provider of vectors for the vector of one word when it is tested', async () => {
  server.behave(encodes())
  const test = await testProvider(encoder(`${server.url}/`), KEY, NEVER)
  expect(test).toMatchObject({ ok: true, model: 'tiny-vectors', problem: null, dimensions: DIMENSIONS })
  const asked = server.asked.at(-1)
  expect(asked?.path).toBe('/v1/embeddings')
  expect(asked?.headers.authorization).toBe(`Bearer ${KEY}`)
  expect(asked?.body).toMatchObject({ model: 'tiny-vectors', input: ['ready'], encoding_format: 'float' })
})

it.each([
  ['no vector', data(), '0 vectors for 1 texts'],
  ['more vectors than texts', data([1, 2], [3, 4]), '2 vectors for 1 texts'],
  ['an empty vector', data([]), 'vectors of 0 numbers'],
  ['a vector of zeros', data([0, 0, 0]), 'a vector without a direction'],
  ['a number that is none', '{"data":[{"embedding":[1e999,1]}]}', 'no answer of an OpenAI-compatible interface'],
  ['null in a vector', data([1, null]), 'no answer of an OpenAI-compatible interface'],
  ['a vector with the number of no text', { data: [{ index: 1, embedding: [1, 2] }] }, 'numbers of its vectors'],
  ['a number of a text that is none', { data: [{ index: 'a', embedding: [1, 2] }] }, 'numbers of its vectors'],
  ['another answer', { choices: [] }, 'no answer of an OpenAI-compatible interface'],
])('refuses %s with what is wrong', async (_, body, problem) => {
  server.behave(answers(body))
  const test = await testProvider(encoder(server.url), KEY, NEVER)
  expect(test).toMatchObject({ ok: false })
  expect(test.problem).toContain(problem)
})

it('gives each text its own vector when a server answers in another order and numbers them', async () => {
  const numbered = [
    [2, [0, 1]],
    [0, [1, 0]],
    [1, [1, 1]],
  ].map(([index, embedding]) => ({ index, embedding }))
  server.behave(answers({ data: numbered }))
  const reply = await callEmbeddings(encoder(server.url), KEY, ['a', 'b', 'c'], NEVER)
  const half = Math.fround(Math.SQRT1_2)
  expect(checkedVectors(reply, 3, 'here').map((vector) => [...vector])).toEqual([
    [1, 0],
    [half, half],
    [0, 1],
  ])
  for (const wrong of [
    [0, 0, 1],
    [0, 1, undefined],
    [1, 2, 3],
  ]) {
    server.behave(answers({ data: wrong.map((index) => ({ index, embedding: [1, 2] })) }))
    const twice = await callEmbeddings(encoder(server.url), KEY, ['a', 'b', 'c'], NEVER)
    expect(() => checkedVectors(twice, 3, 'here')).toThrow('numbers of its vectors')
  }
})

it.each([
  [401, 'the key was not accepted'],
  [404, 'no model tiny-vectors'],
  [413, 'the request is too large'],
  [422, 'A text may be too long'],
  [429, 'too many requests'],
  [500, 'a problem of its own'],
])('says what a server means that answers %i, without what it wrote', async (status, problem) => {
  server.behave((response) => json(response, status, { error: { message: `${KEY} ${TOLD}` } }))
  const { problem: told } = await testProvider(encoder(server.url), KEY, NEVER)
  expect(told).toContain(problem)
  expect(told).not.toContain(KEY)
  expect(told).not.toContain('QUARTZ')
})

it('says that nothing answers at the address', async () => {
  const gone = await startEncoder()
  await gone.close()
  const { ok, problem } = await testProvider(encoder(gone.url), null, NEVER)
  expect(ok).toBe(false)
  expect(problem).toContain('Nothing answers at 127.0.0.1:')
})
