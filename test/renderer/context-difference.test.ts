import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ContextItem } from '#core/contract/context.ts'
import { differenceRows } from '#renderer/features/context/difference-rows.ts'
import { groupsByCategory, groupsByReason, largestItems } from '#renderer/features/context/groups.ts'
import { runSteps } from '#renderer/features/context/moment-text.ts'
import { byRun, replacementsOf } from '#renderer/features/context/replacements.ts'
import { afterText, answerTitle, fallsOutText, sizeName } from '#renderer/features/context/what-if-answer.tsx'
import { compactionEvent } from './compaction-event.ts'
import { contextItem } from './context-items.ts'

const said = (number: number, ordinal: number): ContextItem => contextItem({ id: `msg_${number}`, ordinal })
const leaf = (id: string, ordinal: number, messages: number): ContextItem =>
  contextItem({ id, ordinal, kind: 'leaf', role: null, depth: 0, messages })

const ids = (items: readonly ContextItem[]): readonly string[] => items.map(({ id }) => id)

/** The difference of two windows, as the core tells it. */
function between(before: readonly ContextItem[], after: readonly ContextItem[]) {
  const [was, is] = [new Set(ids(before)), new Set(ids(after))]
  const left = before.filter(({ id }) => !is.has(id))
  return { left, entered: after.filter(({ id }) => !was.has(id)), stayed: before.length - left.length }
}

describe('the difference between two windows', () => {
  it('pairs each item that entered with the items that it replaced', () => {
    const before = [said(1, 0), said(2, 1), said(3, 2), said(4, 3), said(5, 4)]
    const after = [said(1, 0), leaf('sum_a', 1, 2), said(4, 2), said(5, 3), said(6, 4)]
    expect(replacementsOf(between(before, after)).map(({ left, entered }) => [ids(left), ids(entered)])).toEqual([
      [['msg_2', 'msg_3'], ['sum_a']],
      [[], ['msg_6']],
    ])
  })

  it('assigns the items that left to neighbouring summaries by the messages that each stands for', () => {
    const before = [1, 2, 3, 4, 5].map((number, ordinal) => said(number, ordinal))
    const after = [leaf('sum_a', 0, 2), leaf('sum_b', 1, 3), said(6, 2)]
    expect(replacementsOf(between(before, after)).map(({ left, entered }) => [ids(left), ids(entered)])).toEqual([
      [['msg_1', 'msg_2'], ['sum_a']],
      [['msg_3', 'msg_4', 'msg_5'], ['sum_b']],
      [[], ['msg_6']],
    ])
  })

  it('keeps neighbouring summaries in one replacement when their messages cannot be divided among them', () => {
    const before = [1, 2, 3].map((number, ordinal) => said(number, ordinal))
    const after = [leaf('sum_a', 0, 2), leaf('sum_b', 1, 9)]
    expect(replacementsOf(between(before, after)).map(({ left, entered }) => [left.length, entered.length])).toEqual([
      [3, 2],
    ])
  })

  it('contains every item that entered or left exactly once, for any two windows', () => {
    const items = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 30 })
    fc.assert(
      fc.property(items, items, fc.boolean(), (a, b, shuffled) => {
        const order = (numbers: readonly number[]) => (shuffled ? numbers : numbers.toSorted((x, y) => x - y))
        const make = (number: number, ordinal: number) =>
          number % 3 === 0 ? leaf(`sum_${number}`, ordinal, number % 5) : said(number, ordinal)
        const difference = between(order(a).map(make), order(b).map(make))
        const replacements = replacementsOf(difference)
        expect(ids(replacements.flatMap(({ left }) => left)).toSorted()).toEqual(ids(difference.left).toSorted())
        expect(ids(replacements.flatMap(({ entered }) => entered)).toSorted()).toEqual(
          ids(difference.entered).toSorted(),
        )
      }),
    )
  })

  const events = [
    compactionEvent({ runId: 'a', summaryId: 'sum_a' }),
    compactionEvent({ runId: 'b', summaryId: 'sum_b', eventId: 2 }),
  ]
  const replacements = [
    { left: [], entered: [leaf('sum_b', 0, 2)] },
    { left: [said(1, 1), said(2, 2), said(3, 3), said(4, 4), said(5, 5)], entered: [leaf('sum_a', 1, 5)] },
    { left: [], entered: [said(9, 5)] },
  ]

  it('groups replacements by run, oldest first, and puts those without a run last', () => {
    expect(byRun(replacements, events).map(({ runId, replacements: own }) => [runId, own.length])).toEqual([
      ['a', 1],
      ['b', 1],
      ['', 1],
    ])
  })

  it('folds a long list of items that left until it is opened', () => {
    const timeline = { firstAtMs: null, lastAtMs: null, messages: 9, isExact: true, events }
    const rows = (opened: ReadonlySet<string>) => differenceRows(replacements, timeline, runSteps(events), opened)
    const folded = rows(new Set())
    expect(folded.map(({ kind }) => kind)).toEqual(['run', 'item', 'fold', 'run', 'item', 'run', 'item'])
    const fold = folded.find((row) => row.kind === 'fold')
    expect(rows(new Set([fold?.key ?? ''])).length).toBe(folded.length + 5)
    expect(folded[0]).toMatchObject({ title: 'compaction 1 of 2' })
    expect(folded[5]).toMatchObject({ title: 'new messages' })
  })
})

describe('the totals of a window', () => {
  const items = [
    contextItem({ id: 'msg_1', role: 'system', tokens: 5, reasonCode: 'always_in' }),
    contextItem({ id: 'sum_2', kind: 'condensed', depth: 2, role: null, tokens: 7 }),
    contextItem({ id: 'sum_1', kind: 'leaf', depth: 0, role: null, tokens: 9 }),
    contextItem({ id: 'msg_2', tokens: 20, included: false, reasonCode: 'out_of_budget' }),
    contextItem({ id: 'msg_3', tokens: 3, reasonCode: 'fresh_tail' }),
  ]

  it('list categories from system messages over the depths to the roles', () => {
    expect(groupsByCategory(items).map(({ label, tokens, outTokens }) => [label, tokens, outTokens])).toEqual([
      ['system', 5, 0],
      ['depth 2', 7, 0],
      ['first summaries', 9, 0],
      ['user', 3, 20],
    ])
  })

  it('list reasons, those for being included first', () => {
    expect(groupsByReason(items).map(({ key, items: inside, outItems }) => [key, inside, outItems])).toEqual([
      ['always_in', 1, 0],
      ['fresh_tail', 1, 0],
      ['fits_recency', 2, 0],
      ['out_of_budget', 0, 1],
    ])
  })

  it('name the largest included items', () => {
    expect(ids(largestItems(items, 2))).toEqual(['sum_1', 'sum_2'])
    fc.assert(
      fc.property(fc.array(fc.nat(50)), (tokens) => {
        const many = tokens.map((count, index) => contextItem({ id: `msg_${index}`, tokens: count }))
        const expected = tokens.filter((count) => count > 0).toSorted((a, b) => b - a)
        expect(largestItems(many, 4).map((item) => item.tokens)).toEqual(expected.slice(0, 4))
      }),
    )
  })
})

describe('the texts about a what-if', () => {
  it('do not suggest that a compaction is due when none is', () => {
    expect(answerTitle({ should: false, urgency: 'none' }, 3)).toContain('no compaction is due')
    expect(answerTitle({ should: true, urgency: 'hard' }, 3)).toContain('before the next turn')
  })

  it('lead to nothing where nothing can be compacted', () => {
    expect(answerTitle({ should: false, urgency: 'none' }, 0)).toBe('Then no compaction is due.')
    expect(answerTitle({ should: true, urgency: 'hard' }, 0)).toBe('Then a compaction is due, and can do nothing.')
  })

  it('say "nothing" when nothing would change', () => {
    expect(fallsOutText({ fallsOut: [], fallsOutTokens: 0, fallsOutBy: [] })).toBe('nothing')
  })

  it('say what the model is not given, and why where no other budget would bring it back', () => {
    const budget = { reasonCode: 'out_of_budget', items: 1, tokens: 300 } as const
    const pair = { reasonCode: 'pair_out_of_budget', items: 2, tokens: 50 } as const
    const orphans = { reasonCode: 'orphan_result', items: 2, tokens: 40 } as const
    const text = (...fallsOutBy: Parameters<typeof fallsOutText>[0]['fallsOutBy']) =>
      fallsOutText({
        fallsOut: fallsOutBy.flatMap(({ items }) => Array.from({ length: items }, (_, index) => `msg_${index}`)),
        fallsOutTokens: fallsOutBy.reduce((sum, { tokens }) => sum + tokens, 0),
        fallsOutBy,
      })
    expect(text(budget, pair)).toBe('3\u00a0items, 350\u00a0tokens')
    expect(text(orphans)).toBe('2\u00a0items, 40\u00a0tokens: 2 without their call')
    expect(text(budget, pair, orphans)).toBe('5\u00a0items, 390\u00a0tokens: 3 over the budget, 2 without their call')
  })

  it('call the window what the model is given, as the Window view does, and not what wants in', () => {
    expect(sizeName({ activeTokens: 699, leftOutTokens: 0, budget: 200_000 })).toBe('window')
    expect(sizeName({ activeTokens: 1539, leftOutTokens: 840, budget: 200_000 })).toBe('want in')
    expect(sizeName({ activeTokens: 1539, leftOutTokens: 0, budget: 1000 })).toBe('want in')
  })

  it('do not say that more stands in the window afterwards than the budget', () => {
    expect(afterText(2000, 3000, 0.67)).toBe('in the window, 67\u00a0% of the budget')
    expect(afterText(4573, 3000, 0.92)).toBe('want in, what fits is 92\u00a0% of the budget')
  })
})
