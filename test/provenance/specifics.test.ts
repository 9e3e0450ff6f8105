import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { specificsOf } from '#core/provenance/specifics.ts'
import { keyOf, numberKey, stem, tokensOf } from '#core/provenance/tokens.ts'
import { processorClock } from '../builders/busy-machine.ts'
import { runs } from '../builders/property-runs.ts'
import { anyText } from './any-text.ts'

const found = (text: string): string[] => specificsOf(text).map(({ kind, text: piece }) => `${kind} ${piece}`)

describe('specifics of a sentence', () => {
  it.each<[string, string[]]>([
    ['It took 1,234 ms, 3.5 times as long.', ['number 1,234', 'number 3.5']],
    ['Fixed src/db/open-file.ts and ./lib/x.py', ['path src/db/open-file.ts', 'path ./lib/x.py']],
    ['See C:\\work\\notes.txt or README.md', ['path C:\\work\\notes.txt', 'path README.md']],
    [
      'parseCursor() calls foo_bar::baz with --dry-run',
      ['identifier parseCursor()', 'identifier foo_bar::baz', 'identifier --dry-run'],
    ],
    ['commit 88d1f6e broke v3.2.1', ['hash 88d1f6e', 'version v3.2.1']],
    ['ECONNRESET and TS2345 and KS-431907', ['code ECONNRESET', 'code TS2345', 'code KS-431907']],
    [
      'on 2026-03-02 at 09:14, again 2026-07-22T23:06:55Z',
      ['date 2026-03-02', 'time 09:14', 'date 2026-07-22T23:06:55Z'],
    ],
    ['He said “it will never work” to Jonas', ['quote it will never work', 'name Jonas']],
    ['Uses `retry` and `a b c`.', ['identifier retry', 'quote a b c']],
    ['see https://example.org/a?b=1.', ['url https://example.org/a?b=1']],
    ['and/or input/output 24/7 e.g. this', []],
    ['Der Vertrag mit dem Anbieter ist nicht gut', []],
  ])('are found in %s', (text, expected) => {
    expect(found(text)).toEqual(expect.arrayContaining(expected))
    if (expected.length === 0) expect(found(text).filter((one) => !one.startsWith('number'))).toEqual([])
  })

  it('do not include what was cut off', () => {
    expect(found('it opens src/very/long-na…')).toEqual([])
    expect(found('it took 12…')).toEqual([])
  })

  it('do not overlap, lie in the text, and are found quickly in any text', () => {
    fc.assert(
      fc.property(anyText(300), (text) => {
        let last = 0
        for (const { start, end, text: piece } of specificsOf(text)) {
          expect(start).toBeGreaterThanOrEqual(last)
          expect(piece.length).toBe(end - start)
          last = end
        }
      }),
      { numRuns: runs(200) },
    )
    for (const evil of [
      'a.'.repeat(300),
      'a/'.repeat(300),
      '_a'.repeat(300),
      '"'.repeat(600),
      'aA'.repeat(300),
      '1.'.repeat(300),
    ]) {
      const usedMs = processorClock()
      specificsOf(evil)
      expect(usedMs()).toBeLessThan(5_000)
    }
  })
})

describe('tokens', () => {
  it('join forms of one word, and keep other words apart', () => {
    for (const group of [
      'cache caches cached caching',
      'run runs running',
      'validate validates validated validation',
      'retry retries',
    ]) {
      expect(new Set(group.split(' ').map(stem)).size, group).toBe(1)
    }
    expect(new Set(['port', 'part', 'test', 'text', 'status', 'state'].map(stem)).size).toBe(6)
  })

  it('compare numbers by value and versions by letter', () => {
    expect(numberKey('1,234')).toBe('1234')
    expect(numberKey('0.50')).toBe('0.5')
    expect(numberKey('9,99')).toBe('9.99')
    expect(numberKey('3.2.1')).toBe('3.2.1')
    expect(numberKey('100')).toBe('100')
  })

  it('fold case and accents, pair characters of scripts without blanks, and split words at escaped line ends', () => {
    expect(keyOf('word', 'Größe')).toBe('große')
    const keys = tokensOf('Möglich 数据库 v2\\nnext').map(({ key }) => key)
    expect(keys).toEqual(['moglich', '数据', '据库', '2', 'next'])
  })
})
