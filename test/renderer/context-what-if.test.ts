import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonLines } from '#renderer/features/context/json-lines.ts'
import {
  AS_CONFIGURED,
  assembleInput,
  budgetToSlider,
  isAsConfigured,
  MAX_BUDGET,
  MAX_SLIDER_TAIL,
  MIN_BUDGET,
  movedOnSlider,
  parseThreshold,
  parseTokens,
  parseWhatIf,
  sliderToBudget,
  sliderToTail,
  tailToSlider,
  triedSettings,
  type WhatIf,
  withPreset,
} from '#renderer/features/context/what-if.ts'

describe('the what-if form', () => {
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

  const preset = {
    name: 'argentos',
    label: 'ArgentOS',
    settings: { budgetTokens: 128_000, freshTailCount: 32, leafChunkTokens: 20_000 },
    note: null,
  } as const

  it('sends only the settings that were changed', () => {
    expect(triedSettings(AS_CONFIGURED, [preset])).toEqual({})
    expect(assembleInput(7, {}, '')).toEqual({ conversationId: 7 })
    expect(assembleInput(7, { budgetTokens: 9, freshTailCount: 0, softThreshold: 0.5 }, ' why ')).toEqual({
      conversationId: 7,
      budgetTokens: 9,
      freshTailCount: 0,
      query: 'why',
    })
    expect(isAsConfigured({ ...AS_CONFIGURED, query: '  ' })).toBe(true)
    expect(isAsConfigured({ ...AS_CONFIGURED, freshTailCount: 0 })).toBe(false)
    expect(isAsConfigured({ ...AS_CONFIGURED, preset: 'spec' })).toBe(false)
  })

  it('puts values set by hand over the preset, until a newly chosen preset has a value of its own', () => {
    const byHand: WhatIf = { ...AS_CONFIGURED, budgetTokens: 5_000, softThreshold: 0.5 }
    const chosen = withPreset(byHand, preset)
    expect(triedSettings(chosen, [preset])).toEqual({ ...preset.settings, softThreshold: 0.5 })
    expect(triedSettings({ ...chosen, freshTailCount: 0 }, [preset])).toMatchObject({ freshTailCount: 0 })
    expect(withPreset(chosen, null)).toEqual({ ...AS_CONFIGURED, softThreshold: 0.5 })
  })

  it.each([
    ['0.75', 0.75],
    ['.5', 0.5],
    ['75 %', 0.75],
    ['1', 1],
  ])('reads %s as a share of the budget', (text, share) => {
    expect(parseThreshold(text)).toBe(share)
  })

  it.each(['', '0', '1.5', '75', '-0.5', 'half'])('refuses %j as a share of the budget', (text) => {
    expect(parseThreshold(text)).toBeNull()
  })

  it('reads what the address tries out, and drops values that are not valid', () => {
    const whatIf: WhatIf = { preset: 'pi-lcm', budgetTokens: 9, softThreshold: 0.5, freshTailCount: 0, query: 'why' }
    expect(parseWhatIf({ preset: 'pi-lcm', budget: '9', threshold: '0.5', tail: '0', rank: 'why' })).toEqual(whatIf)
    expect(parseWhatIf({ preset: 'other', budget: '-1', threshold: '7', tail: 'x', rank: null })).toEqual(AS_CONFIGURED)
    expect(parseWhatIf({})).toEqual(AS_CONFIGURED)
  })

  it('moves a slider by at least one value for each arrow key, in its direction, until its end', () => {
    const sliders = [
      { toSlider: budgetToSlider, fromSlider: sliderToBudget, values: [1_000, 20_000, 200_000, 203_456, 2_000_000] },
      { toSlider: tailToSlider, fromSlider: sliderToTail, values: [0, 1, 64, 512] },
    ]
    for (const { toSlider, fromSlider, values } of sliders)
      for (const value of values)
        for (const step of [1, -1]) {
          const position = toSlider(value)
          const moved = movedOnSlider({ position, value }, position + step, fromSlider)
          const end = fromSlider(step > 0 ? 1000 : 0)
          if (value !== end) expect(Math.sign(moved - value)).toBe(step)
        }
    expect(movedOnSlider({ position: 5, value: 1_000 }, 700, sliderToBudget)).toBe(sliderToBudget(700))
  })

  it('moves the slider over fresh tails, finer where they are short', () => {
    expect([0, 1000].map(sliderToTail)).toEqual([0, MAX_SLIDER_TAIL])
    for (const tail of [0, 1, 2, 8, 32, 64, 200, 512]) {
      expect(Math.abs(sliderToTail(tailToSlider(tail)) - tail)).toBeLessThanOrEqual(tail / 100)
    }
    expect(tailToSlider(1_000_000)).toBe(1000)
  })

  it('moves the slider over the whole range of budgets, evenly by factor', () => {
    expect(sliderToBudget(0)).toBe(MIN_BUDGET)
    expect(sliderToBudget(1000)).toBe(MAX_BUDGET)
    expect(budgetToSlider(MIN_BUDGET)).toBe(0)
    expect(budgetToSlider(MAX_BUDGET * 10)).toBe(1000)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), (position) => {
        expect(Math.abs(budgetToSlider(sliderToBudget(position)) - position)).toBeLessThanOrEqual(7)
      }),
    )
  })
})

describe('the lines of a payload', () => {
  const written = (value: unknown): string => {
    let text = ''
    for (const { key, text: piece, continues } of jsonLines(value))
      text += continues ? piece : `${key === null ? '' : `${JSON.stringify(key)}:`}${piece}`
    return text
  }

  it('are together the JSON of the payload, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(written(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('break a string at its newlines', () => {
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
