import { expect, it } from 'vitest'
import { dayText } from '#renderer/features/search/filters.ts'

it('writes a day of a filter as days are written, and none in words', () => {
  expect(dayText('')).toBe('any day')
  expect(dayText(`${new Date().getFullYear()}-03-06`)).toBe('Mar 6')
})
