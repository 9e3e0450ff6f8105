import { AssembleInput } from '#core/contract/context.ts'
import { ConversationsInput } from '#core/contract/memory.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
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

/** What is asked of this program and of SQLite alone in turn. */
export type ReadingBesideSqlite = Readonly<Record<'list' | 'describe' | 'assemble', readonly [Timing, Timing]>>

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
  /** A summary with what it was made from, what was made from it, and how much it stands for. */
  node: /* sql */ `
    SELECT s.*,
      (SELECT json_group_array(source_summary_id) FROM summary_sources WHERE summary_id = s.summary_id) AS sources,
      (SELECT json_group_array(summary_id) FROM summary_sources WHERE source_summary_id = s.summary_id) AS dependents,
      (SELECT json_group_array(message_id) FROM summary_messages WHERE summary_id = s.summary_id) AS messages,
      (SELECT count(*) FROM context_items WHERE summary_id = s.summary_id) AS places
    FROM summaries AS s WHERE s.summary_id = :id`,
  /** The items of a window, newest first. */
  window: /* sql */ `
    SELECT coalesce(m.token_count, s.token_count), coalesce(m.content, s.content), m.role, i.ordinal
    FROM context_items AS i
    LEFT JOIN messages AS m ON m.message_id = i.message_id
    LEFT JOIN summaries AS s ON s.summary_id = i.summary_id
    WHERE i.conversation_id = ${LONGEST} ORDER BY i.ordinal DESC`,
}

const BUDGET_TOKENS = 128_000
const PAGE = ConversationsInput.parse({ limit: 50 })

const listsInTurn = (lcm: Lcm): Promise<[Timing, Timing]> =>
  inTurn(
    Array.from({ length: 15 }, () => PAGE),
    () => lcm.read.all(queries.list),
    (input) => lcm.stats.page(input),
  )

/** Asks SQLite for what a call reads, and then the call, in turn. The first of both is left out: it makes what is kept. */
export async function readBesideSqlite(lcm: Lcm): Promise<ReadingBesideSqlite> {
  const nodes = lcm.read.column<string>(queries.nodes)
  const random = new Random(2)
  const budget = AssembleInput.parse({ conversationId: LONGEST, budgetTokens: BUDGET_TOKENS })
  await Promise.all([lcm.stats.page(PAGE), lcm.retrieval.describe(random.pick(nodes), 20_000)])
  await lcm.context.assemble(budget)
  return {
    list: await listsInTurn(lcm),
    describe: await inTurn(
      Array.from({ length: 60 }, () => random.pick(nodes)),
      (id) => lcm.read.all(queries.node, { id }),
      (id) => lcm.retrieval.describe(id, 20_000),
    ),
    assemble: await inTurn(
      Array.from({ length: 30 }, () => budget),
      () => {
        let left = BUDGET_TOKENS
        const taken: unknown[] = []
        for (const row of lcm.read.iterateRows<readonly [number, string, string | null, number]>(queries.window)) {
          left -= row[0]
          if (left < 0) break
          taken.push(row)
        }
        return taken
      },
      (input) => lcm.context.assemble(input),
    ),
  }
}

/** Opens the file as a window does and asks what a window asks. */
export async function measureReading(path: string): Promise<ReadingMeasure> {
  const lcm = await openLcm(path)
  const conversationsList = await repeat(9, () => lcm.stats.conversations())
  const [listAlone, listPage] = await listsInTurn(lcm)
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
  const input = AssembleInput.parse({ conversationId: LONGEST, budgetTokens: BUDGET_TOKENS })
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
