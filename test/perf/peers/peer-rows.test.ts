import { expect, it } from 'vitest'
import { goalText, isMet, valueText } from './peer-rows.ts'

const row = { what: 'a question ÷ bare SQL', unit: '×' } as const

it('meets a goal that is the most or the least at exactly its figure', () => {
  expect(isMet({ ...row, goal: { atMost: 1.5 }, value: 1.5 })).toBe(true)
  expect(isMet({ ...row, goal: { atMost: 1.5 }, value: 1.51 })).toBe(false)
  expect(isMet({ ...row, goal: { atLeast: 0.7 }, value: 0.7 })).toBe(true)
  expect(isMet({ ...row, goal: { atLeast: 0.7 }, value: 0.69 })).toBe(false)
})

it('neither meets nor misses a goal that was not measured, nor a figure without a goal', () => {
  expect(isMet({ ...row, goal: { atMost: 1 }, value: null })).toBeNull()
  expect(isMet({ ...row, value: 3 })).toBeNull()
})

it('writes figures and goals with their unit', () => {
  expect(valueText({ ...row, value: 1.234 })).toBe('1.23 ×')
  expect(valueText({ ...row, unit: 'ms', value: 1234.5 })).toBe('1,235 ms')
  expect(valueText({ ...row, value: null })).toBe('not measured')
  expect(goalText({ ...row, goal: { atLeast: 0.95 } })).toBe('≥ 0.95 ×')
})
