import { describe, expect, it } from 'vitest'
import type { AssembledContext, AssembleInput } from '#core/contract/context.ts'
import { AssembledContext as AssembledContextSchema } from '#core/contract/context.ts'
import { LcmError } from '#core/errors.ts'
import { createTokenEstimator } from '#core/models/token-estimator.ts'
import { readSettings } from '#core/settings/settings.ts'
import { ContextAssembler } from '#core/window/context-assembler.ts'
import { processorClock } from '#test/builders/busy-machine.ts'
import { buildMemory, type MessageSpec, type TestMemory } from '#test/builders/memory.ts'
import { call, result } from './tool-pair.ts'

const assembler = (memory: TestMemory): ContextAssembler =>
  new ContextAssembler(memory.db, createTokenEstimator(), readSettings({}).compaction)

function assemble(memory: TestMemory, input: Partial<AssembleInput> = {}): AssembledContext {
  const context = assembler(memory).assemble({ conversationId: memory.conversationIds[0] ?? 0, ...input })
  return AssembledContextSchema.parse(context)
}

const included = (context: AssembledContext): string[] =>
  context.items.filter((item) => item.included).map((item) => item.id)
const reasonOf = (context: AssembledContext, id: string): string =>
  context.items.find((item) => item.id === id)?.reason ?? `no ${id}`

const messages = (...specs: readonly (MessageSpec | string)[]): TestMemory =>
  buildMemory({ conversations: [{ messages: specs }] })
const sized = (tokens: number, spec: MessageSpec = {}): MessageSpec => ({ tokens, content: 'x', ...spec })

describe('the assembled window', () => {
  it('contains everything in order while it fits', () => {
    using memory = messages(sized(10, { role: 'system' }), sized(20), sized(30), sized(40))
    const context = assemble(memory, { budgetTokens: 200, freshTailCount: 1 })
    expect(included(context)).toEqual(['msg_1', 'msg_2', 'msg_3', 'msg_4'])
    expect(context.items.map((item) => item.reason)).toEqual([
      'always in',
      'fits, newest first',
      'fits, newest first',
      'among the newest messages',
    ])
    expect(context).toMatchObject({ tokens: 100, activeTokens: 100, budget: 200, pressure: 0.5, overBudget: false })
  })

  it('takes tokenBudget for budgetTokens, which counts first', () => {
    using memory = messages(sized(50), sized(60), sized(70))
    expect(assemble(memory, { tokenBudget: 140, freshTailCount: 1 }).budget).toBe(140)
    expect(assemble(memory, { tokenBudget: 140, budgetTokens: 90, freshTailCount: 1 }).budget).toBe(90)
  })

  it('keeps system messages and the fresh tail when the budget is smaller, and says so', () => {
    using memory = messages(sized(50, { role: 'system' }), sized(5), sized(60), sized(70))
    const context = assemble(memory, { budgetTokens: 100, freshTailCount: 2 })
    expect(included(context)).toEqual(['msg_1', 'msg_3', 'msg_4'])
    expect(context).toMatchObject({ tokens: 180, overBudget: true, pressure: 1.8 })
    expect(reasonOf(context, 'msg_2')).toBe('out: over the budget, the oldest leave first, 25 tokens at a time')
  })

  it('drops one item that is as large as a step before anything older', () => {
    using memory = messages(sized(30), sized(9_870), sized(40), sized(10))
    const context = assemble(memory, { budgetTokens: 3_250, freshTailCount: 1 })
    expect(included(context)).toEqual(['msg_1', 'msg_3', 'msg_4'])
    expect(reasonOf(context, 'msg_2')).toBe('out: over the budget, and 9,870 tokens are as much as leaves at a time')
  })

  it('shows the text of a summary that was changed between two questions, and reads nothing when nothing changed', () => {
    using memory = messages()
    const conversation = memory.conversationIds[0] ?? 0
    const leaf = memory.leaf(conversation, memory.messages(conversation, 3))
    const read: string[] = []
    const all: TestMemory['db']['rows'] = (sql, params) => {
      read.push(sql)
      return memory.db.rows(sql, params)
    }
    const asked = new ContextAssembler({ ...memory.db, rows: all }, createTokenEstimator(), readSettings({}).compaction)
    const shown = (): string | undefined => asked.assemble({ conversationId: conversation }).items[0]?.excerpt
    const first = shown()
    const before = read.length
    expect(shown()).toBe(first)
    expect(read).toHaveLength(before)
    memory.db.run('UPDATE summaries SET content = :content WHERE summary_id = :leaf', {
      content: 'Another text.',
      leaf,
    })
    expect(shown()).toBe('Another text.')
  })

  it('says how many messages a summary covers, through all depths', () => {
    using memory = messages()
    const conversation = memory.conversationIds[0] ?? 0
    const ids = memory.messages(conversation, 9)
    const leaf = memory.leaf(conversation, ids.slice(0, 3))
    const other = memory.leaf(conversation, ids.slice(3, 8))
    const condensed = memory.condensed(conversation, [leaf, other])
    const context = assemble(memory, { freshTailCount: 1 })
    expect(context.items.map(({ id, kind, depth, messages: count }) => ({ id, kind, depth, count }))).toEqual([
      { id: condensed, kind: 'condensed', depth: 1, count: 8 },
      { id: 'msg_9', kind: 'message', depth: null, count: 1 },
    ])
    expect(reasonOf(context, condensed)).toBe('stands for 8 messages')
  })

  it('prefers items that match a query, in every script, and keeps their order', () => {
    using memory = messages(
      sized(50, { content: 'the login token expires too early' }),
      sized(50, { content: 'lunch is at noon' }),
      sized(50, { content: '数据库连接失败' }),
      sized(50, { content: 'weather talk' }),
      sized(1),
    )
    const english = assemble(memory, { budgetTokens: 55, freshTailCount: 1, query: 'token expiry?' })
    expect(included(english)).toEqual(['msg_1', 'msg_5'])
    expect(reasonOf(english, 'msg_1')).toBe('fits, match 1 of 1')
    const chinese = assemble(memory, { budgetTokens: 105, freshTailCount: 1, query: '连接' })
    expect(included(chinese)).toEqual(['msg_3', 'msg_4', 'msg_5'])
    expect(reasonOf(chinese, 'msg_4')).toBe('fits, newest first')
  })

  it('reports window entries that lead nowhere instead of failing', () => {
    using memory = messages('a', 'b', 'c')
    memory.damage('UPDATE context_items SET message_id = 999 WHERE ordinal = 1')
    const context = assemble(memory)
    expect(context.items[1]).toMatchObject({ id: 'msg_999', kind: 'missing', included: false, reasonCode: 'dangling' })
    expect(included(context)).toEqual(['msg_1', 'msg_3'])
    expect(assembler(memory).render({ conversationId: 1 }, 'openai').messages).toHaveLength(2)
  })

  it('estimates the tokens of a message that was stored without a count', () => {
    using memory = messages(sized(0, { content: 'x'.repeat(400) }), sized(0, { content: '' }))
    expect(assemble(memory).items.map((item) => item.tokens)).toEqual([
      createTokenEstimator().count('x'.repeat(400)),
      0,
    ])
  })

  it('is the same, byte for byte, every time', () => {
    using memory = messages('alpha', call(['c1']), result('c1'), 'beta')
    const input = { budgetTokens: 10, query: 'alpha' }
    expect(JSON.stringify(assemble(memory, input))).toBe(JSON.stringify(assemble(memory, input)))
  })

  it('is refused for an unknown conversation', () => {
    using memory = messages('a')
    expect(() => assemble(memory, { conversationId: 77 })).toThrow(LcmError)
  })
})

describe('a tool call and its result', () => {
  it('are left out together when only one of them would fit', () => {
    using memory = messages(sized(10), call(['c1'], { tokens: 10 }), result('c1', { tokens: 500 }), sized(10))
    const context = assemble(memory, { budgetTokens: 100, freshTailCount: 1 })
    expect(included(context)).toEqual(['msg_1', 'msg_4'])
    expect(reasonOf(context, 'msg_2')).toBe(
      'out: over the budget, and 510 tokens with msg_3 are as much as leaves at a time',
    )
    expect(context.items[2]?.reasonCode).toBe('pair_out_of_budget')
  })

  it('are included together when one of them is in the fresh tail', () => {
    using memory = messages(sized(10), call(['c1'], { tokens: 800 }), result('c1', { tokens: 5 }), sized(5))
    const context = assemble(memory, { budgetTokens: 20, freshTailCount: 2 })
    expect(included(context)).toEqual(['msg_2', 'msg_3', 'msg_4'])
    expect(reasonOf(context, 'msg_2')).toBe('among the newest messages · pair of msg_3')
    expect(context).toMatchObject({ overBudget: true, tokens: 810 })
  })

  it('stay together when one message has several calls or several messages have results', () => {
    using memory = messages(
      call(['a', 'b'], { tokens: 10 }),
      result('a', { tokens: 10 }),
      'in between',
      result('b', { tokens: 10 }),
      sized(1),
    )
    expect(included(assemble(memory, { budgetTokens: 25, freshTailCount: 1 }))).toEqual(['msg_3', 'msg_5'])
    expect(included(assemble(memory, { budgetTokens: 34, freshTailCount: 1 }))).toEqual([
      'msg_1',
      'msg_2',
      'msg_3',
      'msg_4',
      'msg_5',
    ])
  })

  it('are separate from another call with the same id', () => {
    using memory = messages(call(['x']), result('x'), call(['x']), result('x'), sized(1))
    const context = assemble(memory, { budgetTokens: 10, freshTailCount: 2 })
    expect(reasonOf(context, 'msg_3')).toBe('among the newest messages · pair of msg_4')
    expect(included(context)).toEqual(['msg_3', 'msg_4', 'msg_5'])
  })

  it('leave out a result without its call, with the reason', () => {
    using memory = messages(call(['gone']), 'talk', result('gone'), result('never'), 'talk')
    memory.leaf(1, [1, 2])
    const context = assemble(memory)
    expect(reasonOf(context, 'msg_3')).toBe('out: its call was compacted')
    expect(reasonOf(context, 'msg_4')).toBe('out: its call is not in this conversation')
    expect(context.items.map((item) => item.reasonCode)).toEqual([
      'fits_recency',
      'orphan_result',
      'orphan_result',
      'fresh_tail',
    ])
  })
})

describe('an excerpt', () => {
  it('is one line of at most 160 characters, for any text', () => {
    using memory = messages(`first\n\tsecond \u0000 ${'word 😀 '.repeat(200_000)}`, '\ud83d', '')
    const [long, lone, empty] = assemble(memory).items.map((item) => item.excerpt)
    expect(long).toMatch(/^first second word 😀.*…$/)
    expect(long?.length).toBeLessThanOrEqual(160)
    expect(long?.isWellFormed()).toBe(true)
    expect(lone?.isWellFormed()).toBe(true)
    expect(empty).toBe('')
  })

  it('names the tool of a call without text and of a result', () => {
    using memory = messages(call(['c1'], { content: '' }), result('c1'))
    expect(assemble(memory).items.map((item) => item.excerpt)).toEqual(['bash run c1', 'bash: output of c1'])
  })
})

it('a window of 20,000 items is assembled without a pass over all items for each of them', () => {
  using memory = messages()
  const conversation = memory.conversationIds[0] ?? 0
  memory.messages(
    conversation,
    Array.from({ length: 20_000 }, (_, index) =>
      index % 4 === 1 ? call([`c${index}`]) : index % 4 === 2 ? result(`c${index - 1}`) : 'some words in a message',
    ),
  )
  // It takes 0.3 s of processor time.
  const usedMs = processorClock()
  assemble(memory, { budgetTokens: 50_000 })
  expect(usedMs()).toBeLessThan(10_000)
})
