import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type GrepHit, GrepInput } from '#core/contract/retrieval.ts'
import {
  activeFilters,
  dayStartMs,
  type Filters,
  filterTexts,
  grepRequest,
  NO_FILTERS,
  nextDayStartMs,
  parseFilters,
  toggled,
  withoutFilters,
} from '#renderer/features/search/filters.ts'
import { type Grouping, rowsOf, stopsOf } from '#renderer/features/search/hit-rows.ts'
import { splitSnippet } from '#renderer/ui/texts/highlighted.tsx'

const hit = (conversationId: number, id: string): GrepHit => ({
  id,
  kind: 'message',
  conversationId,
  seq: 1,
  role: 'user',
  depth: null,
  createdAtMs: null,
  field: 'content',
  snippet: '',
  matches: [],
  coveredBy: [],
  coverInWindow: null,
  inContext: false,
  isSeenInCover: false,
  isPartial: false,
})

describe('the snippet of a hit', () => {
  const marked = (snippet: string, matches: [number, number][]): string =>
    splitSnippet(snippet, matches)
      .map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
      .join('')

  it('is split at its matches', () => {
    expect(marked('the token refresh', [[4, 9]])).toBe('the [token] refresh')
    expect(marked('aa', [[0, 2]])).toBe('[aa]')
    expect(marked('none', [])).toBe('none')
  })

  it('accepts ranges that overlap, touch, are unordered or reach outside', () => {
    expect(
      marked('abcdef', [
        [3, 9],
        [-1, 1],
        [1, 2],
        [5, 4],
      ]),
    ).toBe('[ab]c[def]')
  })

  it('is never split inside an emoji', () => {
    expect(marked('a🧠b', [[2, 4]])).toBe('a[🧠b]')
    expect(marked('a🧠b', [[0, 2]])).toBe('[a🧠]b')
  })

  it('is the same text again after any split', () => {
    const ranges = fc.array(fc.tuple(fc.integer({ min: -5, max: 60 }), fc.integer({ min: -5, max: 60 })))
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), ranges, (snippet, matches) => {
        const ranges = splitSnippet(snippet, matches)
        expect(ranges.map(({ text }) => text).join('')).toBe(snippet)
        for (const { text } of ranges) expect(text.isWellFormed()).toBe(true)
      }),
    )
  })
})

describe('the list of results', () => {
  const none: ReadonlySet<string> = new Set()
  const shown = (pages: GrepHit[][], grouping: Grouping = 'conversation', folded = none): string[] =>
    rowsOf(pages, grouping, folded).map((row) => (row.kind === 'head' ? `#${row.group.key} (${row.hits})` : row.hit.id))

  it('groups hits by conversation, in order of first appearance', () => {
    expect(shown([[hit(2, 'a'), hit(1, 'b'), hit(2, 'c')]])).toEqual([
      '#conversation 2 (2)',
      'a',
      'c',
      '#conversation 1 (1)',
      'b',
    ])
  })

  it('continues the last group when another page arrives, and moves nothing above it', () => {
    const first = [hit(2, 'a'), hit(1, 'b')]
    const second = [hit(2, 'c'), hit(1, 'd')]
    expect(shown([first, second])).toEqual([
      '#conversation 2 (1)',
      'a',
      '#conversation 1 (2)',
      'b',
      'd',
      '#conversation 2 (1)',
      'c',
    ])
  })

  it('groups hits by the summary that covers them, apart from those in the window and those that nothing reaches', () => {
    const hits = [
      { ...hit(1, 'a'), coverInWindow: 'sum_x' },
      { ...hit(1, 'b'), inContext: true },
      hit(1, 'c'),
      { ...hit(1, 'd'), coverInWindow: 'sum_x' },
      { ...hit(1, 'e'), kind: 'file' } as const,
    ]
    expect(shown([hits], 'cover')).toEqual([
      '#cover sum_x (2)',
      'a',
      'd',
      '#window 1 (1)',
      'b',
      '#unseen 1 (1)',
      'c',
      '#files 1 (1)',
      'e',
    ])
  })

  it('hides the hits of a folded group, and puts its head into the keyboard order instead', () => {
    const rows = rowsOf([[hit(2, 'a'), hit(2, 'b'), hit(1, 'c')]], 'conversation', new Set(['conversation 2']))
    expect(rows.map(({ kind }) => kind)).toEqual(['head', 'head', 'hit'])
    expect(stopsOf(rows).map(({ key, stop }) => [key, stop])).toEqual([
      ['conversation 2', 0],
      ['c content', 1],
    ])
  })

  it('gives every line a key of its own, even when a damaged file names a hit twice', () => {
    const rows = rowsOf([[hit(1, 'a'), hit(1, 'a')], [hit(2, 'b')], [hit(1, 'a')]], 'conversation', none)
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
  })
})

describe('the request for a search', () => {
  it('contains what the filters say, and leaves the rest to the core', () => {
    expect(grepRequest('x', NO_FILTERS, 7).conversationIds).toBeUndefined()
    const here = { ...NO_FILTERS, where: 'conversation' } as const
    expect(GrepInput.parse(grepRequest('x', here, 7))).toMatchObject({ query: 'x', conversationIds: [7] })
    const filters = { ...NO_FILTERS, where: 'everywhere', roles: ['user'], depths: [0, 3], window: 'out' } as const
    const request = GrepInput.parse(grepRequest('x', filters, 7))
    expect(request.conversationIds).toBeUndefined()
    expect(request).toMatchObject({ roles: ['user'], inContext: false })
    expect(request.depths).toEqual(expect.arrayContaining([0, 3, 4, 9]))
  })

  it('does not restrict summaries by role or messages by depth', () => {
    const narrowed = { ...NO_FILTERS, roles: ['user'], depths: [1] } as const
    expect(grepRequest('x', { ...narrowed, scope: 'summaries' }, 1).roles).toBeUndefined()
    expect(grepRequest('x', { ...narrowed, scope: 'messages' }, 1).depths).toBeUndefined()
  })

  it('contains how many words must match for full text only, and no filter that files cannot meet', () => {
    const filters = { ...NO_FILTERS, match: 'any', within: 'sum_x', window: 'in' } as const
    expect(grepRequest('x', filters, 1)).toMatchObject({ match: 'any', within: 'sum_x', inContext: true })
    expect(grepRequest('x', { ...filters, mode: 'regex' }, 1).match).toBeUndefined()
    const ofFiles = GrepInput.parse(grepRequest('x', { ...filters, scope: 'files', roles: ['user'] }, 1))
    expect([ofFiles.within, ofFiles.inContext, ofFiles.roles]).toEqual([undefined, undefined, undefined])
  })

  it('includes both days of a range as a whole', () => {
    const request = grepRequest('x', { ...NO_FILTERS, fromDay: '2026-02-11', toDay: '2026-02-11' }, 1)
    expect(request.afterMs).toBe(new Date(2026, 1, 11).getTime())
    expect(request.beforeMs).toBe(new Date(2026, 1, 12).getTime())
    expect(dayStartMs('soon')).toBeNull()
    expect(nextDayStartMs('2026-12-31')).toBe(new Date(2027, 0, 1).getTime())
  })

  it('counts the filters that hide hits', () => {
    expect(activeFilters(NO_FILTERS)).toBe(0)
    expect(activeFilters({ ...NO_FILTERS, roles: toggled([], 'user'), toDay: '2026-02-11' })).toBe(2)
    expect(toggled(['user'], 'user')).toEqual([])
    const search = { ...NO_FILTERS, mode: 'regex', group: 'cover', sort: 'oldest' } as const
    expect(withoutFilters({ ...search, within: 'sum_x', depths: [1] })).toEqual(search)
  })
})

describe('the filters of an address', () => {
  const addressed = (filters: Filters) =>
    parseFilters(
      new URLSearchParams(Object.entries(filterTexts(filters)).flatMap(([name, text]) => (text ? [[name, text]] : []))),
    )

  it('are read back as they were written, and the defaults are not written', () => {
    const filters: Filters = {
      ...NO_FILTERS,
      ...({
        mode: 'regex',
        caseSensitive: true,
        roles: ['tool'],
        depths: [0, 2],
        within: 'sum_x',
        group: 'cover',
      } as const),
      ...({ where: 'conversation', window: 'out' } as const),
      ...{ fromDay: '2026-01-02', toDay: '2026-02-03' },
    }
    expect(addressed(filters)).toEqual(filters)
    expect(Object.values(filterTexts(NO_FILTERS)).filter(Boolean)).toEqual([])
  })

  it('are the defaults where the address says something else', () => {
    for (const text of ['', 'search.mode=fuzzy', 'search.roles=boss', 'search.depths=deep.x', 'mode=regex'])
      expect(parseFilters(new URLSearchParams(text))).toEqual(NO_FILTERS)
  })
})
