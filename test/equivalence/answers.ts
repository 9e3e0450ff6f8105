import { CompactInput } from '#core/contract/compaction.ts'
import { GrepInput, type GrepRequest } from '#core/contract/retrieval.ts'
import type { Lcm } from '#core/lcm.ts'
import { checkMemory } from '#test/builders/check-memory.ts'

/** An answer by its question. */
export type Answers = ReadonlyMap<string, unknown>

/** A check that found something. Whether that is a fault may depend on the system. */
export type Fired = { readonly id: string; readonly count: number; readonly isFault: boolean }

/** The question whose answer is which checks fired. */
export const FIRED = 'integrity'

const QUERIES: readonly GrepRequest[] = [
  { query: 'lease' },
  { query: 'lease cursor', match: 'all' },
  { query: 'lease cursor', match: 'any', sort: 'oldest' },
  { query: '"summary of depth"' },
  { query: 'led*', scope: 'messages' },
  { query: 'violet -copper', roles: ['user', 'assistant'] },
  { query: 'エラー処理' },
  { query: 'größe OR naive' },
  { query: 'naïve café', mode: 'literal' },
  { query: '%b_c \'quoted"', mode: 'literal' },
  { query: '<tag> &', mode: 'literal', sort: 'oldest' },
  { query: '\\blea\\w+', mode: 'regex' },
  { query: '\\[\\d+\\] v', mode: 'regex', sort: 'oldest' },
  { query: 'retry', inContext: true },
  { query: 'retry', inContext: false },
  { query: 'webhook', scope: 'summaries', depths: [0] },
  { query: 'harbour', scope: 'files' },
  { query: 'payload', limit: 2 },
]

/** Asks every service that reads for all that it has of a memory. */
export async function askAll(lcm: Lcm): Promise<Answers> {
  const answers = new Map<string, unknown>()
  const ask = <T>(question: string, answer: () => T): T => {
    const given = answer()
    answers.set(question, given)
    return given
  }
  ask('stats', () => lcm.stats.stats())
  const conversations = ask('conversations', () => lcm.stats.conversations())
  for (const { conversationId } of conversations) askConversation(lcm, conversationId, ask)
  const ids = [
    ...lcm.read.column<number>('SELECT message_id FROM messages ORDER BY 1').map((id) => `msg_${id}`),
    ...lcm.read.column<string>('SELECT summary_id FROM summaries ORDER BY 1'),
    ...lcm.read.column<string>('SELECT file_id FROM large_files ORDER BY 1'),
  ]
  for (const id of ids) askNode(lcm, id, ask)
  for (const input of QUERIES) {
    answers.set(
      `grep ${JSON.stringify(input)}`,
      await lcm.retrieval.grep(GrepInput.parse({ exactTotal: true, ...input })),
    )
  }
  const report = await checkMemory(lcm)
  answers.set(
    FIRED,
    report.checks
      .filter((check) => check.count > 0 && OF_THE_FORM[check.id] === undefined)
      .map(({ id, count, severity }) => ({ id, count, isFault: severity !== 'info' })),
  )
  return answers
}

type Ask = <T>(question: string, answer: () => T) => T

function askConversation(lcm: Lcm, conversationId: number, ask: Ask): void {
  const of = `of ${conversationId}`
  ask(`overview ${of}`, () => lcm.stats.overview(conversationId))
  ask(`files ${of}`, () => lcm.retrieval.files(conversationId))
  const page = ask(`transcript ${of}`, () =>
    lcm.transcript.page({ conversationId, offset: 0, limit: 500, contentChars: 20_000 }),
  )
  ask(`second page ${of}`, () => lcm.transcript.page({ conversationId, offset: 3, limit: 5, contentChars: 5 }))
  const middle = page.messages[page.messages.length >> 1]
  ask(`position at ${of}`, () => lcm.transcript.positionAt({ conversationId, atMs: middle?.createdAtMs ?? 0 }))
  for (const axis of ['messages', 'tokens', 'time'] as const) {
    const { extent } = ask(`strata by ${axis} ${of}`, () => lcm.strata.get({ conversationId, axis }))
    ask(`messages by ${axis} ${of}`, () =>
      lcm.strata.messages({ conversationId, axis, x0: 0, x1: extent, buckets: 17 }),
    )
  }
  ask(`tree ${of}`, () => lcm.dag.tree(conversationId))
  ask(`graph ${of}`, () => lcm.dag.graph(conversationId))
  ask(`first level ${of}`, () => lcm.dag.treeLevel({ conversationId, of: null, offset: 0, limit: 200 }))
  ask(`window ${of}`, () => lcm.context.assemble({ conversationId }))
  ask(`small window ${of}`, () => lcm.context.assemble({ conversationId, budgetTokens: 200, freshTailCount: 2 }))
  ask(`window for a question ${of}`, () =>
    lcm.context.assemble({ conversationId, budgetTokens: 300, freshTailCount: 1, query: 'ledger webhook' }),
  )
  for (const provider of ['anthropic', 'openai'] as const) {
    ask(`${provider} ${of}`, () => lcm.context.render({ conversationId }, provider))
  }
  const { events, messages } = ask(`timeline ${of}`, () => lcm.timeTravel.timeline(conversationId))
  ask(`compactions ${of}`, () => lcm.timeTravel.compactions({ conversationId, from: 0, to: messages }))
  for (const { eventId } of events) {
    ask(`window at event ${eventId} ${of}`, () => lcm.timeTravel.contextAt({ conversationId, moment: { eventId } }))
  }
  const moment = { messageId: middle?.id ?? '' }
  if (middle) {
    ask(`window in the middle ${of}`, () => lcm.timeTravel.contextAt({ conversationId, moment }))
    ask(`difference ${of}`, () => lcm.timeTravel.difference({ conversationId, from: moment, to: { now: true } }))
  }
  const request = CompactInput.parse({ conversationId })
  ask(`evaluation ${of}`, () => lcm.planner.evaluate(request))
  ask(`plan ${of}`, () => lcm.planner.plan(request))
  ask(`what if ${of}`, () => lcm.whatIf.ask(request))
  ask(`runs ${of}`, () => lcm.compactions.runs({ conversationId, created: 'listed' }))
}

function askNode(lcm: Lcm, id: string, ask: Ask): void {
  const { kind, conversationId } = ask(`describe ${id}`, () => lcm.retrieval.describe(id, 60))
  ask(`locate ${id}`, () => lcm.transcript.locate(id))
  ask(`lineage of ${id}`, () => lcm.dag.lineage(id))
  ask(`around ${id}`, () => lcm.dag.neighbourhood({ id, up: 2, down: 2, maxPerNode: 5, expanded: [id] }))
  if (kind === 'message') ask(`message ${id}`, () => lcm.transcript.message(id))
  if (kind !== 'leaf' && kind !== 'condensed') return
  ask(`level of ${id}`, () => lcm.dag.treeLevel({ conversationId, of: id, offset: 0, limit: 100 }))
  ask(`expand ${id}`, () =>
    lcm.retrieval.expand({ summaryId: id, depth: 9, includeMessages: true, tokenCap: 1_000_000 }),
  )
  ask(`expand ${id} a little`, () =>
    lcm.retrieval.expand({ summaryId: id, depth: 1, includeMessages: false, tokenCap: 100 }),
  )
}

/** Checks of what only one system has: they are proved elsewhere, each on its own files. */
const OF_THE_FORM: Readonly<Record<string, string>> = {
  schema_incomplete: 'tables that a writer of a story has no use for',
  fts_in_sync: 'the search index of the system itself',
  fts_trigger_missing: 'the search index of the system itself',
  file_outside_store: 'where a system puts large files',
}

/** Fields that say how a file is kept, not what is in it. */
const OF_THE_FILE: Readonly<Record<string, string>> = {
  path: 'the file itself',
  bytes: 'the file itself; of large files it is compared as what the service `files` gives',
  system: 'whose file it is',
  systemVersion: 'whose file it is',
  readOnly: 'files of others are never written',
  tookMs: 'a time',
  durationMs: 'a time',
  notes: 'how the answer was found',
  partId: 'a name that only its own file knows',
  metadata: 'the original block, which only some systems keep',
  messageParts: 'how a system cuts messages into parts; the parts themselves are compared',
  toolStatus: 'recorded by some',
  isExact: 'only a file with a log of compactions is exact',
  reconstructed: 'only a file with a log of compactions is exact',
}

/** An answer without what says how its file is kept, and without `unsaid` fields. */
export function comparable(answer: unknown, unsaid: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(answer)) return answer.map((one) => comparable(one, unsaid))
  if (answer === null || typeof answer !== 'object') return answer
  if (ArrayBuffer.isView(answer)) return answer
  // What a cursor says is the business of its own file.
  if ('nextCursor' in answer && answer.nextCursor !== null)
    return comparable({ ...answer, nextCursor: null, isCut: true }, unsaid)
  return Object.fromEntries(
    Object.entries(answer)
      .filter(([key]) => OF_THE_FILE[key] === undefined && unsaid[key] === undefined)
      // The original block of a part may be cut as well.
      .filter(([key]) => key !== 'isCut' || !('parts' in answer))
      .map(([key, value]) => [key, key === 'parts' ? partsOf(value) : comparable(value, unsaid)]),
  )
}

type Part = { readonly type: string; readonly text: string | null; readonly toolOutput: string | null }

/** What a result says is a text in some files and an output in others. */
function partsOf(parts: unknown): unknown {
  if (!Array.isArray(parts)) return parts
  return (parts as Part[]).map(({ text, toolOutput, ...part }) => ({
    ...(comparable(part, {}) as object),
    says: text ?? toolOutput,
  }))
}
