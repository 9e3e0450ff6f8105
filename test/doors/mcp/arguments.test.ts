import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Tools } from '#core/agents/tools/tools.ts'
import { MOST_AGENT_TOKENS } from '#core/contract/lists.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { buildMemory } from '#test/builders/memory.ts'
import { type ServedHere, servedHere } from './served-here.ts'

const estimator = createTokenEstimator()
const LONG = Array.from({ length: 12_000 }, (_, n) => `line ${n} 数据`).join('\n')
let lcm: Lcm
let server: ServedHere
let leaf: string
let conversationId: number
beforeAll(async () => {
  const memory = buildMemory({ conversations: [{ title: 'Locks' }] })
  conversationId = memory.conversationIds[0] ?? 0
  const messages = memory.messages(conversationId, 60)
  const long = memory.message(conversationId, { content: LONG, tokens: estimator.count(LONG) })
  memory.leaf(conversationId, messages.slice(0, 10), { content: 'About the first messages.' })
  leaf = memory.leaf(conversationId, [long], { content: 'One very long message.' })
  lcm = await openLcm(memory.path, { readOnly: true })
  server = await servedHere(new Tools(async () => lcm, { kind: 'all' }))
})
afterAll(async () => {
  await server.close()
  lcm.close()
})

describe('the arguments of a tool', () => {
  it('are used as the nearest possible number when they are out of range, and the answer says so', async () => {
    const grep = await server.call('lcm_grep', { query: 'Message', limit: 51 })
    expect(grep.data.hits).toHaveLength(50)
    expect(grep.data.notes).toContain('limit 51 is not possible: 50 was used.')
    const described = await server.call('lcm_describe', { id: 'msg_61', tokenCap: 9_000 })
    expect(described.data.contentTokens).toBeLessThanOrEqual(MOST_AGENT_TOKENS)
    expect(described.data.notes).toEqual(['tokenCap 9000 is not possible: 8000 was used.'])
    for (const limit of [0, -3, 2.7, 1e300, '4']) {
      const { isError, data } = await server.call('lcm_grep', { query: 'Message', limit })
      expect([isError, data.notes.length > 0, data.hits.length > 0]).toEqual([false, true, true])
    }
  })

  it('are named when they are unknown, or have no effect beside the others', async () => {
    const { data } = await server.call('lcm_grep', { query: 'Message', mode: 'regex', match: 'any', colour: 'red' })
    expect(data.notes.slice(0, 2)).toEqual([
      'There is no argument "colour" here: it was ignored.',
      'match was ignored: it belongs to full text.',
    ])
    const outline = await server.call('lcm_describe', { page: 2 })
    expect(outline.data.notes).toEqual(['page was ignored: it belongs to one id, and none was given.'])
    const described = await server.call('lcm_describe', { id: 'msg_1', section: 'recent', regex: true })
    expect(described.data.notes).toHaveLength(2)
  })

  it('are refused when nobody can know what was meant: a wrong type, a missing question, an impossible id', async () => {
    for (const [name, input] of [
      ['lcm_grep', {}],
      ['lcm_grep', { query: 7 }],
      ['lcm_grep', { query: 'x', conversationIds: [-1] }],
      ['lcm_describe', { id: '' }],
      ['lcm_describe', { conversationId: -1 }],
      ['lcm_expand', { summaryId: { $ne: null } }],
      ['lcm_expand_query', { prompt: 'x'.repeat(20_000) }],
    ] as const) {
      const { isError, data } = await server.call(name, input)
      expect([name, isError, data.error.code]).toEqual([name, true, 'invalid_argument'])
    }
    const unknown = await server.call('lcm_drop', {})
    expect(unknown.data.error).toMatchObject({ code: 'not_found', message: expect.stringContaining('lcm_grep') })
  })

  it('never end a call otherwise than in an answer or a typed refusal (property)', async () => {
    const { tools } = await server.client.listTools()
    const names = tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}))
    const value = fc.oneof(
      fc.integer(),
      fc.double(),
      fc.string(),
      fc.boolean(),
      fc.array(fc.integer()),
      fc.constant(null),
    )
    const input = fc.dictionary(fc.constantFrom(...names, '__proto__', 'x'), value)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...tools.map(({ name }) => name)), input, async (name, given) => {
        const { isError, data } = await server.call(name, given)
        if (isError) expect(data.error.code).not.toBe('internal')
      }),
      { numRuns: 60 },
    )
  })
})

describe('lcm_describe without an id', () => {
  it('gives overview, recent and earliest, each within the cap', async () => {
    for (const section of [undefined, 'overview', 'recent', 'earliest']) {
      for (const tokenCap of [1, 40, 4_000]) {
        const { data, text } = await server.call('lcm_describe', { section, tokenCap })
        expect(data.section).toBe(section ?? 'overview')
        const texts = [...data.summaries.map((one: { content: string }) => one.content)]
        texts.push(...data.messages.map((one: { excerpt: string }) => one.excerpt), data.conversation.title)
        expect(texts.reduce((sum, one) => sum + estimator.count(one), 0)).toBeLessThanOrEqual(tokenCap)
        expect(JSON.parse(text)).toEqual(data)
      }
    }
    const { data } = await server.call('lcm_describe', {})
    expect(data).toMatchObject({ conversation: { conversationId, title: 'Locks' }, conversationCount: 1 })
    expect(data.summaries.map((one: { content: string }) => one.content)).toEqual([
      'About the first messages.',
      'One very long message.',
    ])
    expect(data.guidelines[0]).toContain('2 summaries')
  })
})

describe('texts that are larger than one answer', () => {
  it('lcm_expand gives the first part of a leaf over one long message, and lcm_describe the rest, byte by byte', async () => {
    const { data } = await server.call('lcm_expand', { summaryId: leaf, includeMessages: true, tokenCap: 2_000 })
    const [part] = data.messages
    expect(data).toMatchObject({ tooLarge: [], notes: [expect.stringContaining('lcm_describe')] })
    expect(data.tokens).toBeLessThanOrEqual(2_000)
    expect(part).toMatchObject({ id: 'msg_61', isCut: true, nextOffset: part.content.length })
    let text = part.content
    for (let offset: number | null = part.nextOffset; offset !== null; ) {
      const next = await server.call('lcm_describe', { id: part.id, offset, tokenCap: 8_000 })
      text += next.data.content
      offset = next.data.nextOffset
    }
    expect(text).toBe(LONG)
  })

  it('lcm_grep with full gives whole texts, within the limit of an answer, and cuts one only when it is alone', async () => {
    const { data } = await server.call('lcm_grep', { query: 'Message', scope: 'messages', full: true, limit: 5 })
    for (const hit of data.hits) {
      expect(hit.content).toBe(lcm.retrieval.describe(hit.id, 1e6).content)
      expect(hit.isCut).toBeUndefined()
    }
    const long = await server.call('lcm_grep', { query: '"line 11"', scope: 'messages', full: true })
    expect(estimator.count(long.text)).toBeLessThanOrEqual(MOST_AGENT_TOKENS)
    expect(long.data.hits).toHaveLength(1)
    expect(long.data.hits[0]).toMatchObject({ id: 'msg_61', isCut: true })
    expect(LONG.startsWith(long.data.hits[0].content)).toBe(true)
  })
})
