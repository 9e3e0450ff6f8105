import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Expression, loosened, parseQuery } from '#core/search/query/query.ts'

/** An expression as short text: words in brackets, literals in quotes, + all, | any, − without. */
function told(expression: Expression | null): string {
  if (!expression) return ''
  switch (expression.kind) {
    case 'term':
      return expression.term.kind === 'literal'
        ? `'${expression.term.text}'`
        : expression.term.kind === 'stem'
          ? `[${expression.term.stem}~]`
          : `[${expression.term.tokens.join(' ')}${expression.term.isPrefix ? '*' : ''}]`
    case 'all':
      return `(${expression.of.map(told).join(expression.isImplied ? ' + ' : ' AND ')})`
    case 'any':
      return `(${expression.of.map(told).join(' | ')})`
    case 'without':
      return `(${told(expression.from)} − ${told(expression.what)})`
  }
}
const read = (query: string): string => told(parseQuery(query).expression)

describe('a query', () => {
  it.each([
    ['deadlock', '[deadlock]'],
    ['Café au LAIT', '([cafe] + [au] + [lait])'],
    ['"circuit breaker" open', '([circuit breaker] + [open])'],
    ['dep*', '[dep*]'],
    ['"quick bro"*', '[quick bro*]'],
    ['postgres OR sqlite', '([postgres] | [sqlite])'],
    ['a b OR c', '(([a] + [b]) | [c])'],
    ['a NOT b c', '([a] − ([b] + [c]))'],
    ['a AND b', '([a] AND [b])'],
    ['a AND NOT b', '([a] − [b])'],
    ['a -b -"c d"', '([a] − ([b] | [c d]))'],
    ['or not and', '([or] + [not] + [and])'],
  ])('is parsed from %s as %s', (query, expected) => {
    expect(read(query)).toBe(expected)
  })

  it.each([
    ['foo_bar::baz', "'foo_bar::baz'"],
    ['C++', "'c++'"],
    ['sqlite-wal-checkpoint', "'sqlite-wal-checkpoint'"],
    ['src/a/b.ts', "'src/a/b.ts'"],
    ['--flag', "'--flag'"],
    ['部署', "'部署'"],
    ['データベース*', "'データベース'"],
    ['로그를', "'로그를'"],
    ['ไทย', "'ไทย'"],
    ['हिन्दी', "'हिन्दी'"],
    ['🚀', "'🚀'"],
    ['main()', "'main()'"],
    ['"foo-bar baz"', "'foo-bar baz'"],
  ])('searches as typed for %s, which the word index would split', (query, expected) => {
    expect(read(query)).toBe(expected)
  })

  it.each([
    ['why did it fail?', '([why] + [did] + [it] + [fail])'],
    ['(see above), "please".', '([see] + [above] + [please])'],
    ['tea – or coffee ?', '([tea] + [or] + [coffee])'],
    ['“quoted” …', '[quoted]'],
  ])('ignores the punctuation of the sentence: %s', (query, expected) => {
    expect(read(query)).toBe(expected)
  })

  it.each(['"open quote', 'OR a', 'a OR', 'a OR OR b', 'NOT', 'NOT a', '-a', 'AND', 'a NOT', '???', '"', '*'])(
    'is searched literally when it cannot be parsed: %s',
    (query) => {
      expect(read(query)).toBe(`'${query.toLowerCase()}'`)
    },
  )

  it('says why it is searched literally', () => {
    expect(parseQuery('say "hello').notes).toEqual(['Searched literally: a quote is not closed.'])
    expect(parseQuery('plain words').notes).toEqual([])
    expect(parseQuery('ls -la').notes[0]).toMatch(/^A minus before a word/)
  })

  it('has no expression when it is empty', () => {
    expect(parseQuery(' \n ').expression).toBeNull()
    expect(read('""')).toBe(`'""'`)
  })

  it('is searched literally when it is a long pasted text', () => {
    const pasted = Array.from({ length: 150 }, (_, i) => `word${i}`).join(' ')
    expect(read(pasted)).toBe(`'${pasted}'`)
  })

  it('can be parsed in any form', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"', 'OR', 'NOT', '-', '*', '(', ')'),
    )
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const query = pieces.join(' ')
        expect(parseQuery(query).expression === null).toBe(query.toWellFormed().trim() === '')
      }),
    )
  })

  it('is loosened to any of the words that stand side by side', () => {
    const loose = (query: string): string => {
      const { expression } = parseQuery(query)
      return told(expression && loosened(expression))
    }
    expect(loose('a "b c" d')).toBe('([a] | [b c] | [d])')
    expect(loose('a b AND c -d')).toBe('(([a] | [b]) AND ([c] − ([d])))')
    expect(loose('a b -c')).toBe('(([a] | [b]) − ([c]))')
  })
})
