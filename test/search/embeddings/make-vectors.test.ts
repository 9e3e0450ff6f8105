import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { piecesOf } from '#core/search/meaning/recipe.ts'
import { lastVectorsOf, lockVectors, vectorFolder } from '#core/search/meaning/vector-folder.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { KEY, TOLD } from '#test/models/summarizers/ask-model.ts'
import { json, type ModelServer } from '#test/models/summarizers/model-server.ts'
import { DIMENSIONS, encodes, startEncoder } from './encoder-server.ts'
import { ask, embed, idsOf, newCache, openWith } from './meaning-memory.ts'

let server: ModelServer
beforeAll(async () => {
  server = await startEncoder()
})
beforeEach(() => server.behave(encodes()))
afterAll(() => server.close())

const numbered = (count: number, what = 'note'): string[] =>
  Array.from({ length: count }, (_, at) => `${what} number ${at} of the story`)

const textsSent = (from: number): string[] => server.asked.slice(from).flatMap(({ body }) => body.input as string[])

it('sends every text once, and nothing when it runs again', async () => {
  using memory = buildMemory({ conversations: [{ messages: [...numbered(80), 'note number 3 of the story', '  '] }] })
  memory.leaf(1, [1, 2], { content: 'the first two notes' })
  using lcm = await openWith(memory.path, server.url)
  const before = server.asked.length
  const result = await embed(lcm)
  expect(result).toMatchObject({
    outcome: 'ready',
    dimensions: DIMENSIONS,
    sent: 81,
    refused: 0,
    texts: 82,
    totalTexts: 82,
  })
  expect(
    textsSent(before)
      .filter((text) => text !== 'ready')
      .toSorted(),
  ).toEqual([...numbered(80), 'the first two notes'].toSorted())
  expect(Math.max(...server.asked.slice(before).map(({ body }) => (body.input as string[]).length))).toBeLessThan(37)
  const again = server.asked.length
  expect(await embed(lcm)).toMatchObject({ outcome: 'ready', sent: 0, texts: 82 })
  expect(textsSent(again)).toEqual(['ready'])
  expect(lcm.meaning.status()).toMatchObject({ provider: 'encoder', texts: 82, totalTexts: 82 })
})

it('sends what tools answered to nobody', async () => {
  using memory = buildMemory({ conversations: [{ messages: ['what is in it?', { role: 'tool', content: TOLD }] }] })
  using lcm = await openWith(memory.path, server.url)
  const before = server.asked.length
  expect(await embed(lcm)).toMatchObject({ sent: 1, texts: 1, totalTexts: 1 })
  expect(textsSent(before).join()).not.toContain('QUARTZ')
})

it('stops at the cap of a run, and the next run goes on with what is missing, the newest first', async () => {
  using memory = buildMemory({ conversations: [{ messages: numbered(60) }] })
  using lcm = await openWith(memory.path, server.url)
  expect(await embed(lcm, { maxTexts: 7 })).toMatchObject({ outcome: 'cap', sent: 7, texts: 7, totalTexts: 60 })
  const before = server.asked.length
  expect(await embed(lcm, { maxTexts: 40 })).toMatchObject({ outcome: 'cap', sent: 40, texts: 47 })
  expect(textsSent(before)).not.toContain('note number 59 of the story')
  expect(textsSent(before)).toContain('note number 52 of the story')
  expect(await embed(lcm)).toMatchObject({ outcome: 'ready', sent: 13, texts: 60 })
})

it('keeps what was stored when it is cancelled, and stops at once', async () => {
  using memory = buildMemory({ conversations: [{ messages: numbered(100) }] })
  using lcm = await openWith(memory.path, server.url)
  const stop = new AbortController()
  let requests = 0
  server.behave((response, asked, n) => {
    requests += 1
    if (requests === 3) stop.abort()
    else encodes()(response, asked, n)
  })
  await expect(embed(lcm, {}, stop.signal)).rejects.toMatchObject({ code: 'cancelled' })
  expect(lcm.meaning.status().texts).toBe(32)
  server.behave(encodes())
  expect(await embed(lcm)).toMatchObject({ outcome: 'ready', sent: 68, texts: 100 })
})

it.each([
  ['a wrong key', 401, 'the key was not accepted'],
  ['no such model', 404, 'no model tiny-vectors'],
])('fails with %s before anything is stored', async (_, status, reason) => {
  using memory = buildMemory({ conversations: [{ messages: [TOLD] }] })
  const cacheDir = newCache()
  using lcm = await openWith(memory.path, server.url, { cacheDir })
  server.behave((response) => json(response, status, { error: { message: KEY } }))
  const error = await embed(lcm).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'model_failed', message: expect.stringContaining(reason) })
  expect(String(error)).not.toContain(KEY)
  expect(readdirSync(vectorFolder(cacheDir))).toEqual(['lock'])
})

it('keeps what was stored when the model answers too many requests later on', async () => {
  using memory = buildMemory({ conversations: [{ messages: numbered(70) }] })
  using lcm = await openWith(memory.path, server.url)
  let requests = 0
  server.behave((response, asked, n) => {
    requests += 1
    if (requests > 2) json(response, 429, { error: {} }, { 'retry-after-ms': '1' })
    else encodes()(response, asked, n)
  })
  await expect(embed(lcm)).rejects.toMatchObject({
    code: 'model_failed',
    message: expect.stringMatching(/too many requests.*the next run goes on/),
  })
  expect(lcm.meaning.status().texts).toBe(32)
})

it('stores nothing of an answer with vectors of another length than before', async () => {
  using memory = buildMemory({ conversations: [{ messages: numbered(70) }] })
  using lcm = await openWith(memory.path, server.url)
  let requests = 0
  server.behave((response, asked, n) => {
    requests += 1
    encodes(requests > 2 ? 32 : DIMENSIONS)(response, asked, n)
  })
  await expect(embed(lcm)).rejects.toMatchObject({
    code: 'model_failed',
    message: expect.stringContaining('vectors of 64 numbers and then of 32'),
  })
  expect(lcm.meaning.status().texts).toBe(32)
  server.behave(encodes(32))
  expect(await embed(lcm)).toMatchObject({ outcome: 'ready', dimensions: 32, sent: 70 })
})

it('goes on without a text that the model refuses, and does not send it again', async () => {
  using memory = buildMemory({ conversations: [{ messages: [...numbered(40), 'too long for it'] }] })
  using lcm = await openWith(memory.path, server.url)
  server.behave((response, asked, n) => {
    const isRefused = (asked.body.input as string[]).some((text) => text.startsWith('too long'))
    if (isRefused) json(response, 400, { error: {} })
    else encodes()(response, asked, n)
  })
  expect(await embed(lcm)).toMatchObject({ outcome: 'ready', sent: 41, refused: 1, texts: 41 })
  expect(await embed(lcm)).toMatchObject({ outcome: 'ready', sent: 0 })
  expect(idsOf(await ask(lcm, 'number 12'))[0]).toBe('msg_13')
})

it('stays within the spend cap of a run', async () => {
  using memory = buildMemory({ conversations: [{ messages: numbered(70) }] })
  using lcm = await openWith(memory.path, server.url, { spendCapTokens: 150 })
  const before = server.asked.length
  await expect(embed(lcm)).rejects.toMatchObject({
    code: 'model_failed',
    message: expect.stringContaining('the cap of 150 for a run'),
  })
  expect(server.asked.length - before).toBe(1)
})

it('gives equal texts of several memories one vector', async () => {
  using one = buildMemory({ conversations: [{ messages: numbered(5) }] })
  using other = buildMemory({ conversations: [{ messages: [...numbered(5), 'one more'] }] })
  const cacheDir = newCache()
  const [first, second] = [
    await openWith(one.path, server.url, { cacheDir }),
    await openWith(other.path, server.url, { cacheDir }),
  ]
  expect(await embed(first)).toMatchObject({ sent: 5, texts: 5 })
  expect(await embed(second)).toMatchObject({ sent: 1, texts: 6 })
  expect(first.meaning.status().texts).toBe(5)
  first.close()
  second.close()
})

it('does nothing while another process makes vectors', async () => {
  using memory = buildMemory({ conversations: [{ messages: numbered(3) }] })
  const cacheDir = newCache()
  using lcm = await openWith(memory.path, server.url, { cacheDir })
  await embed(lcm)
  const unlock = lockVectors(vectorFolder(cacheDir))
  const before = server.asked.length
  expect(await embed(lcm)).toMatchObject({ outcome: 'busy' })
  expect(server.asked.length).toBe(before)
  unlock?.()
})

it('makes a damaged file of vectors anew', async () => {
  using memory = buildMemory({ conversations: [{ messages: numbered(3) }] })
  const cacheDir = newCache()
  using lcm = await openWith(memory.path, server.url, { cacheDir })
  await embed(lcm)
  const path = lastVectorsOf(vectorFolder(cacheDir), 'tiny-vectors') ?? ''
  writeFileSync(path, Buffer.alloc(statSync(path).size, 7))
  expect(lcm.meaning.status().texts).toBe(0)
  expect((await ask(lcm, 'number')).hits).toHaveLength(3)
  expect(await embed(lcm)).toMatchObject({ outcome: 'ready', sent: 3, texts: 3 })
})

it('leaves the memory and its folder as they were', async () => {
  using memory = buildMemory({ conversations: [{ messages: numbered(3) }] })
  const folder = join(memory.path, '..')
  using lcm = await openWith(memory.path, server.url)
  const before = readdirSync(folder)
  await embed(lcm)
  await ask(lcm, 'story')
  expect(readdirSync(folder)).toEqual(before)
})

it('says how to name a model when none is configured', async () => {
  using memory = buildMemory({ conversations: [{ messages: ['hello'] }] })
  const { openLcm } = await import('#core/lcm.ts')
  using lcm = await openLcm(memory.path, { readOnly: true })
  await expect(embed(lcm)).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('LCM_EMBEDDINGS'),
  })
  expect(lcm.meaning.status()).toMatchObject({ provider: null, model: null })
})

it('cuts any text into at most four well-formed pieces that follow each other in it', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constant(' wörd 🙃'.repeat(300)))), (parts) => {
      const text = parts.join('')
      const pieces = piecesOf('message', [text, '', '', ''])
      expect(pieces.length).toBeLessThanOrEqual(4)
      let from = 0
      const wellFormed = text.toWellFormed()
      for (const { text: piece, hash } of pieces) {
        expect(piece.length).toBeLessThanOrEqual(1600)
        expect(piece).not.toBe('')
        expect(hash).toHaveLength(16)
        const at = wellFormed.indexOf(piece, from)
        expect(at).toBeGreaterThanOrEqual(from)
        from = at + piece.length
      }
      expect(pieces.length === 0).toBe(text.trim() === '')
    }),
    { numRuns: 60 },
  )
})
