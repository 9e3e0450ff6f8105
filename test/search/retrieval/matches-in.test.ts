import { afterAll, describe, expect, it } from 'vitest'
import { GrepInput, type GrepRequest } from '#core/contract/retrieval.ts'
import { Grep } from '#core/search/grep.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory } from '#test/builders/memory.ts'

const TEXTS = [
  'they kept retrying the upload, and Retry was logged',
  'a retry helps when the upload is slow',
  'Попытка upload-9 failed: ECONNRESET (attempt 3/5)',
]

describe('the matches in a text', () => {
  const memory = buildMemory({ conversations: [{}] })
  memory.messages(1, TEXTS)
  afterAll(() => memory.close())
  const grep = new Grep(memory.db, NATIVE_CAPABILITIES, new MemoryReader(memory.db))
  const inText = async (request: GrepRequest, text: string): Promise<string[]> => {
    const { ranges } = await grep.matchesIn({ search: GrepInput.parse(request), text })
    return ranges.map(([from, to]) => text.slice(from, to))
  }

  it.each<GrepRequest>([
    { query: 'retry upload' },
    { query: 'retry', match: 'question' },
    { query: 'why did the upload fail?' },
    { query: 'upl*' },
    { query: 'RETRY', mode: 'literal' },
    { query: 'Retry', mode: 'literal', caseSensitive: true },
    { query: '\\d/\\d', mode: 'regex' },
    { query: '(?<=attempt )\\d', mode: 'regex' },
    { query: 'e[a-z]+t\\b', mode: 'regex', caseSensitive: true },
  ])('are those that the snippet of a hit marks: %o', async (request) => {
    const { hits } = await grep.search(GrepInput.parse(request))
    expect(hits.length).toBeGreaterThan(0)
    for (const { snippet, matches } of hits) {
      expect(await inText(request, snippet)).toEqual(matches.map(([from, to]) => snippet.slice(from, to)))
    }
  })

  it('are all of them in a text longer than any snippet, and none without a query', async () => {
    const long = `${'x '.repeat(5000)}retry ${'y '.repeat(5000)}retried`
    expect(await inText({ query: 'retry', match: 'question' }, long)).toEqual(['retry', 'retried'])
    expect(await inText({ query: '' }, long)).toEqual([])
  })

  it('are cut after 2,000, which is said', async () => {
    const search = GrepInput.parse({ query: 'a', mode: 'literal' })
    const cut = await grep.matchesIn({ search, text: 'a '.repeat(3000) })
    expect([cut.ranges.length, cut.isCut]).toEqual([2000, true])
  })
})
