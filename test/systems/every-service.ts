import { AssembledContext, RenderedContext } from '#core/contract/context.ts'
import { IntegrityReport } from '#core/contract/integrity.ts'
import { Description, Lineage, Neighbourhood, Tree, TreeLevel } from '#core/contract/lineage.ts'
import { LossReport } from '#core/contract/loss.ts'
import { Overview, Stats } from '#core/contract/memory.ts'
import { Message, TranscriptPage } from '#core/contract/message.ts'
import { ProbeInput, ProbeReport } from '#core/contract/probe.ts'
import { Expansion, GrepInput, GrepResult } from '#core/contract/retrieval.ts'
import { Strata } from '#core/contract/strata.ts'
import { ContextAt, ContextDifference, Timeline } from '#core/contract/time-travel.ts'
import { FactTrace, LossInput, Survival, SurvivalInput, TraceInput } from '#core/contract/trace.ts'
import { type Lcm, openLcm } from '#core/lcm.ts'
import { readSettings } from '#core/settings/settings.ts'
import { checkMemory } from '#test/builders/check-memory.ts'

/** Opens a memory with default settings, closes it afterwards. */
export async function withLcm<T>(path: string, cacheDir: string, body: (lcm: Lcm) => T | Promise<T>): Promise<T> {
  using lcm = await openLcm(path, { cacheDir, settings: readSettings({}) })
  return await body(lcm)
}

/** Asks every service that reads for everything it has, and holds each answer to the contract. */
export async function askEveryService(lcm: Lcm): Promise<IntegrityReport> {
  Stats.parse(lcm.stats.stats())
  for (const conversationId of lcm.read.column<number>('SELECT conversation_id FROM conversations')) {
    askConversation(lcm, conversationId)
  }
  const ids = [
    ...lcm.read.column<number>('SELECT message_id FROM messages').map((id) => `msg_${id}`),
    ...lcm.read.column<string>('SELECT summary_id FROM summaries'),
    ...lcm.read.column<string>('SELECT file_id FROM large_files'),
  ]
  for (const id of spread(ids, 150)) askNode(lcm, id)
  const summaries = lcm.read.column<string>('SELECT summary_id FROM summaries')
  for (const id of summaries) askSummary(lcm, id)
  // A trace takes seven times as long as all other questions about a node.
  for (const id of new Set([...spread(ids, 4), ...summaries.slice(0, 1)])) {
    if (lcm.retrieval.describe(id, 0).kind !== 'file') FactTrace.parse(await lcm.tracer.trace(TraceInput.parse({ id })))
  }
  FactTrace.parse(await lcm.tracer.trace(TraceInput.parse({ text: 'the error of 3 tests' })))
  for (const conversationId of lcm.read.column<number>('SELECT conversation_id FROM conversations').slice(0, 5)) {
    Survival.parse(await lcm.survival.of(SurvivalInput.parse({ conversationId })))
    LossReport.parse(await lcm.losses.report(LossInput.parse({ conversationId })))
    LossReport.parse(await lcm.losses.report(LossInput.parse({ conversationId, from: { atMs: 0 } })))
    ProbeReport.parse(await lcm.prober.probe(ProbeInput.parse({ conversationId, limit: 4 })))
    ProbeReport.parse(await lcm.prober.probe(ProbeInput.parse({ conversationId, limit: 2, at: { atMs: 0 } })))
  }
  for (const input of SEARCHES) GrepResult.parse(await lcm.retrieval.grep(GrepInput.parse(input)))
  return await checkIntegrity(lcm)
}

const SEARCHES = [
  { query: 'error' },
  { query: '"a b" OR c*', sort: 'relevance' },
  { query: 'no such thing at all' },
  { query: 'e', mode: 'literal', limit: 5 },
  { query: '\\bw\\w+\\d', mode: 'regex', sort: 'oldest' },
  { query: 'summary', scope: 'summaries', depths: [0] },
  { query: 'tool', scope: 'files' },
] as const

function askConversation(lcm: Lcm, conversationId: number): void {
  Overview.parse(lcm.stats.overview(conversationId))
  Tree.parse(lcm.dag.tree(conversationId))
  TreeLevel.parse(lcm.dag.treeLevel({ conversationId, of: null, offset: 0, limit: 50 }))
  AssembledContext.parse(lcm.context.assemble({ conversationId, query: 'error' }))
  for (const provider of ['anthropic', 'openai'] as const) {
    RenderedContext.parse(lcm.context.render({ conversationId }, provider))
  }
  for (const axis of ['tokens', 'messages', 'time'] as const) {
    const strata = Strata.parse(lcm.strata.get({ conversationId, axis }))
    lcm.strata.messages({ conversationId, axis, x0: 0, x1: strata.extent, buckets: 100 })
  }
  const page = TranscriptPage.parse(lcm.transcript.page({ conversationId, offset: 0, limit: 100, contentChars: 80 }))
  lcm.retrieval.files(conversationId)
  Timeline.parse(lcm.timeTravel.timeline(conversationId))
  const middle = page.messages[page.messages.length >> 1]
  if (!middle) return
  const moment = { messageId: middle.id }
  ContextAt.parse(lcm.timeTravel.contextAt({ conversationId, moment }))
  ContextDifference.parse(lcm.timeTravel.difference({ conversationId, from: moment, to: { now: true } }))
}

function askNode(lcm: Lcm, id: string): void {
  const { kind } = Description.parse(lcm.retrieval.describe(id, 100))
  Lineage.parse(lcm.dag.lineage(id))
  Neighbourhood.parse(lcm.dag.neighbourhood({ id, up: 2, down: 2, maxPerNode: 5, expanded: [] }))
  if (kind === 'message') Message.parse(lcm.transcript.message(id))
  lcm.transcript.locate(id)
}

function askSummary(lcm: Lcm, summaryId: string): void {
  const expansion = Expansion.parse(
    lcm.retrieval.expand({ summaryId, depth: 1000, includeMessages: true, tokenCap: 10_000_000 }),
  )
  if (expansion.messages.some((message) => typeof message.content !== 'string')) throw new Error('a text is missing')
}

export async function checkIntegrity(lcm: Lcm, conversationId?: number): Promise<IntegrityReport> {
  return IntegrityReport.parse(await checkMemory(lcm, conversationId))
}

/** At most so many of a list, from all over it. */
function spread<T>(list: readonly T[], most: number): T[] {
  const step = Math.max(1, Math.ceil(list.length / most))
  return list.filter((_, index) => index % step === 0)
}
