import { AssembleInput } from '../../core/contract/context.ts'
import { GrepInput, type GrepRequest } from '../../core/contract/retrieval.ts'
import { openLcm } from '../../core/lcm.ts'
import { Random } from '../builders/random.ts'
import { megabytes, type Timing, timed, timingOf } from './statistics.ts'

export type ReadingMeasure = {
  /** Open, info, list of conversations, strata: what a window needs before it can be used. */
  readonly openToUsableMs: number
  /** The same from the start of the process, loading of code included. */
  readonly startToUsableMs: number
  readonly strataGet: Timing
  readonly strataMessages: Timing
  readonly transcriptPage: Timing
  readonly assembleMs: number
  readonly search: Readonly<Record<string, Timing>>
  readonly rssMegabytes: number
}

const LONGEST = 1

/** Opens the file as a window does and asks what a window asks. */
export async function measureReading(path: string): Promise<ReadingMeasure> {
  const startedMs = performance.now()
  const lcm = openLcm(path)
  lcm.stats.conversations()
  const whole = lcm.strata.get({ conversationId: LONGEST, axis: 'messages' })
  const usableMs = performance.now()
  const total = whole.totalMessages
  const random = new Random(1)
  const repeat = async (times: number, action: (round: number) => unknown): Promise<Timing> => {
    const runs: number[] = []
    for (let round = 0; round < times; round += 1) runs.push(await timed(() => action(round)))
    return timingOf(runs)
  }
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
  const assembleMs = await timed(() => lcm.context.assemble(AssembleInput.parse({ conversationId: LONGEST })))
  const search: Record<string, Timing> = {}
  for (const [name, queries] of Object.entries(searches(random))) {
    search[name] = await repeat(queries.length, (round) => {
      const query = queries[round] ?? { query: '' }
      return lcm.retrieval.grep(GrepInput.parse(query))
    })
  }
  const rssMegabytes = megabytes(process.memoryUsage().rss)
  lcm.close()
  return {
    openToUsableMs: usableMs - startedMs,
    startToUsableMs: usableMs,
    strataGet,
    strataMessages,
    transcriptPage,
    assembleMs,
    search,
    rssMegabytes,
  }
}

const words = ['Refund', 'webhook', 'idempotent', 'SQLITE_BUSY', 'lock', 'queue', 'spike', 'index', 'Größe', 'export']

function searches(random: Random): Record<string, GrepRequest[]> {
  const numbers = Array.from({ length: 20 }, () => String(random.int(1000, 99_999)))
  const pairs = words.map((word) => `${word} ${random.pick(words)}`)
  const fullText = [...words, ...numbers, ...pairs, '"stale Snapshot"', 'validate*', 'flaky OR spike', 'нестабилен']
  return {
    'full text, newest': fullText.map((query) => ({ query })),
    'full text, relevance': fullText.map((query) => ({ query, sort: 'relevance' })),
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

// A process of its own: nothing is warm, and its memory is the core's.
if (import.meta.main) {
  const [path] = process.argv.slice(2)
  if (path === undefined) throw new Error('give the memory to read')
  console.log(JSON.stringify(await measureReading(path)))
}
