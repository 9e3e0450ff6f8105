import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonLines } from '../../renderer/features/context/json-lines.ts'
import {
  AS_CONFIGURED,
  assembleInput,
  budgetToSlider,
  isAsConfigured,
  MAX_BUDGET,
  MIN_BUDGET,
  parseTokens,
  sliderToBudget,
} from '../../renderer/features/context/what-if.ts'

describe('what-if', () => {
  it.each([
    ['128000', 128_000],
    ['128,000', 128_000],
    ['128 000', 128_000],
    ['128k', 128_000],
    ['1.5M', 1_500_000],
    [' 8 K ', 8_000],
  ])('reads %s as a number of tokens', (text, tokens) => {
    expect(parseTokens(text)).toBe(tokens)
  })

  it.each(['', '0', '-1', 'lots', '1e9', '200M', '12kk'])('refuses %j as a budget', (text) => {
    expect(parseTokens(text)).toBeNull()
  })

  it('asks for nothing that was not changed', () => {
    expect(assembleInput(7, AS_CONFIGURED)).toEqual({ conversationId: 7 })
    expect(assembleInput(7, { budgetTokens: 9, freshTailCount: 0, query: ' why ' })).toEqual({
      conversationId: 7,
      budgetTokens: 9,
      freshTailCount: 0,
      query: 'why',
    })
    expect(isAsConfigured({ ...AS_CONFIGURED, query: '  ' })).toBe(true)
    expect(isAsConfigured({ ...AS_CONFIGURED, freshTailCount: 0 })).toBe(false)
  })

  it('moves the slider over the whole range of budgets, evenly by factor', () => {
    expect(sliderToBudget(0)).toBe(MIN_BUDGET)
    expect(sliderToBudget(1000)).toBe(MAX_BUDGET)
    expect(budgetToSlider(MIN_BUDGET)).toBe(0)
    expect(budgetToSlider(MAX_BUDGET * 10)).toBe(1000)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), (place) => {
        expect(Math.abs(budgetToSlider(sliderToBudget(place)) - place)).toBeLessThanOrEqual(7)
      }),
    )
  })
})

describe('payload lines', () => {
  const written = (value: unknown): string => {
    let text = ''
    for (const { key, text: piece, continues } of jsonLines(value))
      text += continues ? piece : `${key === null ? '' : `${JSON.stringify(key)}:`}${piece}`
    return text
  }

  it('are the JSON of the payload, however its strings are broken', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(written(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('break a string at its newlines, so that it can be read', () => {
    const lines = jsonLines({ text: 'one\ntwo\n' })
    expect(lines.map(({ key, text }) => [key, text])).toEqual([
      [null, '{'],
      ['text', '"one\\n'],
      [null, 'two\\n"'],
      [null, '}'],
    ])
  })

  it('break a megabyte without a newline into pieces that can be laid out', () => {
    const emoji = '🧠'.repeat(300_000)
    const lines = jsonLines([emoji])
    expect(Math.max(...lines.map(({ text }) => text.length))).toBeLessThan(1_100)
    expect(JSON.parse(written([emoji]))).toEqual([emoji])
  })
})
