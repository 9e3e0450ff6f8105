import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Capabilities } from '#core/contract/memory.ts'
import { GrepInput, type GrepRequest, GrepResult, GrepStep } from '#core/contract/retrieval.ts'
import { Grep } from '#core/search/grep.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory, STORY_BEGINS_MS, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'

const noIndex: Capabilities = { ...NATIVE_CAPABILITIES, fullTextIndex: false, substringIndex: false }

function searcher(memory: TestMemory, capabilities = NATIVE_CAPABILITIES) {
  const grep = new Grep(memory.db, capabilities, new MemoryReader(memory.db))
  return async (request: GrepRequest, signal?: AbortSignal): Promise<GrepResult> =>
    GrepResult.parse(await grep.search(GrepInput.parse({ exactTotal: true, ...request }), signal))
}
const idsOf = (result: GrepResult): string[] => result.hits.map((hit) => hit.id)

const words = ['alpha', 'Beta', 'café', 'Résumé', 'naïve', 'gamma', '42', 'x1', 'NOTE', 'deploy', 'deployment']
const typed = [
  '数据库',
  '部署',
  'データ',
  '한국어',
  'ไทย',
  '🚀',
  '👩‍💻',
  'foo_bar::baz',
  'C++',
  'src/a-b.ts',
  'sqlite-wal-checkpoint',
  'a_b',
  'é-é',
]
const separators = [' ', ' ', ' ', '. ', ', ', '\n', ' (', ') ', '/', '-', '数', '🚀']

/** A text of known pieces between known separators. */
const someText = fc
  .array(fc.tuple(fc.constantFrom(...words, ...typed), fc.constantFrom(...separators)), { maxLength: 8 })
  .map((pieces) => pieces.flat().join(''))

type Asked =
  | { readonly kind: 'word' | 'prefix' | 'typed'; readonly text: string }
  | { readonly kind: 'phrase'; readonly of: readonly string[] }
  | { readonly kind: 'all' | 'or'; readonly of: readonly Asked[] }
  | { readonly kind: 'not'; readonly from: Asked; readonly what: Asked }

const askedTerm: fc.Arbitrary<Asked> = fc.oneof(
  fc.constantFrom(...words).map((text): Asked => ({ kind: 'word', text })),
  fc.constantFrom(...words).map((text): Asked => ({ kind: 'prefix', text: text.slice(0, 3) })),
  fc.constantFrom(...typed).map((text): Asked => ({ kind: 'typed', text })),
  fc.array(fc.constantFrom(...words), { minLength: 2, maxLength: 3 }).map((of): Asked => ({ kind: 'phrase', of })),
)
const sequence: fc.Arbitrary<Asked> = fc.oneof(
  { weight: 3, arbitrary: askedTerm },
  {
    weight: 2,
    arbitrary: fc.array(askedTerm, { minLength: 2, maxLength: 3 }).map((of): Asked => ({ kind: 'all', of })),
  },
)
const asked: fc.Arbitrary<Asked> = fc.oneof(
  { weight: 3, arbitrary: sequence },
  { weight: 1, arbitrary: fc.tuple(sequence, sequence).map(([from, what]): Asked => ({ kind: 'not', from, what })) },
  { weight: 1, arbitrary: fc.tuple(sequence, sequence).map(([a, b]): Asked => ({ kind: 'or', of: [a, b] })) },
)

function queryOf(ask: Asked): string {
  switch (ask.kind) {
    case 'word':
    case 'typed':
      return ask.text === 'NOTE' ? 'note' : ask.text
    case 'prefix':
      return `${ask.text === 'NOT' ? 'not' : ask.text}*`
    case 'phrase':
      return `"${ask.of.join(' ')}"`
    case 'all':
      return ask.of.map(queryOf).join(' ')
    case 'or':
      return ask.of.map(queryOf).join(' OR ')
    case 'not':
      return `${queryOf(ask.from)} NOT ${queryOf(ask.what)}`
  }
}

/** Words as anybody would cut them: letters and digits, without case and accents. */
const tokens = (text: string): string[] =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** The naive scan. */
function holds(ask: Asked, fields: readonly string[]): boolean {
  switch (ask.kind) {
    case 'word':
      return fields.some((field) => tokens(field).includes(tokens(ask.text)[0] ?? ''))
    case 'prefix':
      return fields.some((field) => tokens(field).some((token) => token.startsWith(tokens(ask.text)[0] ?? '')))
    case 'typed':
      return fields.some((field) => field.toLowerCase().includes(ask.text.toLowerCase()))
    case 'phrase': {
      const wanted = ` ${ask.of.flatMap(tokens).join(' ')} `
      return fields.some((field) => ` ${tokens(field).join(' ')} `.includes(wanted))
    }
    case 'all':
      return ask.of.every((part) => holds(part, fields))
    case 'or':
      return ask.of.some((part) => holds(part, fields))
    case 'not':
      return holds(ask.from, fields) && !holds(ask.what, fields)
  }
}

describe('a search compared with a naive scan', () => {
  const memory = buildMemory({ conversations: [{}] })
  const texts = new Map<string, readonly string[]>()
  const indexed = searcher(memory)
  const scanning = searcher(memory, noIndex)

  beforeAll(() => {
    const samples = fc.sample(fc.tuple(someText, someText, someText, fc.boolean()), { numRuns: 120, seed: 7 })
    memory.db.transaction(() => {
      for (const [content, input, reasoning, hasParts] of samples) {
        const parts = hasParts
          ? ([
              { part_type: 'reasoning', text_content: reasoning },
              { part_type: 'tool', tool_name: 'x', tool_input: input },
            ] as const)
          : []
        const id = memory.message(1, { content, parts: [{ part_type: 'text', is_content: 1 }, ...parts] })
        texts.set(`msg_${id}`, hasParts ? [content, input, reasoning] : [content])
      }
      const summaries = fc.sample(someText, { numRuns: 30, seed: 11 })
      summaries.forEach((content, i) => {
        texts.set(memory.leaf(1, [i + 1], { id: `sum_${i}`, content, inWindow: false }), [content])
      })
    })
  })
  afterAll(() => memory.close())

  const expected = (test: (fields: readonly string[]) => boolean): string[] =>
    [...texts].filter(([, fields]) => test(fields)).map(([id]) => id)

  it('finds the same words, phrases, prefixes, OR, NOT and typed text in every script, by index and by scan', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async (ask) => {
        const query = queryOf(ask)
        const wanted = expected((fields) => holds(ask, fields)).sort()
        for (const search of [indexed, scanning]) {
          const result = await search({ query, match: 'all', limit: 1000 })
          expect([query, idsOf(result).sort()]).toEqual([query, wanted])
          expect(result.total).toBe(wanted.length)
        }
      }),
      { numRuns: runs(150) },
    )
  })

  it('finds the same for any text, literally and by regular expression', async () => {
    const piece = fc.oneof(
      fc.constantFrom(...words, ...typed),
      fc.string({ minLength: 1, maxLength: 3 }),
      fc.constantFrom('oo', '::', '部', '🚀', ' '),
    )
    await fc.assert(
      fc.asyncProperty(piece, piece, async (a, b) => {
        const text = `${a}${b}`
        if (text.trim() === '') return
        const wanted = expected((fields) => fields.some((field) => field.includes(text))).sort()
        const exactly = { caseSensitive: true, limit: 1000 }
        const pattern = text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
        for (const search of [indexed, scanning]) {
          expect(idsOf(await search({ query: text, mode: 'literal', ...exactly })).sort()).toEqual(wanted)
          expect(idsOf(await search({ query: pattern, mode: 'regex', ...exactly })).sort()).toEqual(wanted)
        }
      }),
      { numRuns: runs(50) },
    )
  })

  it.each([
    'fo+_b[aeiou]r',
    '^alpha',
    'C\\+\\+',
    'a.b',
    '(?i)BETA',
    '部.',
    '\\d{2}',
    'x?1',
    'deploy(ment)?',
    'NOTE|数据',
    '[^a-z]{4}',
    'é-é',
    'b{1,2}',
    '(alpha|Beta)\\s',
    'ab*',
  ])('finds the same for the regular expression %s', async (pattern) => {
    const reference = new RegExp(pattern.replace('(?i)', ''), pattern.startsWith('(?i)') ? 'iu' : 'u')
    const wanted = expected((fields) => fields.some((field) => reference.test(field))).sort()
    for (const search of [indexed, scanning]) {
      const asked = { query: pattern, mode: 'regex', caseSensitive: true, limit: 1000 } as const
      expect(idsOf(await search(asked)).sort()).toEqual(wanted)
    }
  })

  it('never fails on any input, and index and scan agree', async () => {
    const odd = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"', '((', 'NEAR(a b)', 'content:a', '^a', 'a AND', '\u0000', '{}'),
    )
    await fc.assert(
      fc.asyncProperty(odd, fc.constantFrom('full_text' as const, 'literal' as const), async (query, mode) => {
        const a = await indexed({ query, mode, match: 'all', limit: 1000 })
        const b = await scanning({ query, mode, match: 'all', limit: 1000 })
        expect(idsOf(a)).toEqual(idsOf(b))
      }),
      { numRuns: runs(80) },
    )
  })

  it('marks matches to the character', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async (ask) => {
        const { hits } = await indexed({ query: queryOf(ask), match: 'all', limit: 20 })
        for (const hit of hits) {
          expect(hit.matches.length).toBeGreaterThan(0)
          for (const [start, end] of hit.matches) {
            const lit = hit.snippet.slice(start, end)
            expect(lit.isWellFormed()).toBe(true)
            expect(holds(anyPart(ask), [lit])).toBe(true)
          }
          const fields = texts.get(hit.id) ?? []
          const shown = hit.snippet.replace(/^…/, '').replace(/…$/, '')
          expect(fields.some((field) => field.includes(shown))).toBe(true)
        }
      }),
      { numRuns: runs(50) },
    )
  })
})

/** What a lit range may hold: one of the parts that were asked for. */
function anyPart(ask: Asked): Asked {
  if (ask.kind === 'not') return anyPart(ask.from)
  return ask.kind === 'all' || ask.kind === 'or' ? { kind: 'or', of: ask.of.map(anyPart) } : ask
}

function story() {
  const memory = buildMemory({ conversations: [{}, {}] })
  memory.messages(1, [
    { content: 'the lock was taken', role: 'user' },
    { content: 'the lock is free', role: 'assistant' },
    { content: 'nothing here', role: 'user' },
    { content: 'a lock again', role: 'tool' },
  ])
  memory.messages(2, [{ content: 'another lock', atMs: STORY_BEGINS_MS - 1000 }])
  const leaf = memory.leaf(1, [1, 2], { id: 'sum_leaf', content: 'lock story', atMs: STORY_BEGINS_MS + 10 })
  memory.condensed(1, [leaf], { id: 'sum_top', content: 'all about a lock', atMs: STORY_BEGINS_MS + 20 })
  return { memory, search: searcher(memory) }
}

it('sorts by time across conversations and kinds, in both directions', async () => {
  const { memory, search } = story()
  const newest = ['msg_4', 'msg_2', 'sum_top', 'sum_leaf', 'msg_1', 'msg_5']
  expect(idsOf(await search({ query: 'lock' }))).toEqual(newest)
  expect(idsOf(await search({ query: 'lock', sort: 'oldest' }))).toEqual([...newest].reverse())
  memory.close()
})

it('filters by conversation, role, depth, time, window, scope and summary', async () => {
  const { memory, search } = story()
  const ids = async (request: Omit<GrepRequest, 'query'>): Promise<string[]> =>
    idsOf(await search({ query: 'lock', ...request })).sort()
  expect(await ids({ conversationIds: [2] })).toEqual(['msg_5'])
  expect(await ids({ roles: ['user'] })).toEqual(['msg_1', 'msg_5'])
  expect(await ids({ depths: [1] })).toEqual(['sum_top'])
  expect(await ids({ roles: ['tool'], depths: [0] })).toEqual(['msg_4', 'sum_leaf'])
  expect(await ids({ afterMs: STORY_BEGINS_MS, beforeMs: STORY_BEGINS_MS + 10 })).toEqual(['msg_1', 'sum_leaf'])
  expect(await ids({ inContext: true })).toEqual(['msg_4', 'msg_5', 'sum_top'])
  expect(await ids({ inContext: false })).toEqual(['msg_1', 'msg_2', 'sum_leaf'])
  expect(await ids({ within: 'sum_top' })).toEqual(['msg_1', 'msg_2', 'sum_leaf'])
  expect(await ids({ within: 'sum_leaf' })).toEqual(['msg_1', 'msg_2'])
  expect(await ids({ fromMessage: 'msg_2' })).toEqual(['msg_2', 'msg_4', 'sum_leaf', 'sum_top'])
  expect(await ids({ toMessage: 'msg_1' })).toEqual(['msg_1', 'sum_leaf', 'sum_top'])
  expect(await ids({ fromMessage: 'msg_3', toMessage: 'msg_4' })).toEqual(['msg_4'])
  const reversed = search({ query: 'lock', fromMessage: 'msg_4', toMessage: 'msg_1' })
  await expect(reversed).rejects.toMatchObject({ code: 'invalid_argument', message: REVERSED })
  expect(await ids({ scope: 'messages' })).toEqual(['msg_1', 'msg_2', 'msg_4', 'msg_5'])
  expect(await ids({ scope: 'summaries', conversationIds: [1] })).toEqual(['sum_leaf', 'sum_top'])
  await expect(search({ query: 'lock', within: 'msg_1' })).rejects.toMatchObject({ code: 'invalid_argument' })
  await expect(search({ query: 'lock', within: 'sum_x' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(search({ query: 'lock', fromMessage: 'sum_top' })).rejects.toMatchObject({ code: 'invalid_argument' })
  const apart = { fromMessage: 'msg_1', toMessage: 'msg_5' }
  await expect(search({ query: 'lock', ...apart })).rejects.toMatchObject({ code: 'invalid_argument' })
  memory.close()
})

const REVERSED = 'msg_4 comes after msg_1: a range begins with its earlier message. Exchange the two.'

it('says what covers a hit and whether it is in the window', async () => {
  const { memory, search } = story()
  const { hits } = await search({ query: 'taken' })
  expect(hits).toMatchObject([
    {
      id: 'msg_1',
      kind: 'message',
      conversationId: 1,
      seq: 0,
      role: 'user',
      depth: null,
      createdAtMs: STORY_BEGINS_MS,
    },
  ])
  expect(hits[0]).toMatchObject({ coveredBy: ['sum_leaf', 'sum_top'], inContext: false, field: 'content' })
  expect((await search({ query: 'story' })).hits[0]).toMatchObject({ kind: 'leaf', depth: 0, coveredBy: ['sum_top'] })
  memory.close()
})

it('names the field of a hit', async () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.message(1, {
    content: 'plain',
    parts: [
      { part_type: 'reasoning', text_content: 'deep thought' },
      { part_type: 'tool', tool_input: '{"cmd":"ls -la"}', tool_output: 'listing' },
      { part_type: 'compaction', is_synthetic: 1, tool_output: 'synthetic' },
    ],
  })
  const search = searcher(memory)
  const fieldOf = async (query: string) => (await search({ query })).hits[0]?.field
  expect(await fieldOf('plain')).toBe('content')
  expect(await fieldOf('thought')).toBe('reasoning')
  expect(await fieldOf('"ls -la"')).toBe('tool_input')
  expect(await fieldOf('listing')).toBe('tool_output')
  expect(await fieldOf('synthetic')).toBeUndefined()
})

it('returns every hit once over all pages, even when messages are appended meanwhile', async () => {
  for (const sort of ['newest', 'oldest', 'relevance'] as const) {
    using memory = buildMemory({ conversations: [{}] })
    memory.messages(
      1,
      Array.from({ length: 23 }, (_, i) => ({ content: `lock ${'pad '.repeat(i % 5)}` })),
    )
    const search = searcher(memory)
    const seen: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await search({ query: 'lock', sort, limit: 5, cursor })
      expect(page.total).toBe(23)
      seen.push(...idsOf(page))
      memory.message(1, 'lock appended')
      if (page.nextCursor === null) break
      cursor = page.nextCursor
    }
    expect(new Set(seen).size).toBe(23)
    expect(seen.length).toBe(23)
  }
})

it('refuses a cursor of another search', async () => {
  const { memory, search } = story()
  const { nextCursor } = await search({ query: 'lock', limit: 2 })
  const bad = { code: 'invalid_argument' }
  await expect(search({ query: 'other', cursor: nextCursor ?? '' })).rejects.toMatchObject(bad)
  await expect(search({ query: 'lock', cursor: 'forged' })).rejects.toMatchObject(bad)
  memory.close()
})

describe('a question in words', () => {
  const build = () => {
    const memory = buildMemory({ conversations: [{}] })
    memory.messages(1, ['the cache is cold', 'cold start of the cache', 'the queue is full', 'a warm queue', 'cold'])
    return { memory, search: searcher(memory) }
  }

  it('is answered with some of the words when nothing contains all of them, and says so', async () => {
    const { memory, search } = build()
    const result = await search({ query: 'cold cache queue' })
    expect(result.hits.map((hit) => hit.isPartial)).toEqual([true, true, true, true, true])
    expect(result.hits.find(({ id }) => id === 'msg_2')?.words).toEqual(['cold', 'cache'])
    expect(result.notes).toEqual([
      'Taken as a question: what has all the words comes first, then what has some of them.',
    ])
    const all = await search({ query: 'cold cache' })
    expect(all.hits.slice(0, 3).map((hit) => [hit.id, hit.isPartial])).toEqual([
      ['msg_1', false],
      ['msg_2', false],
      ['msg_5', true],
    ])
    expect(await search({ query: 'no such thing' })).toMatchObject({ total: 0, notes: [] })
    memory.close()
  })

  it('can require all words, or any of them', async () => {
    const { memory, search } = build()
    expect(idsOf(await search({ query: 'cold cache', match: 'all' }))).toEqual(['msg_2', 'msg_1'])
    const any = await search({ query: 'cold queue', match: 'any' })
    expect(any.hits.map((hit) => [hit.id, hit.isPartial])).toEqual([
      ['msg_5', true],
      ['msg_4', true],
      ['msg_3', true],
      ['msg_2', true],
      ['msg_1', true],
    ])
    memory.close()
  })

  it('continues its pages into the partial hits', async () => {
    const { memory, search } = build()
    const seen: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await search({ query: 'cold cache queue', limit: 2, cursor })
      seen.push(...idsOf(page))
      if (page.nextCursor === null) break
      cursor = page.nextCursor
    }
    expect([...seen].sort()).toEqual(['msg_1', 'msg_2', 'msg_3', 'msg_4', 'msg_5'])
    memory.close()
  })

  it('ignores words that nearly every message contains', async () => {
    using memory = buildMemory({ conversations: [{}] })
    memory.messages(
      1,
      Array.from({ length: 600 }, (_, i) => `the entry ${i}`),
    )
    memory.message(1, 'a zebra')
    const result = await searcher(memory)({ query: 'the zebra crossing' })
    expect(idsOf(result)).toEqual(['msg_601'])
    expect(result.notes).toContain('Not searched for, because so much has it: the.')
  })
})

it('ranks by relevance, rare and frequent words higher, by index and by scan', async () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, [
    'zebra and a long text about many other things that have nothing to do with it at all',
    'zebra zebra zebra',
    'a zebra',
    ...Array.from({ length: 20 }, (_, i) => `filler ${i}`),
  ])
  for (const capabilities of [NATIVE_CAPABILITIES, noIndex]) {
    const result = await searcher(memory, capabilities)({ query: 'zebra', sort: 'relevance' })
    expect(idsOf(result)).toEqual(['msg_2', 'msg_3', 'msg_1'])
  }
})

it('finds files by name and by exploration summary', async () => {
  using memory = buildMemory({ conversations: [{}] })
  const id = memory.largeFile(1, { file_name: 'country-codes.csv', exploration_summary: '249 rows of countries' })
  const search = searcher(memory)
  expect((await search({ query: 'countries', scope: 'files' })).hits).toMatchObject([{ id, kind: 'file' }])
  expect(idsOf(await search({ query: 'country-codes', scope: 'files' }))).toEqual([id])
  expect(idsOf(await search({ query: 'countries' }))).toEqual([])
})

it.each<[string, Partial<GrepRequest>]>([
  ['files by a depth', { scope: 'files', depths: [0] }],
  ['files by a role', { scope: 'files', roles: ['user'] }],
  ['messages by a depth', { scope: 'messages', depths: [0] }],
  ['summaries by a role', { scope: 'summaries', roles: ['user'] }],
])('finds no %s, and says why', async (_, filter) => {
  using memory = buildMemory({ conversations: [{ messages: ['countries'] }] })
  memory.leaf(1, [1], { content: 'countries' })
  memory.largeFile(1, { file_name: 'countries.csv' })
  expect(await searcher(memory)({ query: 'countries', ...filter })).toMatchObject({
    ...{ total: 0, totalIsExact: true, hits: [] },
    notes: [expect.stringMatching(/Only messages have a role, only summaries a depth/)],
  })
})

describe('a pattern', () => {
  it('is refused when neither engine can read it', async () => {
    const { memory, search } = story()
    await expect(search({ query: '[a', mode: 'regex' })).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(search({ query: '(?<=a', mode: 'regex' })).rejects.toMatchObject({ code: 'invalid_argument' })
    memory.close()
  })

  it('may have the escapes of JavaScript', async () => {
    const { memory, search } = story()
    expect(idsOf(await search({ query: 'lo\\u0063k a', mode: 'regex' }))).toEqual(['msg_4'])
    memory.close()
  })

  it.each([
    ['lock(?= again)', ['msg_4']],
    ['(?<=the )lock', ['msg_2', 'msg_1']],
    ['(?<!the )lock', ['msg_4', 'sum_top', 'sum_leaf', 'msg_5']],
    ['(o)ck.*\\1', ['sum_leaf']],
    ['(?i)ALL(?= about)', ['sum_top']],
    ['(?<vowel>[ei]).*\\k<vowel>', ['msg_3', 'msg_2', 'msg_1']],
  ])('may have look-around and back references: %s', async (query, ids) => {
    const { memory, search } = story()
    const { hits, total } = await search({ query, mode: 'regex' })
    expect([hits.map(({ id }) => id), total]).toEqual([ids, ids.length])
    const pattern = query.startsWith('(?i)') ? new RegExp(query.slice(4), 'iu') : new RegExp(query, 'u')
    for (const { snippet, matches } of hits) {
      const [start, end] = matches[0] ?? [0, 0]
      expect([start, end - start]).toEqual([snippet.search(pattern), pattern.exec(snippet)?.[0].length])
    }
    memory.close()
  })

  it('does not take a field that a message does not have for an empty text', async () => {
    const memory = buildMemory({
      conversations: [
        {
          messages: [
            'said',
            { role: 'assistant', content: '', parts: [{ part_type: 'tool', tool_name: 'bash', tool_input: '{}' }] },
          ],
        },
      ],
    })
    onTestFinished(() => memory.close())
    for (const query of ['^$', '^(?=$)', '^\\s*$'])
      expect(idsOf(await searcher(memory)({ query, mode: 'regex' })), query).toEqual(['msg_2'])
  })

  it('does not block the linear engine, even when it is hostile', async () => {
    using memory = buildMemory({ conversations: [{ messages: [`${'a'.repeat(50_000)}b`] }] })
    const { total, tookMs } = await searcher(memory)({ query: '^(a+)+$', mode: 'regex' })
    expect(total).toBe(0)
    expect(tookMs).toBeLessThan(20_000)
  })

  it('is stopped when it backtracks for too long, and other work continues meanwhile', async () => {
    using memory = buildMemory({ conversations: [{ messages: ['aab', `${'a'.repeat(5000)}b`] }] })
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 10)
    const search = searcher(memory)
    await expect(search({ query: '^(?=(a+)+$)', mode: 'regex' })).rejects.toMatchObject({ code: 'pattern_too_slow' })
    clearInterval(timer)
    // Hundreds on a quiet machine; one or two if this thread waited for the pattern.
    expect(turns).toBeGreaterThan(20)
    // The next one has a thread of its own.
    expect((await search({ query: '^a(?=ab)', mode: 'regex' })).total).toBe(1)
  })

  it('is stopped before its time limit when nobody waits for it any more', async () => {
    using memory = buildMemory({ conversations: [{ messages: [`${'a'.repeat(5000)}b`] }] })
    const stop = new AbortController()
    const running = searcher(memory)({ query: '^(?=(a+)+$)', mode: 'regex' }, stop.signal)
    setTimeout(() => stop.abort(), 50)
    await expect(running).rejects.toMatchObject({ code: 'cancelled' })
  })
})

it('says when the answer comes from a scan', async () => {
  const { memory, search } = story()
  expect((await search({ query: 'lock' })).notes).toEqual([])
  expect((await search({ query: 'lo', mode: 'literal' })).notes[0]).toMatch(/^Every text was read/)
  expect((await searcher(memory, noIndex)({ query: 'lock' })).notes[0]).toMatch(/^Every text was read/)
  memory.close()
})

it('yields to other work, and stops when it is cancelled', async () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(
    1,
    Array.from({ length: 400 }, (_, i) => `${'text '.repeat(8000)}${i}`),
  )
  const search = searcher(memory, noIndex)
  // Every look at the clock finds that the slice is over.
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 100))
  onTestFinished(() => void vi.restoreAllMocks())
  let turns = 0
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  await search({ query: 'no such word', match: 'all' })
  clearImmediate(next)
  expect(turns).toBeGreaterThan(2)
  const stop = new AbortController()
  const running = search({ query: 'no such word', match: 'all' }, stop.signal)
  setImmediate(() => stop.abort())
  await expect(running).rejects.toMatchObject({ code: 'cancelled' })
})

it('counts the messages of a file only for words that stand somewhere', async () => {
  const { memory } = story()
  const asked: string[] = []
  const value: typeof memory.db.value = (sql, params) => {
    asked.push(sql)
    return memory.db.value(sql, params)
  }
  const search = searcher({ ...memory, db: { ...memory.db, value } } as TestMemory)
  const hasCounted = (): boolean => asked.some((sql) => /count\(\*\) FROM messages/.test(sql))
  await search({ query: 'nowhere' })
  expect(hasCounted()).toBe(false)
  await search({ query: 'why is the lock nowhere?' })
  expect(hasCounted()).toBe(true)
})

it('finds at once what another connection wrote', async () => {
  const { memory, search } = story()
  await search({ query: 'lock' })
  memory.message(2, 'a new lock')
  memory.message(1, 'a newer lock')
  expect((await search({ query: 'lock', scope: 'messages' })).total).toBe(6)
  memory.close()
})

describe('a streamed search', () => {
  const build = () => {
    const memory = buildMemory({ conversations: [{}] })
    memory.messages(
      1,
      Array.from({ length: 3000 }, (_, i) => `${'some text '.repeat(200)}${i % 500 === 0 ? 'needle' : i}`),
    )
    const grep = new Grep(memory.db, noIndex, new MemoryReader(memory.db))
    const stream = (request: GrepRequest) => grep.stream(GrepInput.parse({ mode: 'regex', ...request }))
    return { memory, stream, search: searcher(memory, noIndex) }
  }

  it('has the same hits in the same order, and reports its progress', async () => {
    const { memory, stream, search } = build()
    for (const sort of ['newest', 'oldest', 'relevance'] as const) {
      const steps: GrepStep[] = []
      for await (const step of stream({ query: 'need[l]e', sort })) steps.push(GrepStep.parse(step))
      const whole = await search({ query: 'need[l]e', mode: 'regex', sort })
      expect(steps.flatMap(({ hits }) => hits)).toEqual(whole.hits)
      expect(steps.at(-1)).toMatchObject({ found: 6, scanned: 3000, rows: 3000, result: { total: 6 } })
      expect(steps.slice(0, -1).every(({ result }) => result === null)).toBe(true)
      expect(steps.map(({ scanned }) => scanned)).toEqual(steps.map(({ scanned }) => scanned).sort((a, b) => a - b))
      if (steps.length > 1) expect(steps[0]?.scanned).toBeLessThan(3000)
    }
    memory.close()
  })

  it('continues where the last page ended', async () => {
    const { memory, stream } = build()
    const ids: string[] = []
    for (let cursor: string | undefined; ; ) {
      for await (const { hits, result } of stream({ query: 'needle', limit: 4, cursor })) {
        ids.push(...hits.map(({ id }) => id))
        if (result) cursor = result.nextCursor ?? undefined
      }
      if (cursor === undefined) break
    }
    expect(new Set(ids).size).toBe(6)
    memory.close()
  })
})

describe('the total of a search', () => {
  it('is a lower bound when counting takes long, and every page still returns each hit once', async () => {
    using memory = buildMemory({ conversations: [{}] })
    memory.messages(
      1,
      Array.from({ length: 4000 }, (_, i) => `${'some text '.repeat(300)} C++ ${i}`),
    )
    const search = searcher(memory)
    const seen: string[] = []
    const totals: number[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await search({ query: 'C++', mode: 'literal', limit: 900, cursor, exactTotal: false })
      seen.push(...idsOf(page))
      totals.push(page.total)
      expect(page.total).toBeGreaterThanOrEqual(seen.length)
      expect(page.total).toBeLessThanOrEqual(4000)
      if (page.nextCursor === null) {
        expect(page.totalIsExact).toBe(true)
        break
      }
      cursor = page.nextCursor
    }
    expect(new Set(seen).size).toBe(4000)
    expect(seen.length).toBe(4000)
    expect(totals).toEqual(totals.toSorted((a, b) => a - b))
    expect((await search({ query: 'C++', mode: 'literal', limit: 1 })).total).toBe(4000)
  })
})
