import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { textsOf } from '#core/agents/grants/scoped-view.ts'
import { Tools } from '#core/agents/tools/tools.ts'
import type { GrantIssueInput } from '#core/contract/grants.ts'
import type { LcmError } from '#core/errors.ts'
import type { Lcm } from '#core/lcm.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { type GrantedMemory, grantedMemory, naiveReach } from './granted-memory.ts'

// Proves that nothing outside of a grant is ever answered, by no field, no count and no error text, and that a grant
// never gives more tokens than its cap.
const estimator = createTokenEstimator()
const NEVER = new AbortController().signal
const WORDS = /\b(?:message|leaf|middle|top|titleword)\d+(?:x\d+)?\b/g
const IDS = /\b(?:msg_\d+|sum_[0-9a-f]{16})\b/g

let granted: GrantedMemory
let lcm: Lcm
beforeAll(async () => {
  granted = grantedMemory()
  lcm = await granted.open()
})
afterAll(() => {
  lcm.close()
  granted.memory.close()
})

type Said = { readonly answer: Record<string, unknown> | null; readonly text: string }

async function say(tools: Tools, name: string, input: unknown): Promise<Said> {
  try {
    const answer = (await tools.call(name, input, NEVER)) as Record<string, unknown>
    return { answer, text: JSON.stringify(answer) }
  } catch (error) {
    const { code, message } = error as LcmError
    expect(['grant_scope', 'grant_exceeded', 'invalid_argument']).toContain(code)
    return { answer: null, text: message }
  }
}

it('no tool answers anything outside of a grant, and all answers together cost no more than its cap (property)', async () => {
  const ids = [...granted.nodes.keys()]
  const conversations = granted.memory.conversationIds
  const anyId = fc.oneof(fc.constantFrom(...ids), fc.constantFrom('sum_0123456789abcdef', 'msg_99999', 'nothing'))
  const limits = {
    depth: fc.option(fc.nat(4), { nil: undefined }),
    tokenCap: fc.integer({ min: 1, max: 3_000 }),
  }
  const conversationIds = fc.subarray(conversations, { minLength: 1 })
  const rootIds = fc.subarray(ids, { minLength: 1, maxLength: 4 })
  const grant: fc.Arbitrary<GrantIssueInput> = fc.oneof(
    fc.record({ conversationIds, ...limits }),
    fc.record({ rootIds, ...limits }),
    fc.record({ conversationIds, rootIds, ...limits }),
  )
  const cap = fc.option(fc.integer({ min: 1, max: 2_000 }), { nil: undefined })
  const call = fc.oneof(
    fc.record({
      name: fc.constant('lcm_grep'),
      input: fc.record({
        query: fc.constantFrom('quartz', 'quartz message', 'leaf*', 'titleword1', 'known OR top1x0'),
        scope: fc.constantFrom('messages', 'summaries', 'both', 'files'),
        full: fc.boolean(),
        limit: fc.constantFrom(1, 5, 50),
        within: fc.option(anyId, { nil: undefined }),
        conversationIds: fc.option(fc.subarray(conversations), { nil: undefined }),
      }),
    }),
    fc.record({
      name: fc.constant('lcm_describe'),
      input: fc.record({
        id: fc.option(anyId, { nil: undefined }),
        section: fc.constantFrom('overview', 'recent', 'earliest'),
        conversationId: fc.option(fc.constantFrom(...conversations, 77), { nil: undefined }),
        tokenCap: cap,
      }),
    }),
    fc.record({
      name: fc.constant('lcm_expand'),
      input: fc.record({
        summaryId: anyId,
        depth: fc.integer({ min: 1, max: 9 }),
        includeMessages: fc.boolean(),
        tokenCap: cap,
      }),
    }),
    fc.record({
      name: fc.constant('lcm_expand_query'),
      input: fc.record({
        prompt: fc.constantFrom('What is known of quartz?', 'titleword2 message2x3'),
        summaryIds: fc.option(fc.array(anyId, { minLength: 1, maxLength: 2 }), { nil: undefined }),
        depth: fc.integer({ min: 1, max: 9 }),
        tokenCap: cap,
      }),
    }),
  )
  let answers = 0
  await fc.assert(
    fc.asyncProperty(grant, fc.array(call, { minLength: 2, maxLength: 8 }), async (request, calls) => {
      let issued: ReturnType<typeof lcm.grants.issue>
      try {
        issued = lcm.grants.issue(request)
      } catch (error) {
        // The roots lie outside of the conversations.
        expect((error as LcmError).code).toBe('invalid_argument')
        return
      }
      const reach = naiveReach(granted.nodes, issued)
      const words = new Set([...reach].map((id) => granted.nodes.get(id)?.word))
      const isWhole = issued.rootIds.length === 0 && issued.depth >= 1_000
      if (isWhole) for (const id of issued.conversationIds) words.add(`titleword${id}`)
      const tools = new Tools(async () => lcm, { kind: 'grant', grantId: issued.id })
      let tokens = 0
      for (const { name, input } of calls) {
        const { answer, text } = await say(tools, name, input)
        const asked = JSON.stringify(input)
        const told = `${name} ${asked}: ${text}`
        for (const [word] of text.matchAll(WORDS)) if (!asked.includes(word)) expect(words, told).toContain(word)
        for (const [id] of text.matchAll(IDS)) if (!asked.includes(id)) expect(reach, told).toContain(id)
        if (!answer) continue
        answers += 1
        tokens += name === 'lcm_expand_query' ? estimator.count(String(answer.answer)) : costOf(answer)
        if (name === 'lcm_grep' && input.query === 'quartz' && !input.within && !input.conversationIds) {
          const isWanted = (id: string): boolean =>
            input.scope === 'both' || id.startsWith('msg_') === (input.scope === 'messages')
          const expected = input.scope === 'files' ? 0 : [...reach].filter(isWanted).length
          expect(answer, told).toMatchObject({ total: expected, totalIsExact: true })
        }
      }
      expect(tokens).toBeLessThanOrEqual(issued.tokenCap)
      const { usedTokens, tokenCap } = lcm.grants.grants.get(issued.id)
      expect(usedTokens).toBeLessThanOrEqual(tokenCap)
    }),
    { numRuns: 120 },
  )
  expect(answers).toBeGreaterThan(40)
})

const costOf = (answer: unknown): number => textsOf(answer).reduce((sum, text) => sum + estimator.count(text), 0)

it('a grant for a summary gives all of it, and says the same of what is elsewhere and of what does not exist', async () => {
  const [top] = [...granted.nodes.values()].filter(({ word }) => word.startsWith('top1'))
  const [other] = [...granted.nodes.values()].filter(({ word }) => word.startsWith('top2'))
  const issued = lcm.grants.issue({ rootIds: [top?.id ?? ''] })
  const tools = new Tools(async () => lcm, { kind: 'grant', grantId: issued.id })
  const all = (await tools.call('lcm_expand', { summaryId: top?.id, depth: 9, includeMessages: true }, NEVER)) as {
    nodes: object[]
    messages: object[]
  }
  expect([all.nodes.length, all.messages.length]).toEqual([6, 16])
  const errorOf = (id: string | undefined) =>
    say(tools, 'lcm_describe', { id }).then(({ text }) => text.replace(String(id), 'ID'))
  expect(await errorOf(other?.id)).toBe(await errorOf('sum_0123456789abcdef'))
})
