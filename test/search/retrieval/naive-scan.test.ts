import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GrepInput, type GrepRequest } from '#core/contract/retrieval.ts'
import { Grep } from '#core/search/grep.ts'
import { smallLetters } from '#core/search/query/text-folding.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory, STORY_BEGINS_MS, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { Random } from '#test/builders/random.ts'
import { allPages, type NaiveRow, naiveRows, naiveWords, passes } from './naive-scan.ts'

const pieces = {
  latin: ['alpha', 'Beta', 'café', 'Résumé', 'naïve', 'Größe', 'Ångström', 'error', 'lock', 'the'],
  cjk: ['数据库', '部署', '返回值', '中', '文', '重复'],
  kana: ['データ', 'エラー', 'してください', 'ﾃﾞｰﾀ', 'が'],
  hangul: ['한국어', '오류'],
  thai: ['ตรวจสอบ', 'ไฟล์', 'อีกครั้ง'],
  rightToLeft: ['التحديث', 'الملف', 'שלום', 'עולם'],
  emoji: ['🚀', '👩‍💻', '👨‍👩‍👧', '🇩🇪', '😁', '✈️'],
  code: ['foo_bar::baz', 'C++', 'sqlite-wal-checkpoint', 'a.b()', 'arr[0]', '$HOME', 'i++', '->', '::', '#1'],
  paths: ['src/a-b.test.ts:7', '/etc/hosts', 'C:\\Temp\\x', '../up', 'https://x.y/z?q=1&r=2'],
  hashes: ['9f86d081884c7d65', 'deadbeef', '0x1F', '550e8400-e29b-41d4-a716-446655440000'],
} as const
const all = Object.values(pieces).flat()
const separators = [' ', ' ', ' ', '\n', ', ', '. ', '(', ')', '-', '"', "'", '\t']

const someText = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.pick(all) + random.pick(separators)).join('')

/** Three conversations, of which one is compacted twice over; rows that do not ascend with time; parts; files. */
function build(): TestMemory {
  const memory = buildMemory({ conversations: [{}, {}, {}] })
  const random = new Random(3)
  for (let i = 0; i < 260; i += 1) {
    const tool = { part_type: 'tool', tool_name: 'x', tool_input: someText(random, 2) } as const
    memory.message(1 + (i % 3), {
      content: someText(random, random.int(0, 7)),
      role: random.pick(['system', 'user', 'assistant', 'tool'] as const),
      atMs: STORY_BEGINS_MS + random.int(0, 90) * 1000,
      parts: [
        { part_type: 'text', is_content: 1 },
        ...(random.chance(0.3) ? [{ part_type: 'reasoning', text_content: someText(random, 3) } as const] : []),
        ...(random.chance(0.3) ? [tool, tool] : []),
        ...(random.chance(0.1) ? [{ ...tool, is_synthetic: 1, tool_output: 'alpha' } as const] : []),
      ],
    })
  }
  const leaves = Array.from({ length: 12 }, (_, leaf) =>
    memory.leaf(
      1,
      [0, 1, 2, 3].map((i) => 1 + 3 * (4 * leaf + i)),
      { id: `sum_leaf_${leaf}`, content: someText(random, 6), atMs: STORY_BEGINS_MS + random.int(0, 90) * 1000 },
    ),
  )
  const middles = [0, 4, 8].map((from) =>
    memory.condensed(1, leaves.slice(from, from + 4), { id: `sum_mid_${from}`, content: someText(random, 6) }),
  )
  memory.condensed(1, middles, { id: 'sum_top', content: someText(random, 6) })
  for (let i = 0; i < 6; i += 1) {
    memory.largeFile(1 + (i % 2), { file_name: `${random.pick(all)}.csv`, exploration_summary: someText(random, 3) })
  }
  return memory
}

const subset = <T>(...of: T[]): fc.Arbitrary<T[] | undefined> =>
  fc.option(fc.subarray(of, { minLength: 1 }), { nil: undefined })
const time = fc.option(
  fc.integer({ min: -1, max: 91 }).map((seconds) => STORY_BEGINS_MS + seconds * 1000),
  { nil: undefined },
)
const filters = fc.oneof(
  { weight: 1, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc.record({
      scope: fc.constantFrom('messages', 'summaries', 'both', 'files'),
      conversationIds: subset(1, 2, 3),
      roles: subset('system', 'user', 'assistant', 'tool'),
      depths: subset(0, 1, 2),
      afterMs: time,
      beforeMs: time,
      inContext: fc.option(fc.boolean(), { nil: undefined }),
      within: fc.option(fc.constantFrom('sum_top', 'sum_mid_4', 'sum_leaf_3'), { nil: undefined }),
    }),
  },
) as fc.Arbitrary<Partial<GrepRequest>>
const paging = fc.record({
  sort: fc.constantFrom('newest', 'oldest', 'relevance'),
  limit: fc.constantFrom(1, 7, 50, 1000),
  exactTotal: fc.boolean(),
}) as fc.Arbitrary<Pick<GrepRequest, 'sort' | 'limit' | 'exactTotal'>>

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
/** A part of an existing text, often across the borders of pieces. */
const part = fc
  .tuple(
    fc.constantFrom(...all),
    fc.constantFrom('', '', ' ', '\n', ', '),
    fc.constantFrom('', '', ...all),
    fc.nat(),
    fc.nat(),
  )
  .map(([a, separator, b, from, length]) => {
    const characters = [...`${a}${b === '' ? '' : separator}${b}`]
    const start = from % characters.length
    return characters.slice(start, start + 1 + (length % 6)).join('')
  })
  .filter((text) => text.trim() !== '')

describe('a search compared with a naive scan, page by page', () => {
  let memory: TestMemory
  let rows: NaiveRow[]
  let greps: Grep[]
  beforeAll(() => {
    memory = build()
    rows = naiveRows(memory.db)
    greps = [NATIVE_CAPABILITIES, { ...NATIVE_CAPABILITIES, fullTextIndex: false }].map(
      (capabilities) => new Grep(memory.db, capabilities, new MemoryReader(memory.db)),
    )
  })
  afterAll(() => memory.close())

  async function expectSame(request: GrepRequest, holds: (text: string) => boolean): Promise<void> {
    const input = GrepInput.parse(request)
    const wanted = rows.filter((row) => passes(row, input) && row.texts.some(holds))
    for (const grep of greps) {
      const { ids, pages } = await allPages(grep, input)
      expect([request, [...ids].sort()]).toEqual([request, wanted.map(({ id }) => id).sort()])
      const covers = new Map(wanted.map(({ id, covered }) => [id, [...covered].sort()]))
      for (const { id, coveredBy } of pages.flatMap(({ hits }) => hits)) {
        expect([id, coveredBy.toSorted()]).toEqual([id, covers.get(id)])
      }
      for (const { total, totalIsExact } of pages) {
        if (totalIsExact || input.exactTotal) expect([request, total]).toEqual([request, wanted.length])
        else expect(total).toBeLessThanOrEqual(wanted.length)
      }
      if (input.sort === 'relevance') continue
      const times = pages.flatMap(({ hits }) => hits.map(({ createdAtMs }) => createdAtMs ?? 0))
      const ascending = times.toSorted((a, b) => a - b)
      expect(times).toEqual(input.sort === 'oldest' ? ascending : ascending.toReversed())
    }
  }

  it('finds the same characters, with and without regard to case', async () => {
    await fc.assert(
      fc.asyncProperty(part, filters, paging, fc.boolean(), (typed, some, pages, caseSensitive) => {
        const query = caseSensitive ? typed : typed.toUpperCase()
        return expectSame({ query, mode: 'literal', caseSensitive, ...some, ...pages }, (text) =>
          caseSensitive ? text.includes(query) : smallLetters(text).includes(smallLetters(query)),
        )
      }),
      { numRuns: runs(120) },
    )
  })

  it('finds the same by regular expressions, with either engine', async () => {
    const pattern = fc.oneof(
      part.map(escaped),
      fc.tuple(part, part).map(([a, b]) => `${escaped(a)}|${escaped(b)}`),
      fc.tuple(part, part).map(([a, b]) => `${escaped(a)}.*${escaped(b)}`),
      fc.tuple(part, part).map(([a, b]) => `(?:${escaped(a)})+(${escaped(b)})?`),
      part.map((a) => `${escaped(a)}(?=\\s)`),
      part.map((a) => `(?<!\\s)${escaped(a)}`),
      fc.constantFrom('[a-c]{2,4}', '\\d{3}', '[^ -~\\s]', '^.$', '\\w+::\\w+', '(.)\\1', '[一-龥]{2}', '\\s$'),
    )
    await fc.assert(
      fc.asyncProperty(pattern, filters, paging, fc.boolean(), (query, some, pages, caseSensitive) => {
        const reference = new RegExp(query, caseSensitive ? 'u' : 'iu')
        return expectSame({ query, mode: 'regex', caseSensitive, ...some, ...pages }, (text) => reference.test(text))
      }),
      { numRuns: runs(120) },
    )
  })

  it('finds the same words in any spelling, and other text as it is typed', async () => {
    const withSpaces: readonly string[] = [...pieces.latin, ...pieces.rightToLeft]
    const isWord = (text: string): boolean => withSpaces.includes(text) || /^[a-z0-9]+$/i.test(text)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...all), filters, paging, (query, some, pages) => {
        const holds = (text: string): boolean =>
          isWord(query)
            ? naiveWords(text).includes(naiveWords(query)[0] ?? '')
            : smallLetters(text).includes(smallLetters(query))
        return expectSame({ query: `"${query}"`, ...some, ...pages }, holds)
      }),
      { numRuns: runs(120) },
    )
  })

  it('counts the messages that have a word, or the words of a name side by side', () => {
    const side = (text: string): string => ` ${naiveWords(text).join(' ')} `
    for (const word of [...pieces.latin, ...pieces.code, ...pieces.paths, ...pieces.hashes, 'nowhere', 'a"b', '"'])
      expect([word, ...greps.map((grep) => grep.messagesWith(word))]).toEqual([
        word,
        rows.filter(({ kind, texts }) => {
          return (
            kind === 'message' && naiveWords(word).length > 0 && texts.some((text) => side(text).includes(side(word)))
          )
        }).length,
        null,
      ])
  })
})
