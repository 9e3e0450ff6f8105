import { RE2JS } from 're2js'
import { afterAll, describe, expect, it } from 'vitest'
import { GrepInput, type GrepRequest } from '../../core/contract/retrieval.ts'
import { LcmError } from '../../core/errors.ts'
import { Grep } from '../../core/search/grep.ts'
import { LIMIT_MS, PatternBudget } from '../../core/search/pattern-budget.ts'
import { quickLook } from '../../core/search/quick-look.ts'
import { RegexMatcher } from '../../core/search/regex.ts'
import { MemoryReader } from '../../core/systems/memory-reader.ts'
import { NATIVE_CAPABILITIES } from '../../core/systems/open.ts'
import { buildMemory } from '../builders/memory.ts'

const memory = buildMemory({ conversations: [{}] })
memory.messages(1, [
  'a lock',
  `${'a'.repeat(3000)}!`,
  'lone \ud800 half',
  'nul \u0000 byte',
  '部署 🚀',
  '"quoted" text',
])
memory.leaf(1, [1, 2], { content: 'A lock and many letters.' })
afterAll(() => memory.close())

const searches = [NATIVE_CAPABILITIES, { ...NATIVE_CAPABILITIES, fullTextIndex: false, substringIndex: false }].map(
  (capabilities) => new Grep(memory.db, capabilities, new MemoryReader(memory.db)),
)

/** The codes of the errors that a query may end in, or `answer`. */
async function endsOf(request: GrepRequest): Promise<string[]> {
  const ends: string[] = []
  for (const grep of searches) {
    try {
      await grep.search(GrepInput.parse({ exactTotal: true, ...request }))
      ends.push('answer')
    } catch (error) {
      if (!(error instanceof LcmError)) throw error
      expect(error.message).toMatch(/[a-z]+ [a-z]+ [a-z]+/)
      ends.push(error.code)
    }
  }
  return ends
}

const TYPED = [
  ...[
    '',
    ' ',
    '"',
    '"""',
    '"a',
    'a"b"c"',
    "it's 'a",
    '(',
    ')))',
    '*',
    '**',
    '-',
    '--',
    '- -',
    '-a',
    '-"a',
    'a -',
    '^',
    '^a',
  ],
  ...[
    'NOT',
    'OR',
    'AND',
    'a NOT',
    'NOT a',
    'OR OR',
    'NEAR(a b)',
    'content:a',
    '{a b}:c',
    'a + b',
    '\\',
    '%',
    '_',
    '?',
    '???',
  ],
  ...[
    '\ud800',
    'a\udfffb',
    '\u0000',
    'a\u0000b',
    '\u202e',
    '\ufeff',
    '\uffff',
    '🚀\ud83d',
    'ﷺ'.repeat(50),
    'a\u0301'.repeat(99),
  ],
  ...[
    'a '.repeat(5000),
    '"'.repeat(9999),
    '部'.repeat(10_000),
    'a OR '.repeat(1000),
    'a NOT '.repeat(1000),
    '-a '.repeat(900),
  ],
]
const MATCHES = ['auto', 'all', 'any', 'question'] as const

const BROKEN = [
  '(',
  ')',
  '[',
  '(?',
  '(?i',
  '(?z)a',
  '*',
  'a**',
  '\\',
  'a{2,1}',
  '(?<n',
  '(?<n>a)(?<n>b)',
  '[z-a]',
  '('.repeat(9000),
]
const ODD = [
  ...[
    '\ud800',
    '[\ud800-\udfff]',
    '\u0000',
    '\\x00',
    '[^\\x00-\\x7f]',
    '()',
    '|',
    '(|a)',
    'a{0}',
    '$^',
    '\\b',
    '\\B',
    '^$',
  ],
  ...[
    '(a+)+$',
    '(a|aa)+$',
    '(.*)*$',
    '(a?){500}b',
    '(\\w+\\s?){300}!',
    '.*.*.*.*=',
    '|'.repeat(5000),
    'a|'.repeat(3000),
  ],
]

describe('a search for anything', () => {
  it('is answered for any words, with an index and without one', async () => {
    for (const query of TYPED)
      for (const match of MATCHES)
        expect(await endsOf({ query, match }), JSON.stringify(query.slice(0, 40))).toEqual(['answer', 'answer'])
  })

  it('is answered for any characters, with regard to case and without', async () => {
    for (const query of TYPED)
      for (const caseSensitive of [true, false])
        expect(await endsOf({ query, mode: 'literal', caseSensitive })).toEqual(['answer', 'answer'])
  })

  it('is refused for a pattern that is none, in words that say what is wrong', async () => {
    for (const query of BROKEN)
      expect(await endsOf({ query, mode: 'regex' }), query.slice(0, 40)).toEqual([
        'invalid_argument',
        'invalid_argument',
      ])
  })

  it('is answered for a pattern that would take a backtracking engine for ever', async () => {
    for (const query of ODD)
      expect(await endsOf({ query, mode: 'regex' }), query.slice(0, 40)).toEqual(['answer', 'answer'])
  })

  it('is refused when it is longer than a query may be', () => {
    for (const query of ['a'.repeat(100_000), '"'.repeat(100_000), '部署'.repeat(50_000)])
      expect(GrepInput.safeParse({ query }).success).toBe(false)
  })

  it('is refused for a cursor that is none, or that belongs to another search', async () => {
    const [grep] = searches
    const { nextCursor } = (await grep?.search(GrepInput.parse({ query: 'a', mode: 'literal', limit: 1 }))) ?? {}
    for (const cursor of ['', 'x', '\ud800', '{}', 'W10', 'a'.repeat(100_000), nextCursor ?? ''])
      expect(await endsOf({ query: 'lock', cursor }), cursor.slice(0, 20)).toEqual([
        'invalid_argument',
        'invalid_argument',
      ])
  })
})

describe('what a pattern may spend', () => {
  it('is limited only where the pattern is slow', () => {
    expect(new PatternBudget().spend(LIMIT_MS * 10, LIMIT_MS * 100_000)).toBe(false)
    const budget = new PatternBudget()
    expect(budget.spend(LIMIT_MS, 1000)).toBe(false)
    expect(budget.spend(1, 1000)).toBe(true)
  })

  it('stops a pattern of the linear engine behind the text that used it up', () => {
    const looked: string[] = []
    const pattern = {
      test: (text: string) => looked.push(text) < 0,
      matcher: () => ({ find: () => false }) as never,
      programSize: () => 1,
    }
    const budget = { spend: () => looked.length === 2, isHeld: () => false }
    const matcher = new RegexMatcher(pattern as never, null, budget)
    expect(() => matcher.matches(['one', 'two', 'three'])).toThrow(
      expect.objectContaining({ code: 'pattern_too_slow' }),
    )
    expect(looked).toEqual(['one', 'two'])
    expect(() => matcher.find('four', 1)).toThrow(expect.objectContaining({ code: 'pattern_too_slow' }))
  })

  it('stops a pattern of the linear engine in the middle of one long text', () => {
    const text = `${'añ🚀 '.repeat(4000)}zzz`
    const places: number[] = []
    const matcher = (most: number): RegexMatcher =>
      new RegexMatcher(RE2JS.compile('(?:.?){1000}z{3}'), null, {
        spend: () => false,
        isHeld: (_, place) => places.push(place) > most,
      })
    for (const ask of [() => matcher(2).matches([text]), () => matcher(2).find(text, 1)]) {
      places.length = 0
      expect(ask).toThrow(expect.objectContaining({ code: 'pattern_too_slow' }))
      expect([places.length, Math.max(...places) < text.length / 10]).toEqual([3, true])
    }
    expect(matcher(Number.POSITIVE_INFINITY).matches([text, ''])).toBe(true)
    const short = new RegexMatcher(RE2JS.compile('ñ🚀 z{3}'), null)
    const watched = new RegexMatcher(RE2JS.compile('ñ🚀 z{3}|(?:q{1000}|b)w'), null)
    expect(watched.find(text, 5)).toEqual(short.find(text, 5))
    expect(short.find(text, 5)).toEqual([{ start: text.length - 7, end: text.length, term: 0 }])
    const late = new RegexMatcher(RE2JS.compile('(?:🚀| ){1,300}z{3}'), quickLook('(?:🚀| ){1,300}z{3}'))
    expect(late.matches([text])).toBe(true)
    expect(late.find(text, 5)).toEqual([{ start: text.length - 6, end: text.length, term: 0 }])
  })

  it('is counted while a text is read, too', () => {
    const budget = new PatternBudget()
    expect(budget.isHeld(LIMIT_MS, 1)).toBe(false)
    expect(budget.isHeld(LIMIT_MS * 10, LIMIT_MS * 100_000)).toBe(false)
    expect(budget.isHeld(LIMIT_MS + 1, 1000)).toBe(true)
    budget.spend(LIMIT_MS, 1000)
    expect(budget.isHeld(1, 1000)).toBe(true)
  })
})
