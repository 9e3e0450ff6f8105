import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { ExpandInput, GrepInput, type GrepRequest } from '#core/contract/retrieval.ts'
import { keepHeapSmall, THREAD_LIMITS } from '#core/doors/heap.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { Random } from '../builders/random.ts'
import { inTurn, megabytes, repeat, type Timing, timed } from './statistics.ts'

type SearchTimings = { readonly rareWords: Timing; readonly commonWords: Timing; readonly scans: Timing }

export type SearchMeasure = {
  /** The first search after the file was opened. */
  readonly coldMs: number
  readonly kinds: Readonly<Record<string, Timing>>
  /** Of patterns that no index narrows down: until all texts were read, and until the first hits came. */
  readonly scans: Timing
  readonly firstHits: Timing
  /** What SQLite alone takes for the same, asked in turn: words in messages, and patterns over every text. */
  readonly alone: SearchTimings
  readonly besideAlone: SearchTimings
  /** Everything that the topmost summaries cover, up to 40,000 tokens. The tree is known, as in a window. */
  readonly expand: Timing
  readonly textMegabytes: number
  readonly indexMegabytes: number
  readonly residentMegabytes: number
}

const queries = {
  text: `
    SELECT (SELECT sum(octet_length(content)) FROM messages) + (SELECT sum(octet_length(content)) FROM summaries)
      + (SELECT sum(coalesce(octet_length(text_content), 0) + coalesce(octet_length(tool_input), 0)
        + coalesce(octet_length(tool_output), 0)) FROM message_parts)`,
  index: `
    SELECT sum(octet_length(block)) FROM (
      SELECT block FROM messages_fts_data UNION ALL SELECT block FROM messages_trigram_data
      UNION ALL SELECT block FROM summaries_fts_data UNION ALL SELECT block FROM summaries_trigram_data)`,
  /** A page of rows with the marks of FTS5 itself. */
  rowsOfWord: `
    SELECT rowid, snippet(messages_fts, -1, '[', ']', '…', 24) FROM messages_fts
    WHERE messages_fts MATCH :query ORDER BY rowid DESC LIMIT 50`,
  everyText: `
    SELECT content FROM messages UNION ALL SELECT content FROM summaries
    UNION ALL SELECT tool_input FROM message_parts UNION ALL SELECT tool_output FROM message_parts
    UNION ALL SELECT text_content FROM message_parts WHERE part_type = 'reasoning'`,
  /** One message in so many. */
  some: `SELECT content FROM messages WHERE message_id % :each = 0 ORDER BY message_id`,
  last: `SELECT max(message_id) FROM messages`,
  topmost: `
    SELECT summary_id FROM summaries WHERE depth > 0 ORDER BY depth DESC, summary_id LIMIT 20`,
}

const LONGEST = 1
/** So many rare words are searched for beside SQLite; so many messages are looked at for each. */
const RARE = 300
/** So often each common word is asked for. */
const TIMES = 20
const LOOKED_AT = 3

/** Asks what people and programs ask, in the order in which a window would. */
export async function measureSearch(path: string): Promise<SearchMeasure> {
  const lcm = await openLcm(path)
  const cold = await timed(() => grep(lcm, { query: 'zebra' }))
  const kinds: Record<string, Timing> = {}
  for (const [name, requests] of Object.entries(searches(new Random(1)))) {
    kinds[name] = await repeat(requests.length, (round) => grep(lcm, requests[round] ?? { query: '' }))
  }
  const scans = await repeat(endless.length, (round) => stream(lcm, endless[round] ?? '', Number.POSITIVE_INFINITY))
  const firstHits = await repeat(frequent.length, (round) => stream(lcm, frequent[round] ?? '', 1))
  const { besideAlone, alone } = await searchBesideSqlite(lcm)
  const topmost = lcm.read.column<string>(queries.topmost)
  lcm.dag.tree(LONGEST)
  const expand = await repeat(topmost.length, (round) =>
    lcm.retrieval.expand(
      ExpandInput.parse({ summaryId: topmost[round], depth: 1000, includeMessages: true, tokenCap: 40_000 }),
    ),
  )
  const textMegabytes = megabytes(lcm.read.value<number>(queries.text) ?? 0)
  const indexMegabytes = megabytes(lcm.read.value<number>(queries.index) ?? 0)
  lcm.close()
  const residentMegabytes = megabytes(process.memoryUsage.rss())
  return {
    ...{ coldMs: cold.wallMs, kinds, scans, firstHits, alone, besideAlone, expand },
    ...{ textMegabytes, indexMegabytes, residentMegabytes },
  }
}

/** Asks for the same words and patterns, SQLite and the search in turn, each first every other time. */
export async function searchBesideSqlite(lcm: Lcm): Promise<Pick<SearchMeasure, 'alone' | 'besideAlone'>> {
  const inMessages = (words: readonly string[]): Promise<[Timing, Timing]> =>
    inTurn(
      words,
      (query) => lcm.read.rows(queries.rowsOfWord, { query }),
      (query) => grep(lcm, { query, scope: 'messages', sort: 'newest' }),
    )
  const [rareAlone, rareBeside] = await inMessages(rareWordsOf(lcm))
  const [commonAlone, commonBeside] = await inMessages(Array.from({ length: TIMES }, () => common).flat())
  const [scansAlone, scansBeside] = await inTurn(
    endless,
    (pattern) => {
      const [, flag = '', text = ''] = /^(?:\(\?(i)\))?(.*)$/u.exec(pattern) ?? []
      const expression = new RegExp(text, `u${flag}`)
      let hits = 0
      for (const said of lcm.read.column<string | null>(queries.everyText))
        if (said !== null && expression.test(said)) hits += 1
      return hits
    },
    (pattern) => stream(lcm, pattern, Number.POSITIVE_INFINITY),
  )
  return {
    alone: { rareWords: rareAlone, commonWords: commonAlone, scans: scansAlone },
    besideAlone: { rareWords: rareBeside, commonWords: commonBeside, scans: scansBeside },
  }
}

/** Numbers of four or five digits from messages all over the file: few others say the same number. */
function rareWordsOf(lcm: Lcm): string[] {
  const each = Math.max(1, Math.floor((lcm.read.value<number>(queries.last) ?? 0) / (RARE * LOOKED_AT)))
  const found = lcm.read.column<string>(queries.some, { each }).flatMap((text) => /\b\d{4,5}\b/.exec(text) ?? [])
  return [...new Set(found)].slice(0, RARE)
}

const grep = (lcm: Lcm, request: GrepRequest): Promise<unknown> => lcm.retrieval.grep(GrepInput.parse(request))

/** Until so many hits have come, or the search ends. */
async function stream(lcm: Lcm, query: string, hits: number): Promise<void> {
  let seen = 0
  for await (const step of lcm.retrieval.grepStream(GrepInput.parse({ query, mode: 'regex' }))) {
    seen += step.hits.length
    if (seen >= hits) return
  }
}

/** Stand in a quarter to half of the texts of the file, or in few. */
const common = 'Refund webhook idempotent lock queue spike index export the const'.split(' ')
const typed = ['SQLITE_BUSY', 'src/billing', 'Größe', '二重に', 'Promise<void>', '.test.ts:7', '返回值']

/** No index narrows these down, and nothing or little matches. */
const endless = ['[a-z]+[0-9]{7}', '^\\s+$', '\\b\\w{25}\\b', '(?i)[xq]{3}', '[αβγ]{2}']
const frequent = ['\\d{5}', '[一-龥]{4}', '\\w+\\(\\)', '[A-Z]{3,}', '\\s\\S{12}\\s']

function searches(random: Random): Record<string, GrepRequest[]> {
  const some = (count: number, of: readonly string[] = common): string =>
    Array.from({ length: count }, () => random.pick(of)).join(' ')
  const times = (count: number, make: () => string): string[] => Array.from({ length: count }, make)
  const fullText = {
    'common words': common,
    'rare words': times(30, () => String(random.int(1000, 99_999))),
    'two words': times(15, () => some(2)),
    'five words': [...times(12, () => some(5)), 'zebra quantum webhook refund lock'],
    'as it is typed': [...typed, ...times(12, () => `${some(1)} ${some(1, typed)}`)],
    prefixes: ['va*', 'val*', 'validate*', 'in*', 'webh*', 're*', 'idemp*'],
    'phrases, OR, NOT': ['"stale Snapshot"', 'flaky OR spike', 'lock NOT queue', 'нестабилен', 'the OR const'],
  }
  const questions = [
    'why did the refund webhook fail with a stale lease?',
    'which lock was held while the queue drained?',
    'was the spike caused by retries or by the export?',
    'how do we make the payment idempotent?',
    'what happened to the index of the ledger after the deploy?',
    ...times(10, () => `why ${some(5)}?`),
  ]
  const both = (queries: readonly string[], sort: GrepRequest['sort']): GrepRequest[] =>
    queries.flatMap((query) => [
      { query, sort, scope: 'messages' as const },
      { query, sort, scope: 'both' as const },
    ])
  const literal = [
    '二重に',
    '返回值',
    '.test.ts:7',
    'Promise<void>',
    'ing the',
    'const ',
    'C++',
    'SQLITE_BUSY',
    'at vali',
  ]
  const patterns = [
    'Payment \\d{5} is (gone|locked)',
    'at \\w+\\(\\)',
    'ECONN\\w+: Lease',
    '(TypeError|RangeError): \\w+ \\d+ is gone',
    '(?i)payment \\d{5}',
    'src/(billing|ledger)/\\w+-lease',
    '[A-Z]{3}_BUSY',
    'retr(y|ies) multiply',
    '(?<=stale )Snapshot',
  ]
  return {
    ...Object.fromEntries(Object.entries(fullText).map(([kind, list]) => [kind, both(list, 'newest')])),
    'all of these': both(Object.values(fullText).flat(), 'newest'),
    'all of these, by relevance': both(Object.values(fullText).flat(), 'relevance'),
    questions: both(questions, undefined),
    characters: literal.map((query) => ({ query, mode: 'literal' })),
    'one or two characters': ['🚀', '重', '返回', 'ts', '()'].map((query) => ({ query, mode: 'literal' })),
    'regular expressions with a literal': patterns.map((query) => ({ query, mode: 'regex' })),
  }
}

// A process of its own: nothing is warm. A thread of its own, with the bounds that the core's threads have in both hosts.
if (!isMainThread) {
  keepHeapSmall()
  parentPort?.postMessage(await measureSearch(workerData as string))
} else if (import.meta.main) {
  const [path] = process.argv.slice(2)
  if (path === undefined) throw new Error('give the memory to search')
  const thread = new Worker(new URL(import.meta.url), { workerData: path, resourceLimits: THREAD_LIMITS })
  thread.on('message', (measured: SearchMeasure) => console.log(JSON.stringify(measured)))
}
