import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { type QuickLook, quickLook } from '#core/search/patterns/quick-look.ts'
import { RegexMatcher } from '#core/search/patterns/regex.ts'
import { formulaOf, heldText } from '#core/search/patterns/regex-formula.ts'
import type { Formula } from '#core/search/query/index-expression.ts'
import { smallLetters } from '#core/search/query/text-folding.ts'
import { runs } from '#test/builders/property-runs.ts'

/** As the trigram index sees a text. */
function satisfies(text: string, formula: Formula): boolean {
  switch (formula.kind) {
    case 'anything':
      return true
    case 'text':
      return smallLetters(text).includes(formula.text)
    case 'all':
      return formula.of.every((part) => satisfies(text, part))
    case 'any':
      return formula.of.some((part) => satisfies(text, part))
  }
}

/** Short for reading: `abc & (de|fg)`. */
function shown(formula: Formula): string {
  switch (formula.kind) {
    case 'anything':
      return '*'
    case 'text':
      return formula.text
    default:
      return formula.of
        .map((part) => (part.kind === 'any' ? `(${shown(part)})` : shown(part)))
        .join(formula.kind === 'all' ? ' & ' : '|')
  }
}

describe('the texts that a match must contain', () => {
  it.each([
    ['Payment \\d{5} is (gone|locked)', 'payment  & ( is gone| is locked)'],
    ['retr(y|ies) multiply', 'retry multiply|retries multiply'],
    ['(?i)Refund', 'refund'],
    ['a(?i:BC)d', 'abcd'],
    ['[Cc]olou?r', 'colour|color'],
    ['(foo|bar)+', '(foo|bar) & (foo|bar)'],
    ['(foo|bar)*', '*'],
    ['foo(bar)?baz', 'foobarbaz|foobaz'],
    ['ab{3}c', 'abbbc'],
    ['x{2,}yz', 'xxyz'],
    ['foo.*bar', 'foo & bar'],
    ['\\bfoo\\b.bar$', 'foo & bar'],
    ['foo|.', '*'],
    ['\\Qa.b\\E\\.c', 'a.b.c'],
    ['\\x{4e2d}文字', '中文字'],
    ['(?P<name>abc)', 'abc'],
    ['[[:alpha:]]xyz', 'xyz'],
    ['[]a]bcd', ']bcd|abcd'],
    ['\\d+', '*'],
    ['ab', '*'],
    ['[^a]bcd', 'bcd'],
    ['naïve', 'naïve'],
    ['ECONN\\w+: Lease', 'econn & : lease'],
  ])('are derived from %s as %s', (pattern, formula) => {
    expect(RE2JS.compile(pattern)).toBeDefined()
    expect(sorted(shown(formulaOf(pattern, 're2')))).toBe(sorted(formula))
  })

  it.each([
    ['(?<=foo )bar(?= baz)', 'bar'],
    ['(abc)\\1def', 'abc & def'],
    ['(?<name>abc)\\k<name>', 'abc'],
    ['(?!abc)def', 'def'],
  ])('are derived in JavaScript from %s as %s', (pattern, formula) => {
    expect(shown(formulaOf(pattern, 'javascript'))).toBe(formula)
  })

  it('are exact and with their case when that is known', () => {
    expect(heldText('ECONN\\w+: Lease', 're2')).toBe(': Lease')
    expect(heldText('(?i)Refund', 're2')).toBeNull()
    expect(heldText('a|b', 're2')).toBeNull()
  })

  it.each([
    ['[a-z]+[0-9]{2}', '[\\u{61}-\\u{7a}][\\u{30}-\\u{39}][\\u{30}-\\u{39}]'],
    ['\\b\\w{2}\\b', '[0-9A-Za-z_][0-9A-Za-z_]'],
    ['[^\\d]', '[^0-9]'],
    ['a|b', null],
    ['.*', null],
    ['(?i)ab1', '(?i:[\\u{61}])(?i:[\\u{62}])(?i:[\\u{31}])'],
    ['x(a|b)?\\dy', '[0-9][\\u{79}]'],
  ])('are tested by a sequence of character classes: %s', (pattern, look) => {
    expect(quickLook(pattern)?.run.source ?? null).toBe(look)
  })

  const letter = fc.constantFrom('a', 'b', 'K', 's', 'é', '数', '部', '🚀', ' ', '-')
  const text = fc.array(fc.oneof(letter, fc.constantFrom('A', 'k', 'S', 'ſ', 'K', 'É', 'c', '\n')), { maxLength: 14 })
  const { pattern } = fc.letrec<{ pattern: string; atom: string; piece: string }>((tie) => ({
    atom: fc.oneof(
      { weight: 6, arbitrary: fc.array(letter, { minLength: 1, maxLength: 4 }).map((some) => some.join('')) },
      fc.constantFrom(
        '.',
        '\\w',
        '\\d',
        '[ab]',
        '[^a]',
        '[a-c数]',
        '[\\w-]',
        '[^\\d\\s]',
        '\\s',
        '\\S',
        '[^\\W]',
        '[\\pL]',
        '\\b',
        '^',
        '$',
        '[[:alpha:]]',
        '\\x61',
        '\\Qa.\\E',
      ),
      tie('pattern').map((inner) => `(${inner})`),
      tie('pattern').map((inner) => `(?i:${inner})`),
      tie('pattern').map((inner) => `(?:(?i)${inner})`),
    ),
    piece: fc
      .tuple(tie('atom'), fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '{2,}', '{0,1}', '+?'))
      .map(([atom, repeat]) => (/^.$|^[([\\]/u.test(atom) && !/^\\[bQ]/.test(atom) ? atom + repeat : atom)),
    pattern: fc
      .array(fc.array(tie('piece'), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })
      .map((choices) => choices.map((pieces) => pieces.join('')).join('|')),
  }))

  it('are in every text that matches, for any pattern', () => {
    let matched = 0
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 20, maxLength: 20 }), (source, texts) => {
        const compiled = compile(source)
        if (!compiled) return
        const formula = formulaOf(source, 're2')
        const held = heldText(source, 're2')
        const look = quickLook(source)
        for (const characters of texts) {
          const sample = characters.join('')
          if (!compiled.test(sample)) continue
          matched += 1
          expect([source, sample, shown(formula), satisfies(sample, formula)]).toContain(true)
          expect([source, sample, look, isSeen(look, sample, compiled)]).toContain(true)
          expect([source, sample, look, isFoundWith(look, sample, compiled)]).toContain(true)
          expect([source, sample, held, held === null || sample.includes(held)]).toContain(true)
        }
        const anyCase = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE)
        const formulaOfAny = formulaOf(`(?i)${source}`, 're2')
        const lookOfAny = quickLook(source, 'i')
        for (const characters of texts) {
          const sample = characters.join('')
          if (!anyCase.test(sample)) continue
          expect([source, sample, shown(formulaOfAny), satisfies(sample, formulaOfAny)]).toContain(true)
          expect([source, sample, lookOfAny, isSeen(lookOfAny, sample, anyCase)]).toContain(true)
        }
      }),
      { numRuns: runs(1500) },
    )
    expect(matched).toBeGreaterThan(500)
  })
})

/** Whether a quick look finds both of its runs, and the second no later than it promises. */
function isSeen(look: QuickLook | null, text: string, pattern: RE2JS): boolean {
  if (!look) return true
  const { run, place } = look
  const [end, placeEnd] = [run.endIn(text, 0), place.run.endIn(text, 0)]
  const match = pattern.matcher(text)
  return end >= 0 && placeEnd >= 0 && match.find() && placeEnd - place.units <= match.start()
}

function isFoundWith(look: QuickLook | null, text: string, pattern: RE2JS): boolean {
  const [quick, slow] = [new RegexMatcher(pattern, look), new RegexMatcher(pattern, null)]
  return quick.matches([text]) && JSON.stringify(quick.find(text, 9)) === JSON.stringify(slow.find(text, 9))
}

const sorted = (formula: string): string => formula.split(' & ').sort().join(' & ')

function compile(source: string): RE2JS | null {
  try {
    return RE2JS.compile(source)
  } catch {
    return null
  }
}

// Put together letter by letter as a whole it took a second.
it('are derived from a very long pattern in pieces, quickly', () => {
  const long = Array.from({ length: 1500 }, (_, index) => `word${index % 97}`).join('-')
  const formula = formulaOf(long, 're2')
  expect(formula.kind === 'all' && formula.of.length).toBeGreaterThan(10)
  expect(satisfies(long, formula)).toBe(true)
  expect(satisfies(long.replaceAll('word50', 'ward50'), formula)).toBe(false)
  const held = heldText(long, 're2') ?? ''
  expect(long).toContain(held)
  expect(held.length).toBeLessThan(200)
})
