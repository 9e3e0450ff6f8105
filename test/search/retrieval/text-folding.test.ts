import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { locatedWordsOf, smallLetters, wordsOf } from '#core/search/query/text-folding.ts'

/** What SQLite makes of texts: their terms in order. */
function terms(tokenizer: string, texts: readonly string[]): string[][] {
  const db = new Database(':memory:')
  db.exec(`CREATE VIRTUAL TABLE asked USING fts5 (text, tokenize = '${tokenizer}');
           CREATE VIRTUAL TABLE answers USING fts5vocab (asked, 'instance')`)
  const insert = db.prepare('INSERT INTO asked (rowid, text) VALUES (?, ?)')
  db.transaction(() => {
    texts.forEach((text, row) => {
      insert.run(BigInt(row + 1), text)
    })
  })()
  const found = texts.map((): string[] => [])
  const rows = db.prepare('SELECT doc, term FROM answers ORDER BY doc, offset').raw().all() as [number, string][]
  for (const [doc, term] of rows) found[doc - 1]?.push(term)
  db.close()
  return found
}
const ours = (text: string): string[] => wordsOf(text).split(' ').filter(Boolean)

/** Blocks of 256 code points: all in which Unicode has assigned letters, and one in 64 of the rest. */
const blocks = Array.from({ length: 0x1100 }, (_, block) => block).filter((block) => block < 0x330 || block % 64 === 0)

/** Their characters, between letters so that dropping shows, and alone. */
const allCharacters: string[] = blocks.map((block) =>
  Array.from({ length: 256 }, (_, i) => block * 256 + i)
    .filter((code) => code > 0 && (code < 0xd800 || code > 0xdfff))
    .map((code) => `0${String.fromCodePoint(code)}1 ${String.fromCodePoint(code)}`)
    .join(' '),
)

it('splits and folds every character of Unicode as the word index does', () => {
  expect(allCharacters.map(ours)).toEqual(terms('unicode61 remove_diacritics 2', allCharacters))
})

it('splits and folds a text of ASCII alone as the word index does', () => {
  const characters = Array.from({ length: 0x7f }, (_, i) => String.fromCharCode(i + 1))
  const texts = characters.map((character) => `aB${character}9z ${character}`)
  expect(texts.map(ours)).toEqual(terms('unicode61 remove_diacritics 2', texts))
})

it('lowers letters as the trigram index does', () => {
  const letters = allCharacters.slice(0, 0x1f0).map((text) => text.replaceAll(/\s/g, ''))
  const trigrams = letters.map((text) => {
    const characters = [...smallLetters(text)]
    return characters.slice(2).map((_, i) => characters.slice(i, i + 3).join(''))
  })
  expect(trigrams).toEqual(terms('trigram', letters))
})

it('splits any text as the word index does', () => {
  const texts = fc
    .sample(fc.string({ unit: 'binary', maxLength: 40 }), 1000)
    .map((text) => text.toWellFormed().replaceAll('\u0000', ' '))
  expect(texts.map(ours)).toEqual(terms('unicode61 remove_diacritics 2', texts))
})

it('folding a text twice equals folding it once', () => {
  for (const text of allCharacters) expect(wordsOf(wordsOf(text))).toBe(wordsOf(text))
})

it('locates each token in the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (given) => {
      const text = given.toWellFormed()
      const words = locatedWordsOf(text)
      expect(words.text).toBe(wordsOf(text))
      let start = 1
      for (const token of ours(text)) {
        const end = start + token.length
        expect(ours(text.slice(words.origins[start], words.origins[end]))).toEqual([token])
        start = end + 1
      }
    }),
  )
})

it('lowering letters keeps every offset', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(smallLetters(text).length).toBe(text.length)
    }),
  )
  expect(smallLetters('ÀİẞΣ𐐀 C++')).toBe('àİßσ𐐨 c++')
})

it('folds a long text as its own words, whichever long text was folded before', () => {
  const long = (word: string): string => `${word} `.repeat(30_000)
  for (const word of ['Straße', 'STRAßE', 'stra ß e', 'Straße']) {
    expect(wordsOf(long(word))).toBe(` ${wordsOf(word).trim()}`.repeat(30_000).concat(' '))
    expect(smallLetters(long(word))).toBe(long(smallLetters(word)))
  }
})
