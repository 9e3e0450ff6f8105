import { describe, expect, it } from 'vitest'
import { isNestedTooDeep } from '#renderer/ui/texts/markdown.tsx'
import { processorClock } from '../builders/busy-machine.ts'

describe('nested markdown', () => {
  it.each([
    ['quotes', '>'.repeat(4000)],
    ['spaced quotes', '> '.repeat(40)],
    ['lists', `text\n${'- '.repeat(40)}x`],
    ['numbered lists', `${'1. '.repeat(40)}x`],
    ['a mixture', '> - '.repeat(20)],
  ])('is refused when it has thousands of %s', (_, text) => {
    expect(isNestedTooDeep(text)).toBe(true)
  })

  it.each([
    ['a rule', '-'.repeat(200)],
    ['stars', '*'.repeat(200)],
    ['a reply to a reply', '>>> no\n>> yes\n> no'],
    ['a deep list', Array.from({ length: 40 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n')],
  ])('is accepted with %s', (_, text) => {
    expect(isNestedTooDeep(text)).toBe(false)
  })

  it('is checked in time that is proportional to the length of the text', () => {
    const usedMs = processorClock()
    for (const text of [
      ' '.repeat(200_000),
      '- '.repeat(11) + ' '.repeat(200_000),
      '\t- '.repeat(80_000),
      '1'.repeat(200_000),
    ])
      isNestedTooDeep(text)
    expect(usedMs()).toBeLessThan(5_000)
  })
})
