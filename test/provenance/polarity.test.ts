import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mayDeny, polarityOf } from '#core/provenance/polarity.ts'
import { tokensOf } from '#core/provenance/tokens.ts'
import { runs } from '../builders/property-runs.ts'

const denied = (text: string): number => polarityOf(text, tokensOf(text), () => true).denied.size

it.each([
  ['white space that JSON escaped', 'done\\nnot tested'],
  ['a digit', '5not tested'],
  ['a character of a script without word breaks', '部署not tested'],
])('a negation is found after %s', (_, text) => {
  expect([denied(text), mayDeny(text)]).toEqual([1, true])
})

const PIECES = [
  'not',
  'never',
  'kein',
  'не',
  'fails to',
  "isn't",
  '不',
  '部署',
  '\\n',
  '\\',
  '5',
  'x',
  '_',
  ' ',
  ' tested',
  '. ',
  '…',
  'é',
]

it('a text in which something is denied is never passed over', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...PIECES), maxLength: 12 }), (text) => {
      if (denied(text) > 0) expect(mayDeny(text)).toBe(true)
    }),
    { numRuns: runs(2000) },
  )
})
