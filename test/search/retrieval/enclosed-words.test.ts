import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { enclosedMatch } from '#core/search/query/index-expression.ts'
import { smallLetters } from '#core/search/query/text-folding.ts'
import { runs } from '#test/builders/property-runs.ts'

const db = new Database(':memory:')
db.exec(`CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2')`)
afterAll(() => db.close())
const finds = db.prepare('SELECT count(*) FROM words WHERE words MATCH ?').pluck()

function isFound(text: string, match: string): boolean {
  db.exec('DELETE FROM words')
  db.prepare('INSERT INTO words VALUES (?)').run(text)
  return finds.get(match) === 1
}

it.each([
  ['src/invoice/escape-policy.ts', '"invoice escape policy"'],
  ['/etc/cron.d/', '"etc cron d"'],
  ['(09:01:13.112)', '"09 01 13 112"'],
  ['Error: Lease 4 is gone', '"lease 4 is"'],
  ['a of the longest-word-here and of others', '"the longest word here"'],
  ['input.collectedAt', null],
  ['.encode(', null],
  ['main', null],
  ['->', null],
  ['a/ι/b/c/', null],
  ['a/Ι/b/c/', null],
  ['', null],
])('takes the words that begin and end in %j as %j', (text, match) => {
  expect(enclosedMatch(text)).toBe(match)
})

const piece = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('src', 'Café', 'naïve', 'ÅNGSTRÖM', '42', '数据库', 'データ', '한국어', 'é', 'a'),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom('/', '.', '-', '_', ' ', ':', '\n', '，', '\u0301', '\u0345', '\u200d', '€', '\u0000'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 3 }) },
)

it('finds every text that contains what it is made from, in any case', () => {
  fc.assert(
    fc.property(fc.array(piece, { minLength: 6, maxLength: 24 }), fc.nat(), fc.nat(), (pieces, start, length) => {
      const characters = [...pieces.join('').toWellFormed()]
      const from = start % characters.length
      const part = characters.slice(from, from + 1 + (length % (characters.length - from))).join('')
      const [small, large] = [smallLetters(part), part.toUpperCase()]
      // The index does not make every letter small that JavaScript makes large.
      const match = enclosedMatch(smallLetters(large) === small && length % 2 === 0 ? large : small)
      return match === null || isFound(characters.join(''), match)
    }),
    { numRuns: runs(2000) },
  )
})
