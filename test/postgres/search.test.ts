import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { RemoteGrepInput } from '#core/contract/remote.ts'
import { GrepInput } from '#core/contract/retrieval.ts'
import { openLcm } from '#core/lcm.ts'
import type { Postgres, Query } from '#core/remote/postgres/connect.ts'
import { likePattern, wordsQuery } from '#core/remote/postgres/search-rows.ts'
import { SCHEMA_V5 } from '#core/remote/postgres/tool-texts.ts'
import { searchTenant } from '#core/remote/search-tenant.ts'
import { sendMemory } from '#core/remote/send.ts'
import { planQuery } from '#core/search/planning/plan-query.ts'
import { ExpressionMatcher } from '#core/search/query/matcher.ts'
import { wordsOf } from '#core/search/query/text-folding.ts'
import { runToEnd } from '#core/yielding.ts'
import { type PartSpec, TestMemory } from '../builders/memory.ts'
import { runs } from '../builders/property-runs.ts'
import { type InProcess, inProcess } from './pglite.ts'

const never = new AbortController().signal
const TEXTS = [
  'The lease of node-7 was renewed after a retry.',
  'the LEASE OF NODE-8',
  'Kelvin: 300 \u212a, the \u017ftrange s',
  'Straße, STRASSE, ß',
  'İstanbul ve ıspanak, I and i',
  '100 % of a_b\\c',
  'nul \0 and \ud800 alone',
  'Ärger über Öl',
  'a\nb of two lines',
  '',
  '漢字かな交じり文',
  'x'.repeat(3000),
]
let server: InProcess
const memory = new TestMemory()
/** The conversations as the tenant has them, by the file's. */
const sentTo = new Map<number, number>()
/** What is searched, field by field. */
const stored = new Map<string, readonly string[]>()
/** Some messages have calls of tools and reasoning beside their content, and one that the program has added. */
const partsOf = (at: number): PartSpec[] => {
  const text = (by: number) => TEXTS[(at + by) % TEXTS.length] ?? ''
  if (at % 3 === 0) return [{ part_type: 'text', is_content: 1 }]
  return [
    { part_type: 'text', is_content: 1 },
    { part_type: 'tool', tool_input: text(3), tool_output: at % 2 === 0 ? text(5) : null },
    { part_type: 'reasoning', text_content: text(7) },
    { part_type: 'tool', tool_input: `again ${text(4)}`, tool_output: 'a needle in an output' },
    { part_type: 'tool', tool_input: 'added by nobody', is_synthetic: 1 },
    { part_type: 'text', text_content: 'said in another place' },
  ]
}

beforeAll(async () => {
  server = await inProcess()
  for (let number = 0; number < 3; number += 1) {
    const conversation = memory.conversation({ sessionId: `s${number}` })
    const ids = memory.messages(
      conversation,
      TEXTS.map((content, at) => ({
        content: `${content}${number === 2 ? '!' : ''}`,
        ...(number === 1 && { parts: partsOf(at) }),
      })),
    )
    memory.leaf(conversation, ids.slice(0, 2), { id: `sum_${number}`, content: `Node leases, ${TEXTS[number]}` })
  }
  const sent = await runToEnd(sendMemory({ from: memory.db, to: server.db, tenant: 'a' }, never))
  for (const { from, to } of sent.conversations) {
    sentTo.set(from, to)
    const rows = memory.db.all<{ id: string; content: string }>(
      `SELECT 'msg_' || message_id AS id, content FROM messages WHERE conversation_id = CAST(:from AS INTEGER)
       UNION ALL SELECT summary_id, content FROM summaries WHERE conversation_id = CAST(:from AS INTEGER)`,
      { from },
    )
    for (const { id, content } of rows) {
      const parts = memory.db.all<Record<string, string | null>>(
        `SELECT tool_input, tool_output, iif(part_type = 'reasoning', text_content, NULL) AS reasoning FROM message_parts
         WHERE 'msg_' || message_id = :id AND is_synthetic = 0 ORDER BY ordinal`,
        { id },
      )
      const field = (name: string) => parts.flatMap((part) => part[name] ?? []).join('\n')
      const others = id.startsWith('msg_') ? [field('tool_input'), field('tool_output'), field('reasoning')] : []
      stored.set(`${to} ${id}`, [content, ...others])
    }
  }
  using other = new TestMemory()
  const content = `${'long '.repeat(40_000)}and at the end a hidden word`
  other.messages(other.conversation({ sessionId: 's' }), [{ content: 'the lease of another tenant' }, { content }])
  await runToEnd(sendMemory({ from: other.db, to: server.db, tenant: 'b' }, never))
})
afterAll(async () => {
  memory.db.close()
  await server.close()
})

const search = (asked: Partial<RemoteGrepInput>, tenant = 'a') =>
  searchTenant(server.db, { ...RemoteGrepInput.parse({ query: 'x', match: 'all', ...asked }), tenant }, never)

/** Reads every text. */
async function naive(asked: Partial<RemoteGrepInput>): Promise<string[]> {
  const plan = await planQuery(GrepInput.parse({ query: 'x', match: 'all', ...asked }))
  const loose = asked.match === 'any' && plan?.loose ? new ExpressionMatcher(plan.loose) : null
  const matcher = loose ?? plan?.strict.matcher
  return [...stored].flatMap(([key, fields]) => (matcher?.matches(fields) ? [key] : [])).toSorted()
}

const keysOf = (hits: readonly { conversationId: number; id: string }[]): string[] =>
  hits.map(({ conversationId, id }) => `${conversationId} ${id}`).toSorted()

/** The same texts in both stores. */
const STORES: Readonly<Record<string, (asked: Partial<RemoteGrepInput>) => Promise<string[]>>> = {
  PostgreSQL: async (asked) => {
    const { hits, nextCursor } = await search({ ...asked, limit: 1000 })
    expect(nextCursor).toBe(null)
    return keysOf(hits)
  },
  'a file': async (asked) => {
    using lcm = await openLcm(memory.path, { readOnly: true })
    const { hits } = await lcm.retrieval.grep(
      GrepInput.parse({ query: 'x', match: 'all', ...asked, limit: 1000 }),
      never,
    )
    return keysOf(hits.map(({ conversationId, id }) => ({ conversationId: sentTo.get(conversationId) ?? 0, id })))
  },
}

const part = fc
  .tuple(fc.constantFrom(...TEXTS.slice(0, 9), 'Node leases'), fc.nat(40), fc.integer({ min: 1, max: 12 }))
  .map(([text, from, length]) => text.slice(from % Math.max(1, text.length)).slice(0, length))
  .filter((text) => text.trim() !== '')
const word = fc
  .tuple(fc.constantFrom(...TEXTS.slice(0, 11)), fc.nat(8), fc.constantFrom('', '', '*'))
  .map(([text, at, end]) => `${text.split(/\s+/).at(at) ?? 'lease'}${end}`)
const words = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 3 }), fc.constantFrom(' ', ' OR ', ' NOT ', ' -'))
  .map(([some, between]) => some.join(between))
  .filter((query) => query.trim() !== '')

describe.each(Object.entries(STORES))('a search in all conversations, in %s', (_, find) => {
  // "Exact searches agree with a naive scan as in SQLite."
  it('finds what a scan of every text finds, for any part of a text in any case, and for any words', async () => {
    const form = fc.constantFrom('same', 'upper', 'lower')
    await fc.assert(
      fc.asyncProperty(part, form, fc.boolean(), async (text, as, caseSensitive) => {
        const query = as === 'upper' ? text.toUpperCase() : as === 'lower' ? text.toLowerCase() : text
        const asked = { query, mode: 'literal', caseSensitive } as const
        expect(await find(asked), query).toEqual(await naive(asked))
      }),
      { numRuns: runs(40) },
    )
    await fc.assert(
      fc.asyncProperty(words, fc.constantFrom('all', 'any'), async (query, match) => {
        expect(await find({ query, match }), query).toEqual(await naive({ query, match }))
      }),
      { numRuns: runs(40) },
    )
  })

  it.each([
    'lease of node-\\d',
    'k|ß',
    '(?i)STRASSE|öl',
    '^a$|b of',
    'x{900}',
    '[^ -~]',
    'i',
    '.',
    '^$',
    '^again',
    'no such text',
  ])('finds what a scan finds for the pattern %s', async (query) => {
    for (const caseSensitive of [true, false]) {
      const asked = { query, mode: 'regex', caseSensitive } as const
      expect(await find(asked)).toEqual(await naive(asked))
    }
  })
})

describe('every combination of the filters of a search in a tenant', () => {
  /** The tenant has 39 texts: a search that asks the server more often asks too often, or never ends. */
  const MOST_STATEMENTS = 120
  let statements = 0
  const counting = (query: Query): Query =>
    ((...asked: Parameters<Query>) => {
      statements += 1
      if (statements > MOST_STATEMENTS) throw new Error('the search does not end')
      return query(...asked)
    }) as Query
  const counted = (): Postgres => ({
    ...server.db,
    read: (tenant, body, limitMs) => server.db.read(tenant, (query) => body(counting(query)), limitMs),
  })

  // "A combination that leaves nothing to search is an empty answer."
  it('ends on every page and finds what a scan finds, also when it leaves nothing to search', async () => {
    const own = [...sentTo.values()].slice(0, 1)
    const filters = fc.record({
      query: fc.constantFrom('lease', 'the lease', 'zebra', 'lease NOT node', ' ', '*', '"', 'zebra?'),
      mode: fc.constantFrom('full_text', 'literal', 'regex'),
      match: fc.constantFrom('auto', 'all', 'any', 'question'),
      caseSensitive: fc.constantFrom(undefined, true, false),
      conversationIds: fc.constantFrom<(number[] | undefined)[]>(undefined, [], own, [...own, 99], [99]),
      limit: fc.constantFrom(1, 7, 1000),
    }) as fc.Arbitrary<Partial<RemoteGrepInput>>
    await fc.assert(
      fc.asyncProperty(filters, async (asked) => {
        statements = 0
        const input = { ...RemoteGrepInput.parse(asked), tenant: 'a' }
        const plan = await planQuery(GrepInput.parse(asked)).catch(() => 'refused' as const)
        const found: string[] = []
        let asksQuestion = false
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const answer = await searchTenant(counted(), { ...input, ...(cursor && { cursor }) }, never).catch(
            (error) => error.code,
          )
          if (typeof answer === 'string') {
            expect([plan, answer]).toEqual(['refused', 'invalid_argument'])
            return
          }
          found.push(...keysOf(answer.hits))
          asksQuestion = answer.isQuestion
          cursor = answer.nextCursor
        }
        const { conversationIds } = input
        const isLeft = (key: string): boolean => conversationIds?.includes(Number(key.split(' ')[0])) ?? true
        expect(found).toEqual(found.filter(isLeft))
        if (!asksQuestion) expect(found.toSorted()).toEqual((await naive(asked)).filter(isLeft))
      }),
      { numRuns: runs(150) },
    )
  })
})

describe('a search in all conversations of a tenant', () => {
  it('puts first what has all words of a question, then what has its rarest words, on pages of any size', async () => {
    const asked = { query: 'Which node renewed its lease after a retry?', match: 'auto' } as const
    const whole = await search({ ...asked, limit: 1000 })
    expect(whole.isQuestion).toBe(true)
    const [first] = whole.hits
    expect(first?.snippet).toContain('renewed after a retry')
    expect(first?.words).toEqual(expect.arrayContaining(['renewed', 'lease', 'retry']))
    const counts = whole.hits.map(({ words: held }) => held?.length ?? 0)
    expect(counts.at(-1)).toBeLessThan(counts[0] ?? 0)
    const seen: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await search({ ...asked, limit: 3, ...(cursor && { cursor }) })
      seen.push(...page.hits.map(({ conversationId, id }) => `${conversationId} ${id}`))
      cursor = page.nextCursor
    }
    expect(seen).toEqual(whole.hits.map(({ conversationId, id }) => `${conversationId} ${id}`))
    expect((await search({ query: 'nothing whatever anywhere', match: 'question' })).hits).toEqual([])
  })

  it('knows each word of ASCII in the index that the tokenizer of a file makes of a text', async () => {
    const folded: string[] = []
    for (let code = 0x80; code < 0x10000; code += 1) {
      const letter = String.fromCharCode(code)
      if (code >= 0xd800 && code <= 0xdfff) continue
      const isDropped = wordsOf(`a${letter}a`) === ' aa '
      if (isDropped || /^ [a-z0-9]+ $/.test(wordsOf(letter))) folded.push(letter)
      // The server splits wherever no letter of ASCII stands, so a separator may not hide one.
      else if (wordsOf(letter) === ' ') expect(letter.normalize('NFD')).not.toMatch(/[a-z0-9]/i)
    }
    expect(folded.length).toBeGreaterThan(200)
    const texts = [
      ...TEXTS.map((text) => text.replaceAll('\0', ' ').toWellFormed()),
      ...folded.map((one) => `q${one}z ${one}`),
    ]
    const rows = await server.db.read(null, (query) =>
      query<{ words: string[] }>(
        'SELECT tsvector_to_array(lcm.words(t.text)) AS words FROM unnest($1::text[]) WITH ORDINALITY AS t (text, at) ORDER BY at',
        [texts],
      ),
    )
    for (const [at, text] of texts.entries()) {
      const asciiWords = wordsOf(text)
        .split(' ')
        .filter((one) => /^[a-z0-9]{1,200}$/.test(one))
      expect(rows[at]?.words, JSON.stringify(text)).toEqual(expect.arrayContaining(asciiWords))
    }
  })

  it('is the same in pages of any size, and reads few texts besides the hits', async () => {
    const whole = await search({ query: 'lease', limit: 1000 })
    expect(whole.hits.length).toBeGreaterThan(6)
    expect(whole.readTexts).toBeLessThan(whole.hits.length + 5)
    for (const limit of [1, 2, 5]) {
      const seen: string[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await search({ query: 'lease', limit, ...(cursor && { cursor }) })
        seen.push(...page.hits.map(({ conversationId, id }) => `${conversationId} ${id}`))
        cursor = page.nextCursor
      }
      expect(seen).toEqual(whole.hits.map(({ conversationId, id }) => `${conversationId} ${id}`))
    }
    await expect(
      search({ query: 'other', cursor: (await search({ query: 'lease', limit: 1 })).nextCursor ?? '' }),
    ).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('says of a hit in which text of the message it stands, and knows calls that were stored before version 5', async () => {
    const { hits } = await search({ query: 'needle' })
    expect(hits.length).toBe(8)
    for (const hit of hits) expect(hit).toMatchObject({ kind: 'message', field: 'tool_output' })
    expect((await search({ query: 'again renewed', match: 'all' })).hits.length).toBeGreaterThan(0)
    expect((await search({ query: 'nobody' })).hits).toEqual([])
    expect((await search({ query: 'another place', match: 'all' })).hits).toEqual([])
    // What the step to version 5 fills in is what the trigger keeps.
    const texts = (query: Query) => query('SELECT * FROM lcm.tool_texts ORDER BY 1, 2, 3')
    const kept = await server.db.read(null, texts)
    expect(kept.length).toBe(8)
    await server.db.script('TRUNCATE lcm.tool_texts')
    await server.db.script(/INSERT INTO lcm\.tool_texts[^;]*;/.exec(SCHEMA_V5)?.[0] ?? '')
    expect(await server.db.read(null, texts)).toEqual(kept)
  })

  it('finds words of a long text that no index holds, and weighs them', async () => {
    const { hits } = await search({ query: 'another hidden word', match: 'question' }, 'b')
    expect(hits.map(({ seq, words: held }) => [seq, held])).toEqual([
      [1, ['hidden', 'word']],
      [0, ['another']],
    ])
    expect((await search({ query: 'hidden end' }, 'b')).hits.length).toBe(1)
  })

  it('finds nothing of another tenant, and refuses patterns that may take for ever', async () => {
    expect((await search({ query: 'another tenant' })).hits).toEqual([])
    expect((await search({ query: 'another tenant' }, 'b')).hits.length).toBe(1)
    await expect(search({ query: '(a)\\1', mode: 'regex' })).rejects.toMatchObject({ code: 'unsupported' })
  })

  it('asks the server for no letter that another one is folded to', () => {
    expect(likePattern('Kiss 100%')).toBe('% 100\\%%')
    expect(likePattern('straße')).toBe('%tra_e%')
    expect(likePattern('is k')).toBe('% %')
    expect(likePattern('ski')).toBe(null)
    expect(likePattern('a_')).toBe('%a\\_%')
    expect(wordsQuery(['lease', 'ретрай', 'ret'], true)).toBe("'lease' & 'ret':*")
    expect(wordsQuery(['öl'], false)).toBe(null)
  })
})

it('says that a page ended because of its time, and the next page goes on', async () => {
  using many = new TestMemory()
  many.messages(
    many.conversation(),
    Array.from({ length: 501 }, (_, at) => ({ content: `A lease of node ${at}` })),
  )
  await runToEnd(sendMemory({ from: many.db, to: server.db, tenant: 'many' }, never))
  const asked = RemoteGrepInput.parse({ query: 'lease.+lease', mode: 'regex' })
  let nowMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 20_000))
  try {
    const first = await searchTenant(server.db, { ...asked, tenant: 'many' }, never)
    expect(first.notes).toEqual([
      'This page ended after 10 seconds with what was found in 500 texts: the next page goes on.',
    ])
    const cursor = first.nextCursor ?? ''
    const next = await searchTenant(server.db, { ...asked, cursor, tenant: 'many' }, never)
    expect(next).toMatchObject({ readTexts: 1, notes: [], nextCursor: null })
  } finally {
    clock.mockRestore()
  }
})
