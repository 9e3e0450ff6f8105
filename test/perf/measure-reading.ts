import { AssembleInput } from '../../core/contract/context.ts'
import { GrepInput, type GrepRequest } from '../../core/contract/retrieval.ts'
import { openLcm } from '../../core/lcm.ts'
import { Random } from '../builders/random.ts'
import { type Duration, repeat, type Timing, timed } from './statistics.ts'

export type ReadingMeasure = {
  readonly conversationsList: Timing
  /** The first time: the history is read. */
  readonly strataGetCold: Duration
  readonly strataGet: Timing
  readonly strataMessages: Timing
  readonly transcriptPage: Timing
  readonly assemble: Duration
  readonly search: Readonly<Record<string, Timing>>
}

const LONGEST = 1

/** Opens the file as a window does and asks what a window asks. */
export async function measureReading(path: string): Promise<ReadingMeasure> {
  const lcm = openLcm(path)
  const conversationsList = await repeat(9, () => lcm.stats.conversations())
  const strataGetCold = await timed(() => lcm.strata.get({ conversationId: LONGEST, axis: 'messages' }))
  const total = lcm.history.of(LONGEST).length
  const random = new Random(1)
  const axes = ['messages', 'tokens', 'time'] as const
  const strataGet = await repeat(15, (round) =>
    lcm.strata.get({ conversationId: LONGEST, axis: axes[round % 3] ?? 'time' }),
  )
  const strataMessages = await repeat(30, () => {
    const x0 = random.next() * total
    return lcm.strata.messages({
      conversationId: LONGEST,
      axis: 'messages',
      x0,
      x1: x0 + random.next() * (total - x0),
      buckets: 1200,
    })
  })
  const transcriptPage = await repeat(40, () =>
    lcm.transcript.page({ conversationId: LONGEST, offset: random.int(0, total), limit: 60, contentChars: 20_000 }),
  )
  const assemble = await timed(() => lcm.context.assemble(AssembleInput.parse({ conversationId: LONGEST })))
  const search: Record<string, Timing> = {}
  for (const [name, queries] of Object.entries(searches(random))) {
    search[name] = await repeat(queries.length, (round) => {
      const query = queries[round] ?? { query: '' }
      return lcm.retrieval.grep(GrepInput.parse(query))
    })
  }
  lcm.close()
  return {
    conversationsList,
    strataGetCold,
    strataGet,
    strataMessages,
    transcriptPage,
    assemble,
    search,
  }
}

const words = [
  'Refund',
  'webhook',
  'idempotent',
  'SQLITE_BUSY',
  'lock',
  'queue',
  'spike',
  'index',
  'Größe',
  'export',
  'the',
  'const',
]

function searches(random: Random): Record<string, GrepRequest[]> {
  const some = (count: number): string => Array.from({ length: count }, () => random.pick(words)).join(' ')
  const kinds = {
    words: [...words, ...Array.from({ length: 20 }, () => String(random.int(1000, 99_999)))],
    'two words': Array.from({ length: 15 }, () => some(2)),
    'five words': [...Array.from({ length: 10 }, () => some(5)), 'zebra quantum webhook refund lock'],
    prefixes: ['va*', 'val*', 'validate*', 'in*', 'webh*', 're*', 'idemp*'],
    'phrases, OR, NOT': ['"stale Snapshot"', 'flaky OR spike', 'lock NOT queue', 'нестабилен'],
  }
  const both = (queries: readonly string[], sort: 'newest' | 'relevance'): GrepRequest[] =>
    queries.flatMap((query) => [
      { query, sort, scope: 'messages' as const },
      { query, sort, scope: 'both' as const },
    ])
  return {
    ...Object.fromEntries(Object.entries(kinds).map(([kind, queries]) => [kind, both(queries, 'newest')])),
    'by relevance, all of these': both(Object.values(kinds).flat(), 'relevance'),
    'literal, CJK and code': ['二重に', '返回值', '.test.ts:7', 'Promise<void>', '🚀', 'ing the'].map((query) => ({
      query,
      mode: 'literal',
    })),
    'regular expression': ['Payment \\d{5} is (gone|locked)', 'at \\w+\\(\\)', 'ECONN\\w+: Lease'].map((query) => ({
      query,
      mode: 'regex',
    })),
  }
}

// A process of its own: nothing is warm.
if (import.meta.main) {
  const [path] = process.argv.slice(2)
  if (path === undefined) throw new Error('give the memory to read')
  console.log(JSON.stringify(await measureReading(path)))
}
