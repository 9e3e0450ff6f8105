import { existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import { GrepInput, type GrepRequest } from '#core/contract/retrieval.ts'
import type { ContentIndexResult } from '#core/contract/search-index.ts'
import { ContentIndexes } from '#core/search/content-index/content-indexes.ts'
import { bitsOfText, columnsOf } from '#core/search/content-index/grams.ts'
import { indexContents } from '#core/search/content-index/index-contents.ts'
import { Grep } from '#core/search/grep.ts'
import { smallLetters, wordsOf } from '#core/search/text-folding.ts'
import { MemoryReader } from '#core/systems/memory-reader.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/open.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'

/** A memory whose large files have these contents, which were written some time ago. */
function memoryWith(contents: readonly string[]): { memory: TestMemory; paths: string[] } {
  const memory = buildMemory({ conversations: [{ messages: ['the files'] }] })
  const paths = contents.map((content, number) => {
    const path = join(dirname(memory.path), 'lcm-files', '1', `${number}.txt`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    utimesSync(path, 1000 + number, 1000 + number)
    memory.largeFile(1, {
      file_id: `file_${String(number).padStart(16, '0')}`,
      ...{ file_name: null, exploration_summary: null, storage_uri: path, created_at: 1_000 + number },
    })
    return path
  })
  return { memory, paths }
}

async function index(
  { db }: TestMemory,
  indexes: ContentIndexes,
  { limitBytes, until }: { readonly limitBytes?: number; readonly until?: () => boolean } = {},
): Promise<ContentIndexResult | null> {
  const stop = new AbortController()
  const job = indexContents(
    { db, filesDir: null, indexes, ...(limitBytes === undefined ? {} : { limitBytes }) },
    stop.signal,
  )
  for (;;) {
    if (until?.()) stop.abort()
    try {
      const next = await job.next()
      if (next.done) return next.value
    } catch (error) {
      if (stop.signal.aborted) return null
      throw error
    }
  }
}

const grepOver = ({ db }: TestMemory, contentIndexes: ContentIndexes | null): Grep =>
  new Grep(db, NATIVE_CAPABILITIES, new MemoryReader(db), undefined, { filesDir: null, contentIndexes })

/** Every page of an answer, as far as it does not depend on the time. */
async function pagesOf(grep: Grep, request: GrepRequest): Promise<unknown[]> {
  const pages: unknown[] = []
  for (let cursor: string | undefined; ; ) {
    const input = GrepInput.parse({ scope: 'files', exactTotal: true, ...request, cursor })
    const { tookMs: _, ...page } = await grep.search(input)
    pages.push(page)
    if (page.nextCursor === null || pages.length === 20) return pages
    cursor = page.nextCursor
  }
}

/** The runs of lines that a search reads, counted by what the index gives. */
function readRuns(indexes: ContentIndexes, path: string, text: string): number {
  const opened = indexes.open(path, statSync(path).size)
  if (!opened) throw new Error('there is no index')
  const count = [...opened.runs({ kind: 'text', text }, 0)].length
  opened.close()
  return count
}

const RARE = ['Lighthouse-Keeper', 'ÄRGER im Büro', '東京都', '東京', 'E0x7f3a', '🙂done', 'crane_7', 'x"y":1', 'q']
const line = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...RARE), fc.nat(9)).map(([rare, n]) => `${n} saw ${rare} there`) },
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom(...RARE, 'harbour', 'a', ''), { maxLength: 5 }).map((all) => all.join(' ')),
  },
)
/** Long enough for several runs, and with lines longer than a run, or longer than what is looked through as a whole. */
const piece = fc.oneof(
  { weight: 4, arbitrary: line },
  { weight: 3, arbitrary: fc.nat(900).map((count) => `2026-03-02 request ${count} was answered\n`.repeat(count)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(line, fc.constantFrom(40_000, 1_200_000))
      .map(([text, length]) => `${'ab '.repeat(length / 3)}${text}${'é'.repeat(300)}`),
  },
)
const content = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 12 }), fc.constantFrom('\n', '\r\n'))
  .map(([pieces, end]) => pieces.join(end))

const query = fc.oneof(
  fc.constantFrom(...RARE).map((text): GrepRequest => ({ query: text, mode: 'literal' })),
  fc
    .constantFrom(
      'keeper lighthouse',
      'arger NOT harbour',
      'buro OR crane',
      'hous*',
      'done',
      '"im buro"',
      '東京',
      'e0x7f3a there',
      'nothing',
    )
    .map((text): GrepRequest => ({ query: text, mode: 'full_text' })),
  fc
    .constantFrom(
      '^\\d saw (Light|crane)',
      '(?i)ärger',
      'E0x[0-9a-f]+',
      '(.)\\1done',
      '^$',
      '東.都',
      'x"y":\\d',
      '(?<=saw )q',
    )
    .map((text): GrepRequest => ({ query: text, mode: 'regex' })),
)

it('gives the same pages with the index of contents as without it, in every mode and order', async () => {
  const property = fc.asyncProperty(
    fc.array(content, { minLength: 1, maxLength: 2 }),
    fc.array(query, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('newest', 'oldest', 'relevance') as fc.Arbitrary<'newest' | 'oldest' | 'relevance'>,
    fc.integer({ min: 1, max: 30 }),
    async (contents, queries, sort, limit) => {
      const { memory } = memoryWith(contents)
      using _ = memory
      const indexes = new ContentIndexes(temporaryFolder(), 0)
      expect(await index(memory, indexes)).toEqual({ outcome: 'ready', indexedFiles: contents.length })
      for (const asked of queries) {
        const request = { ...asked, sort, limit }
        expect(await pagesOf(grepOver(memory, indexes), request)).toEqual(
          await pagesOf(grepOver(memory, null), request),
        )
      }
    },
  )
  await fc.assert(property, { numRuns: runs(40) })
})

it('finds each text that stands in a run among its grams, in both forms in which texts are compared', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  const property = fc.property(text, text, text, fc.nat(60_000), (before, needle, after, gap) => {
    const columns = columnsOf(`${before}${' x'.repeat(gap / 2)}\n${needle}\n${after}`)
    for (const folded of [smallLetters(needle), wordsOf(needle)]) {
      const bits = bitsOfText(folded) ?? []
      const holds = (column: Uint32Array) => bits.every((bit) => ((column[bit >> 5] ?? 0) & (1 << (bit & 31))) !== 0)
      expect(columns.some(holds)).toBe(true)
    }
  })
  fc.assert(property, { numRuns: runs(200) })
})

const log = (lines: number, special: string): string =>
  Array.from({ length: lines }, (_, number) =>
    number === Math.floor(lines / 2)
      ? special
      : `2026-03-02T09:00:00Z request ${(number * 7919) % 1_000_003} took ${number % 90} ms`,
  ).join('\n')

it('reads only a few runs of a long content for a rare text', async () => {
  const { memory, paths } = memoryWith([log(100_000, 'the walrus has id 7f3a9c21')])
  using _ = memory
  const indexes = new ContentIndexes(temporaryFolder())
  await index(memory, indexes)
  const [path = ''] = paths
  const all = readRuns(indexes, path, '2026')
  expect(all).toBeGreaterThan(100)
  for (const text of ['walrus', ' walrus ', '7f3a9c21', 'id 7f'])
    expect(readRuns(indexes, path, text)).toBeLessThan(all / 30)
})

it('does not use the index of a content that was changed, and makes a new one', async () => {
  const { memory, paths } = memoryWith([log(10_000, 'walrus')])
  using _ = memory
  const indexes = new ContentIndexes(temporaryFolder())
  await index(memory, indexes)
  const [path = ''] = paths
  writeFileSync(path, log(10_000, 'badger'))
  const found = async (text: string) =>
    (await grepOver(memory, indexes).search(GrepInput.parse({ query: text, scope: 'files' }))).total
  expect([await found('walrus'), await found('badger')]).toEqual([0, 1])
  utimesSync(path, 2000, 2000)
  expect(await index(memory, indexes)).toEqual({ outcome: 'ready', indexedFiles: 1 })
  expect([await found('walrus'), await found('badger')]).toEqual([0, 1])
  rmSync(path)
  const { notes, total } = await grepOver(memory, indexes).search(GrepInput.parse({ query: 'badger', scope: 'files' }))
  expect(total).toBe(0)
  expect(notes.join()).toMatch(/could not be read and were not searched/)
})

it('removes a damaged index, reads the content, and makes the index anew', async () => {
  const { memory } = memoryWith([log(10_000, 'walrus')])
  using _ = memory
  const indexes = new ContentIndexes(temporaryFolder())
  await index(memory, indexes)
  const [name = ''] = readdirSync(indexes.folder).filter((one) => one.endsWith('.grams'))
  truncateSync(join(indexes.folder, name), 5000)
  const request: GrepRequest = { query: 'walrus' }
  expect(await pagesOf(grepOver(memory, indexes), request)).toEqual(await pagesOf(grepOver(memory, null), request))
  expect(await index(memory, indexes)).toEqual({ outcome: 'ready', indexedFiles: 1 })
})

it('keeps the finished indexes when it is cancelled, and leaves nothing unfinished', async () => {
  const { memory } = memoryWith(Array.from({ length: 6 }, (_, number) => log(30_000, `walrus ${number}`)))
  using _ = memory
  const indexes = new ContentIndexes(temporaryFolder())
  // Every look at the clock finds that it is time to report progress.
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 200))
  onTestFinished(() => void vi.restoreAllMocks())
  const names = () => readdirSync(indexes.folder).filter((name) => name.includes('grams'))
  expect(await index(memory, indexes, { until: () => existsSync(indexes.folder) && names().length > 1 })).toBeNull()
  expect(names().length).toBeGreaterThan(0)
  expect(names().length).toBeLessThan(6)
  const finished = names()
  expect(finished.every((name) => name.endsWith('.grams'))).toBe(true)
  expect(await index(memory, indexes)).toEqual({ outcome: 'ready', indexedFiles: 6 - finished.length })
})

it('stays below the size limit of all indexes, and gives up the indexes of other contents first', async () => {
  const cacheDir = temporaryFolder()
  const indexes = new ContentIndexes(cacheDir)
  const other = memoryWith([log(20_000, 'walrus')])
  using _ = other.memory
  await index(other.memory, indexes)
  const { memory } = memoryWith(Array.from({ length: 4 }, (_, number) => log(20_000, `badger ${number}`)))
  using __ = memory
  const one = statSync(indexes.pathOf(other.paths[0] ?? '')).size
  expect(await index(memory, indexes, { limitBytes: one * 3.5 })).toMatchObject({ outcome: 'too_large' })
  const sizes = readdirSync(indexes.folder)
    .filter((name) => name.endsWith('.grams'))
    .map((name) => statSync(join(indexes.folder, name)).size)
  expect(sizes.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(one * 3.5)
  expect(indexes.open(other.paths[0] ?? '', one * 100)).toBeNull()
})
