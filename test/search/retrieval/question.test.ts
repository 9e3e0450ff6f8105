import { afterAll, describe, expect, it } from 'vitest'
import { GrepInput, type GrepRequest, GrepResult } from '#core/contract/retrieval.ts'
import { Grep } from '#core/search/grep.ts'
import { askedWords, tellingWords } from '#core/search/planning/question-words.ts'
import { termsOfProse } from '#core/search/query/query.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { NATIVE_CAPABILITIES } from '#core/systems/opening/open.ts'
import { MemoryReader } from '#core/systems/reading/memory-reader.ts'
import { buildMemory, type TestMemory } from '#test/builders/memory.ts'
import { Random } from '#test/builders/random.ts'

const NO_INDEX = { ...NATIVE_CAPABILITIES, fullTextIndex: false }

/** Searches by the indexes of the file, and by reading every text. */
function searches(memory: TestMemory) {
  return [NATIVE_CAPABILITIES, NO_INDEX].map((capabilities) => {
    const grep = new Grep(memory.db, capabilities, new MemoryReader(memory.db))
    return async (request: GrepRequest) =>
      GrepResult.parse(await grep.search(GrepInput.parse({ exactTotal: true, ...request })))
  })
}
const idsOf = ({ hits }: GrepResult): string[] => hits.map(({ id }) => id)
const filler = Array.from({ length: 30 }, (_, i) => `note ${i} of the day`)

describe('a question', () => {
  const memory = buildMemory({ conversations: [{}, {}] })
  memory.messages(1, [
    'they kept retrying the upload',
    'a retry helps when the network is slow',
    'the upload retries ended',
    ...filler,
  ])
  afterAll(() => memory.close())

  it('finds every form of a word, by index and by scan, and marks what was found', async () => {
    for (const search of searches(memory)) {
      const result = await search({ query: 'retry', match: 'question' })
      expect(idsOf(result).sort()).toEqual(['msg_1', 'msg_2', 'msg_3'])
      expect(result.sort).toBe('relevance')
      const marked = result.hits.map(({ snippet, matches }) => matches.map(([from, to]) => snippet.slice(from, to)))
      expect(marked.flat().sort()).toEqual(['retries', 'retry', 'retrying'])
    }
  })

  it('is not made of a word without other forms that stands nowhere: the index is asked for it once', async () => {
    let asked = 0
    const db: ReadDb = {
      ...memory.db,
      value: (sql, params) => {
        if (sql.includes('MATCH')) asked += 1
        return memory.db.value(sql, params)
      },
    }
    const grep = new Grep(db, NATIVE_CAPABILITIES, new MemoryReader(db))
    const { total, sort } = await grep.search(GrepInput.parse({ query: '4711', scope: 'messages' }))
    expect([total, sort, asked]).toEqual([0, 'newest', 1])
  })

  it('is made of a word that stands only where filters exclude it', async () => {
    for (const search of searches(memory))
      expect(await search({ query: '17', conversationIds: [2] })).toMatchObject({ total: 0, sort: 'relevance' })
  })

  it('gives what has all the words first, and names the words of what has some', async () => {
    for (const search of searches(memory)) {
      const { hits } = await search({ query: 'uploads that retry', match: 'question' })
      expect(hits.slice(0, 2).map(({ isPartial }) => isPartial)).toEqual([true, true])
      expect(new Set(hits.slice(0, 2).map(({ id }) => id))).toEqual(new Set(['msg_1', 'msg_3']))
      expect(hits[2]).toMatchObject({ id: 'msg_2', isPartial: true, words: ['retry'] })
    }
  })

  it('is recognised by three words or a question mark, unless an order of time is asked for', async () => {
    const asks = async (request: GrepRequest): Promise<(readonly [string, boolean])[]> =>
      Promise.all(
        searches(memory).map(async (search) => {
          const { sort, notes } = await search(request)
          return [sort, notes.some((note) => note.startsWith('Taken as a question'))] as const
        }),
      )
    const yes = ['relevance', true]
    const no = (sort: string) => [sort, false]
    expect(await asks({ query: 'slow network retry' })).toEqual([yes, yes])
    expect(await asks({ query: 'retries?' })).toEqual([yes, yes])
    expect(await asks({ query: 'retry' })).toEqual([no('newest'), no('newest')])
    expect(await asks({ query: 'retry network', limit: 1 })).toEqual([no('newest'), no('newest')])
    expect(await asks({ query: 'retry network' })).toEqual([yes, yes])
    expect(await asks({ query: 'a retry helps', sort: 'oldest' })).toEqual([no('oldest'), no('oldest')])
    expect(await asks({ query: '"slow network" OR retry helps' })).toEqual([no('newest'), no('newest')])
  })
})

it('is lifted by its neighbours in the conversation', async () => {
  using memory = buildMemory({ conversations: [{}, {}] })
  memory.messages(1, ['the pump is loud', ...filler])
  memory.messages(2, [...filler, 'which valve?', 'the pump is loud', 'a valve, a valve'])
  for (const search of searches(memory)) {
    const { hits } = await search({ query: 'pump?', explain: true })
    expect(hits.map(({ ranking }) => ranking?.neighbours)).toEqual([0, 0])
    const both = await search({ query: 'pump valve', match: 'question', explain: true })
    const [near] = both.hits.filter(({ ranking }) => (ranking?.neighbours ?? 0) > 0 && ranking?.hasAll === false)
    expect(near).toBeDefined()
    const pumps = both.hits.filter(({ snippet }) => snippet === 'the pump is loud')
    expect(pumps.map(({ conversationId }) => conversationId)).toEqual([2, 1])
  }
})

it('is lifted by a summary that covers it', async () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, ['the pump is loud', 'nothing', 'nothing', ...filler, 'the pump is loud'])
  memory.leaf(1, [1, 2, 3], { content: 'The pump was replaced because a gasket leaked.' })
  const [search] = searches(memory)
  const result = await search?.({ query: 'pump gasket', match: 'question', scope: 'messages', explain: true })
  expect(result?.hits.map(({ id, ranking }) => [id, (ranking?.summary ?? 0) > 0])).toEqual([
    ['msg_1', true],
    ['msg_34', false],
  ])
})

it('leaves out words that stand nearly everywhere and names them', async () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, [...Array.from({ length: 900 }, (_, i) => `the entry ${i}`), 'a zebra crosses'])
  for (const search of searches(memory)) {
    const result = await search({ query: 'did the zebra cross' })
    expect(idsOf(result)).toEqual(['msg_901'])
    expect(result.total).toBe(1)
  }
})

it('finds what somebody said before what was said to her, and her name also in the genitive', async () => {
  using memory = buildMemory({ conversations: [{}] })
  memory.messages(1, [
    ...filler,
    'Anna: the port was changed',
    'Anna: good morning',
    'Anna: see you',
    ...filler,
    'Ben: Anna port the port to port',
    ...filler,
  ])
  for (const search of searches(memory)) {
    for (const query of ['which port did Anna name?', "what is Anna's port?"]) {
      expect(idsOf(await search({ query })).slice(0, 2), query).toEqual(['msg_31', 'msg_64'])
    }
  }
})

it('has the same hits in the same order by index and by scan, over all pages', async () => {
  using memory = buildMemory({ conversations: [{}, {}] })
  const random = new Random(5)
  const words = [
    'lock',
    'locks',
    'locked',
    'queue',
    'queues',
    'retry',
    'retries',
    'C++',
    '部署',
    'moon',
    'sun',
    '数据库锁了',
  ]
  for (const conversation of [1, 2]) {
    memory.messages(
      conversation,
      Array.from({ length: 150 }, () => ({
        content: `${random.pick(['Anna: ', 'Ben: ', '', ''])}${Array.from({ length: random.int(1, 9) }, () => random.pick(words)).join(' ')}`,
        role: random.pick(['user', 'assistant', 'tool'] as const),
      })),
    )
  }
  const [indexed, scanning] = searches(memory)
  if (!indexed || !scanning) throw new Error('there are two searches')
  const queries = [
    'locked queue',
    'retry the lock in the queue',
    'C++ retries',
    'moon 部署',
    '锁了数据库moon',
    '库锁怎么锁了 sun',
  ]
  for (const query of [...queries, 'which locks did Anna retry?', "Ben's queue"]) {
    const all = await scanning({ query, match: 'question', limit: 1000 })
    expect(all.hits.length).toBeGreaterThan(20)
    const seen: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await indexed({ query, match: 'question', limit: 17, cursor })
      expect(page.total).toBe(all.total)
      seen.push(...idsOf(page))
      if (page.nextCursor === null) break
      cursor = page.nextCursor
    }
    expect([query, seen]).toEqual([query, idsOf(all)])
  }
})

it('leaves common words out where nobody asked a question, and seldom where somebody did', () => {
  const [fault, lock, zebra] = askedWords(termsOfProse('fault lock zebra'))
  if (!fault || !lock || !zebra) throw new Error('there are three words')
  const words = [
    { word: fault, rows: 30_000 },
    { word: lock, rows: 5 },
    { word: zebra, rows: 0 },
  ]
  const rowsOf = (of: typeof words, isAsked: boolean) => tellingWords(of, 200_000, isAsked).map(({ rows }) => rows)
  expect(rowsOf(words, false)).toEqual([5])
  expect(rowsOf(words, true)).toEqual([5, 30_000])
  expect(rowsOf([{ word: fault, rows: 50_000 }], false)).toEqual([50_000])
})

it('leaves out what makes a sentence of a question, unless there is nothing else', () => {
  const told = (text: string): string[] => {
    const words = askedWords(termsOfProse(text)).map((word) => ({ word, rows: 1 }))
    return tellingWords(words, 100, true).map(({ word }) => word.text)
  }
  expect(told('why did the lease expire when we deployed')).toEqual(['lease', 'expire', 'deployed'])
  expect(told("it doesn't start and we'll wait")).toEqual(['start', 'wait'])
  expect(told('who are you')).toEqual(['who', 'are', 'you'])
})

describe('a question in Chinese or Japanese', () => {
  const memory = buildMemory({ conversations: [{}] })
  memory.messages(1, [
    ...filler,
    '我们决定把数据库换成PostgreSQL，因为锁太多。',
    '今天的会议改到下午三点。',
    ...filler,
    'データベースのロックが原因で、バッチ処理が止まりました。',
    '新しいロゴの色は青にします。',
    ...filler,
    '部署失败的原因是证书过期',
  ])
  afterAll(() => memory.close())
  const [DATABASE, MEETING, LOCK, LOGO, CERTIFICATE] = [31, 32, 63, 64, 95].map((row) => `msg_${row}`)

  it.each([
    ['为什么要更换数据库？', DATABASE],
    ['会议是什么时候开的', MEETING],
    ['バッチ処理はなぜ止まったのですか？', LOCK],
    ['ロゴは何色ですか', LOGO],
    ['证书什么时候过期的', CERTIFICATE],
    ['为什么选PostgreSQL而不是别的数据库', DATABASE],
  ])('is answered by what has parts of it, by index and by scan: %s', async (query, id) => {
    const [indexed, scanned] = await Promise.all(
      searches(memory).map((search) => search({ query, match: 'question', limit: 5 })),
    )
    expect(indexed?.hits[0]?.id).toBe(id)
    expect(scanned?.hits[0]?.id).toBe(id)
    expect(indexed?.notes.some((note) => note.startsWith('Every text was read'))).toBe(false)
    expect(indexed?.hits[0]?.matches.length).toBeGreaterThan(0)
  })

  it('is taken for one when it ends in a question mark of its script, or stands nowhere as a whole', async () => {
    for (const search of searches(memory)) {
      expect(idsOf(await search({ query: '为什么要更换数据库？' }))[0]).toBe(DATABASE)
      expect(idsOf(await search({ query: '证书怎么过期' }))[0]).toBe(CERTIFICATE)
      // What stands somewhere as it was typed is no question.
      expect(await search({ query: '证书过期' })).toMatchObject({ hits: [{ id: CERTIFICATE }], sort: 'newest' })
    }
  })
})
