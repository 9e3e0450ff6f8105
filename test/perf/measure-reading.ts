import { AssembleInput } from '#core/contract/context.ts'
import { ConversationsInput } from '#core/contract/memory.ts'
import { openLcm } from '#core/lcm.ts'
import { Random } from '../builders/random.ts'
import { type Duration, inTurn, repeat, type Timing, timed } from './statistics.ts'

export type ReadingMeasure = {
  readonly conversationsList: Timing
  /** A page of them, and what SQLite alone takes to count messages, tokens and summaries of the same; in turn. */
  readonly listPage: Timing
  readonly listAlone: Timing
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
  list: /* sql */ `
    SELECT c.*, m.messages, m.tokens, s.summaries, s.depth, i.items
    FROM conversations AS c
    LEFT JOIN (SELECT conversation_id, count(*) AS messages, total(token_count) AS tokens FROM messages GROUP BY 1) AS m
      USING (conversation_id)
    LEFT JOIN (SELECT conversation_id, count(*) AS summaries, max(depth) AS depth FROM summaries GROUP BY 1) AS s
      USING (conversation_id)
    LEFT JOIN (SELECT conversation_id, count(*) AS items FROM context_items GROUP BY 1) AS i USING (conversation_id)
    ORDER BY c.updated_at DESC
    LIMIT 50`,
  nodes: /* sql */ `SELECT summary_id FROM summaries ORDER BY depth DESC, summary_id`,
}

/** Opens the file as a window does and asks what a window asks. */
export async function measureReading(path: string): Promise<ReadingMeasure> {
  const lcm = await openLcm(path)
  const conversationsList = await repeat(9, () => lcm.stats.conversations())
  const page = ConversationsInput.parse({ limit: 50 })
  const [listAlone, listPage] = await inTurn(
    Array.from({ length: 15 }, () => page),
    () => lcm.read.all(queries.list),
    (input) => lcm.stats.page(input),
  )
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
    listPage,
    listAlone,
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
