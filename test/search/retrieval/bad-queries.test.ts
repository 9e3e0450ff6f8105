import { RE2JS } from 're2js'
import { afterAll, describe, expect, it } from 'vitest'
import { GrepInput, type GrepRequest } from '#core/contract/retrieval.ts'
import { LcmError } from '#core/errors.ts'
import { Grep } from '#core/search/grep.ts'
import { PatternBudget } from '#core/search/patterns/pattern-budget.ts'
import { quickLook } from '#core/search/patterns/quick-look.ts'
import { RegexMatcher } from '#core/search/patterns/regex.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory } from '#test/builders/memory.ts'

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
  const slow = expect.objectContaining({ code: 'pattern_too_slow' })
  const budgetOf = (pattern: string, free?: number): { budget: PatternBudget; matcher: RegexMatcher } => {
    const budget = new PatternBudget(free)
    return { budget, matcher: new RegexMatcher(RE2JS.compile(pattern), null, budget) }
  }

  it('is limited only where the pattern takes many steps for a character', () => {
    const budget = new PatternBudget(100_000)
    budget.begin('x'.repeat(10_000))
    budget.spend(100_001)
    const other = new PatternBudget(100_000)
    other.begin('x')
    other.spend(100_000)
    expect(() => other.spend(1)).toThrow(slow)
  })

  // The counts come from inside of RE2JS. An engine without a count would run without a limit.
  it.each<[engine: string, pattern: string, ask: (matcher: RegexMatcher, text: string) => unknown, text: string]>([
    ['the automaton', '(?:.?){100}[xz]{3}', (matcher, text) => matcher.matches([text]), 'añ🚀 '.repeat(5_000)],
    ['the simulation', '(?:.?){100}[xz]{3}', (matcher, text) => matcher.find(text, 1), 'añ🚀 '.repeat(5_000)],
    ['the backtracking engine', '(?:.?){60}[xz]{3}', (matcher, text) => matcher.find(text, 1), 'añ🚀 '.repeat(200)],
  ])('counts the steps of %s, always the same for the same text', (_, pattern, ask, text) => {
    const counts = [1, 2].map(() => {
      const { budget, matcher } = budgetOf(pattern)
      ask(matcher, text)
      return budget.steps
    })
    expect(counts[0]).toBeGreaterThan(text.length)
    expect(counts[1]).toBe(counts[0])
  })

  it('stops a pattern of the linear engine in the middle of one long text', () => {
    const text = `${'añ🚀 '.repeat(4000)}zzz`
    const whole = budgetOf('(?:.?){1000}z{3}')
    expect(whole.matcher.find(text, 1)).toHaveLength(1)
    const { budget, matcher } = budgetOf('(?:.?){1000}z{3}', 100_000)
    expect(() => matcher.find(text, 1)).toThrow(slow)
    expect(budget.steps).toBeLessThan(whole.budget.steps / 10)
  })

  it('changes no answer', () => {
    const text = `${'añ🚀 '.repeat(4000)}zzz`
    expect(budgetOf('(?:.?){1000}z{3}').matcher.matches([text, ''])).toBe(true)
    const short = budgetOf('ñ🚀 z{3}').matcher
    const long = budgetOf('ñ🚀 z{3}|(?:q{1000}|b)w').matcher
    expect(long.find(text, 5)).toEqual(short.find(text, 5))
    expect(short.find(text, 5)).toEqual([{ start: text.length - 7, end: text.length, term: 0 }])
    const late = new RegexMatcher(RE2JS.compile('(?:🚀| ){1,300}z{3}'), quickLook('(?:🚀| ){1,300}z{3}'))
    expect(late.matches([text])).toBe(true)
    expect(late.find(text, 5)).toEqual([{ start: text.length - 6, end: text.length, term: 0 }])
  })
})
