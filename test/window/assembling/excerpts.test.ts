import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { excerptOf } from '#core/text.ts'

const pieces = fc.constantFrom(
  ' ',
  '  ',
  '\t',
  '\n',
  '\r\n',
  '\u0000',
  '\u0085',
  '\u00a0',
  '\u3000',
  '\ufeff',
  'a',
  'é',
  '世',
  '🙂',
)
const texts = fc
  .array(fc.oneof(pieces, fc.string({ unit: 'binary' })), { maxLength: 60 })
  .map((parts) => parts.join(''))

describe('the excerpt of a text', () => {
  it('is one line without control characters, where every run of white space is one space', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const words = text.split(/[\s\p{Cc}\ufeff]+/u).filter((word) => word !== '')
        expect(excerptOf(text, 10_000)).toBe(words.join(' ').toWellFormed())
      }),
    )
  })

  it('is no longer than asked, ends with … when something is left out, and never with half of a character', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, chars) => {
        const excerpt = excerptOf(text, chars)
        expect(excerpt.length).toBeLessThanOrEqual(chars)
        expect(excerpt.isWellFormed()).toBe(true)
        expect(excerpt === excerptOf(text, 10_000) || excerpt.endsWith('…')).toBe(true)
      }),
    )
  })
})
