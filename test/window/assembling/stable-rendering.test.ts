import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { RenderedContext } from '#core/contract/context.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { ContextAssembler } from '#core/window/context-assembler.ts'
import { buildMemory, type MessageSpec, type TestMemory } from '#test/builders/memory.ts'
import { call, result } from './tool-pair.ts'

// "Between compactions the rendering only grows at its end (prompt-cache safe)" (docs/decisions/0014-one-window.md):
// of two payloads between two compactions the earlier one is a prefix of the later one, unless at least a quarter of the
// budget fell out at once.
const BUDGET = 1_000
const STEP = BUDGET / 4
const TAIL = 3

/** What a provider is sent, in the order in which it reads it. A turn may get more blocks or calls at its end. */
function piecesOf({ system, messages }: RenderedContext): string[] {
  const said = messages.flatMap(({ role, content, tool_calls: calls = [], ...rest }) => [
    ...(Array.isArray(content) ? content : [content]).map((block) => JSON.stringify([role, block, rest])),
    ...(calls as unknown[]).map((one) => JSON.stringify([role, one])),
  ])
  return [JSON.stringify(system), ...said]
}

const isPrefix = (earlier: readonly string[], later: readonly string[]): boolean =>
  earlier.every((piece, index) => piece === later[index])

/** The tail and the tokens of a tool call with its results leave room for a step. */
const tokens = fc.integer({ min: 1, max: 90 })
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('message' as const), tokens }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('tool' as const), tokens }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('large' as const), tokens: fc.integer({ min: 250, max: 330 }) }),
  },
)
type Step = { readonly kind: 'message' | 'tool' | 'large'; readonly tokens: number }

function append(memory: TestMemory, conversationId: number, { kind, tokens: size }: Step, turn: number): void {
  const messages: MessageSpec[] =
    kind === 'tool'
      ? [call([`c${turn}`], { tokens: 5 }), result(`c${turn}`, { tokens: size })]
      : [{ content: `Turn ${turn}.`, tokens: size }]
  memory.messages(conversationId, messages)
}

function begun() {
  const memory = buildMemory({ conversations: [{ messages: [{ role: 'system', tokens: 20, content: 'Be brief.' }] }] })
  const conversationId = memory.conversationIds[0] ?? 0
  const first = memory.messages(conversationId, 8)
  memory.leaf(conversationId, first, { tokens: 30, content: 'The beginning.' })
  const assembler = new ContextAssembler(memory.db, createTokenEstimator(), readSettings({}).compaction)
  const input = { conversationId, budgetTokens: BUDGET, freshTailCount: TAIL }
  return { memory, conversationId, assembler, input }
}

it('a later payload begins with the earlier one, unless a quarter of the budget fell out at once (property)', () => {
  let breaks = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 45 }), (steps) => {
      const { memory, conversationId, assembler, input } = begun()
      using _ = memory
      let last: { readonly included: Map<string, number>; readonly payloads: readonly string[][] } | null = null
      for (const [turn, one] of steps.entries()) {
        append(memory, conversationId, one, turn)
        const { items, tokens: total, overBudget } = assembler.assemble(input)
        const required = items.filter(({ reasonCode }) => reasonCode === 'fresh_tail' || reasonCode === 'always_in')
        const isTight = required.reduce((sum, item) => sum + item.tokens, 0) + STEP > BUDGET
        if (!overBudget) expect(total).toBeLessThanOrEqual(BUDGET)
        const included = new Map(items.filter((item) => item.included).map(({ id, tokens: size }) => [id, size]))
        const payloads = (['anthropic', 'openai'] as const).map((provider) =>
          piecesOf(assembler.render(input, provider)),
        )
        if (last && !isTight) {
          const fallen = [...last.included].filter(([id]) => !included.has(id)).reduce((sum, [, size]) => sum + size, 0)
          const isSame = last.payloads.map((earlier, index) => isPrefix(earlier, payloads[index] ?? []))
          if (isSame.includes(false)) {
            breaks += 1
            expect(fallen, JSON.stringify(steps.slice(0, turn + 1))).toBeGreaterThanOrEqual(STEP)
          }
        }
        last = { included, payloads }
      }
    }),
    { numRuns: 60 },
  )
  expect(breaks).toBeGreaterThan(10)
})

it('a window that grows to four times its budget changes its beginning once for each quarter of the budget', () => {
  const { memory, conversationId, assembler, input } = begun()
  using _ = memory
  let breaks = 0
  let last: string[] = []
  for (let turn = 0; turn < 100; turn += 1) {
    append(memory, conversationId, { kind: 'message', tokens: 40 }, turn)
    const pieces = piecesOf(assembler.render(input, 'anthropic'))
    if (!isPrefix(last, pieces)) breaks += 1
    last = pieces
  }
  // 4,050 tokens in all, 1,000 of them fit: 3,050 fall out, 250 at a time.
  expect(breaks).toBe(13)
})
