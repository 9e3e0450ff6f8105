import { AssembleInput } from '#core/contract/context.ts'
import { openLcm } from '#core/lcm.ts'
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
  readonly assembleAgain: Timing
  /** Of summaries of every depth. */
  readonly describe: Timing
}

const LONGEST = 1

const queries = {
  nodes: /* sql */ `SELECT summary_id FROM summaries ORDER BY depth DESC, summary_id`,
}

/** Opens the file as a window does and asks what a window asks. */
export async function measureReading(path: string): Promise<ReadingMeasure> {
  const lcm = await openLcm(path)
  const conversationsList = await repeat(9, () => lcm.stats.conversations())
  const strataGetCold = await timed(() => lcm.strata.get({ conversationId: LONGEST, axis: 'messages' }))
  const total = lcm.reader.of(LONGEST).length
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
  const input = AssembleInput.parse({ conversationId: LONGEST, budgetTokens: 128_000 })
  const assemble = await timed(() => lcm.context.assemble(input))
  const assembleAgain = await repeat(15, () => lcm.context.assemble(input))
  const nodes = lcm.read.column<string>(queries.nodes)
  const describe = await repeat(40, () => lcm.retrieval.describe(random.pick(nodes), 20_000))
  lcm.close()
  return {
    conversationsList,
    strataGetCold,
    strataGet,
    strataMessages,
    transcriptPage,
    assemble,
    assembleAgain,
    describe,
  }
}

// A process of its own: nothing is warm.
if (import.meta.main) {
  const [path] = process.argv.slice(2)
  if (path === undefined) throw new Error('give the memory to read')
  console.log(JSON.stringify(await measureReading(path)))
}
