import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type GrepHit, GrepInput, type GrepRequest, type GrepResult } from '#core/contract/retrieval.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { runs } from '#test/builders/property-runs.ts'
import { naiveWords } from './naive-scan.ts'

/** A memory whose large files have these contents, the oldest first. */
function memoryWith(...contents: readonly string[]): { memory: TestMemory; ids: string[]; paths: string[] } {
  const memory = buildMemory({ conversations: [{ messages: ['the files'] }] })
  const paths: string[] = []
  const ids = contents.map((content, number) => {
    const path = join(dirname(memory.path), 'lcm-files', '1', `${number}.txt`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    paths.push(path)
    return memory.largeFile(1, {
      file_id: `file_${String(number).padStart(16, '0')}`,
      ...{ file_name: null, exploration_summary: null, storage_uri: path, created_at: 1_000 + number },
    })
  })
  return { memory, ids, paths }
}

async function allHits(lcm: Lcm, request: GrepRequest): Promise<{ hits: GrepHit[]; pages: GrepResult[] }> {
  const pages: GrepResult[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await lcm.retrieval.grep(GrepInput.parse({ scope: 'files', exactTotal: true, ...request, cursor }))
    pages.push(page)
    if (page.nextCursor === null) return { hits: pages.flatMap(({ hits }) => hits), pages }
    cursor = page.nextCursor
  }
}

const placesOf = (hits: readonly GrepHit[]): string[] => hits.map(({ id, line }) => `${id}:${line}`)
const shownMatches = ({ snippet, matches }: GrepHit): string[] => matches.map(([a, b]) => snippet.slice(a, b))

const WORDS = ['Harbour', 'harbour', 'crane', 'ärger', 'x1', 'lighthouse-keeper', '東京', '  ', '', '🙂done', 'crane_7']
const lineText = fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map((words) => words.join(' '))
const fileText = fc
  .tuple(fc.array(lineText, { maxLength: 40 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([lines, end, isEnded]) => lines.join(end) + (isEnded ? end : ''))

const linesOf = (text: string): string[] => {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''))
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

const questions: readonly { request: GrepRequest; isHit: (line: string) => boolean }[] = [
  { request: { query: 'arbour', mode: 'literal' }, isHit: (line) => line.includes('arbour') },
  { request: { query: '東', mode: 'literal' }, isHit: (line) => line.includes('東') },
  { request: { query: '^crane.*(x1|ärger)$', mode: 'regex' }, isHit: (line) => /^crane.*(x1|ärger)$/.test(line) },
  { request: { query: '(\\w)\\1', mode: 'regex' }, isHit: (line) => /(\w)\1/u.test(line) },
  { request: { query: 'z*', mode: 'regex' }, isHit: () => true },
  { request: { query: 'arger', match: 'all' }, isHit: (line) => naiveWords(line).includes('arger') },
  {
    request: { query: 'harbour crane', match: 'all' },
    isHit: (line) => ['harbour', 'crane'].every((word) => naiveWords(line).includes(word)),
  },
  {
    request: { query: 'harbour NOT crane' },
    isHit: (line) => naiveWords(line).includes('harbour') && !naiveWords(line).includes('crane'),
  },
]

it('finds the same lines in the contents of files as a naive scan, in every mode, on pages of every size', async () => {
  const property = fc.asyncProperty(
    fc.array(fileText, { minLength: 1, maxLength: 3 }),
    fc.constantFrom(...questions),
    fc.constantFrom('newest', 'oldest') as fc.Arbitrary<'newest' | 'oldest'>,
    fc.integer({ min: 1, max: 7 }),
    async (contents, { request, isHit }, sort, limit) => {
      const { memory, ids } = memoryWith(...contents)
      using _ = memory
      using lcm = await openLcm(memory.path)
      const expected = contents.map((content, file) =>
        linesOf(content).flatMap((line, number) => (isHit(line) ? [`${ids[file]}:${number + 1}`] : [])),
      )
      const { hits, pages } = await allHits(lcm, { ...request, sort, limit })
      expect(placesOf(hits)).toEqual((sort === 'oldest' ? expected : expected.toReversed()).flat())
      expect(pages.every(({ total, totalIsExact }) => totalIsExact && total === expected.flat().length)).toBe(true)
    },
  )
  await fc.assert(property, { numRuns: runs(120) })
})

it('finds a word at the end of a file of several megabytes, with its line', async () => {
  const lines = Array.from({ length: 60_000 }, (_, line) => `2026-03-02 request ${line} was answered in time`)
  lines[59_998] = 'the needle stands here'
  const { memory, ids } = memoryWith(lines.join('\n'))
  using _ = memory
  using lcm = await openLcm(memory.path)
  for (const request of [{ query: 'needle' }, { query: 'ne+dle', mode: 'regex' as const }]) {
    const { hits } = await allHits(lcm, request)
    expect(hits).toMatchObject([{ id: ids[0], kind: 'file', line: 59_999, row: 59_998, snippet: lines[59_998] }])
    expect(hits.flatMap(shownMatches)).toEqual(['needle'])
  }
})

it('gives a hit for each row of a long line in which a match begins, with what stands around it', async () => {
  const { memory } = memoryWith(`${'a'.repeat(5000)} needle one ${'b'.repeat(9000)} needle two\nneedle three`)
  using _ = memory
  using lcm = await openLcm(memory.path)
  const { hits } = await allHits(lcm, { query: 'needle', mode: 'literal' })
  expect(hits.map(({ line, row }) => [line, row])).toEqual([
    [1, 2],
    [1, 6],
    [2, 7],
  ])
  expect(hits.map(({ snippet }) => /needle \w+/.exec(snippet)?.[0])).toEqual([
    'needle one',
    'needle two',
    'needle three',
  ])
  const rows = await lcm.fileReader.read(
    hits[1]?.id ?? '',
    { kind: 'rows', from: 6, count: 1 },
    new AbortController().signal,
  )
  expect(rows.rows[0]?.text).toContain('needle two')
})

it('puts the lines with most of the words first when no line has all of them', async () => {
  const { memory, ids } = memoryWith('red\nred green\nblue', 'green blue\nnothing')
  using _ = memory
  using lcm = await openLcm(memory.path)
  for (const limit of [1, 2, 50]) {
    const { hits, pages } = await allHits(lcm, { query: 'red green blue', sort: 'relevance', limit })
    expect(placesOf(hits)).toEqual([`${ids[1]}:1`, `${ids[0]}:2`, `${ids[0]}:1`, `${ids[0]}:3`])
    expect(hits.every(({ isPartial }) => isPartial)).toBe(true)
    expect(pages[0]?.notes.join()).toMatch(/No line has all the words/)
  }
})

it('says which contents could not be read, and searches the others', async () => {
  const { memory, ids, paths } = memoryWith('a needle', 'another needle')
  using _ = memory
  rmSync(paths[1] ?? '')
  using lcm = await openLcm(memory.path)
  const { hits, pages } = await allHits(lcm, { query: 'needle' })
  expect(placesOf(hits)).toEqual([`${ids[0]}:1`])
  expect(pages[0]?.notes.join()).toContain(`could not be read and were not searched: ${ids[1]}`)
})

it('never searches what lies outside of the allowed folders', async () => {
  const { memory, paths } = memoryWith('a needle')
  using _ = memory
  const outside = join(dirname(memory.path), 'outside.txt')
  writeFileSync(outside, 'a needle')
  rmSync(paths[0] ?? '')
  memory.db.run('UPDATE large_files SET storage_uri = :outside', { outside })
  using lcm = await openLcm(memory.path)
  expect((await allHits(lcm, { query: 'needle' })).hits).toEqual([])
})

it('ends a search of a large file when it is cancelled, and streams hits before the end', async () => {
  const line = 'every line has the word needle in it, which makes many hits\n'
  const { memory } = memoryWith(line.repeat(200_000))
  using _ = memory
  using lcm = await openLcm(memory.path)
  const stop = new AbortController()
  const input = GrepInput.parse({ query: 'needle', scope: 'files', limit: 5 })
  let hits = 0
  const read = async (): Promise<void> => {
    for await (const step of lcm.retrieval.grepStream(input, stop.signal)) {
      hits += step.hits.length
      if (hits === 5) stop.abort()
      expect(step.result).toBeNull()
    }
  }
  await expect(read()).rejects.toMatchObject({ code: 'cancelled' })
  expect(hits).toBe(5)
})
