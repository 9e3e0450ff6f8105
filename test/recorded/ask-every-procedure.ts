import type { PromptPreview } from '#core/contract/compaction.ts'
import type { ProbeReport } from '#core/contract/probe.ts'
import type { GrepHit, GrepRequest, GrepStep } from '#core/contract/retrieval.ts'
import type { FactTrace } from '#core/contract/trace.ts'
import type { Asker } from './asker.ts'

/** The words and modes of the searches. Every system's files contain some of the words. */
const SEARCHES: readonly GrepRequest[] = [
  { query: 'the lease' },
  { query: 'lease cursor', match: 'any', sort: 'relevance' },
  { query: 'led* -copper', scope: 'messages', roles: ['user', 'assistant'], limit: 3 },
  { query: '"error" OR エラー処理', sort: 'oldest', limit: 5 },
  { query: 'Summary', scope: 'summaries', depths: [0], sort: 'relevance' },
  { query: 'a%b_c', mode: 'literal' },
  { query: '.ts', mode: 'literal', inContext: false, limit: 4 },
  { query: '\\b[rw]e\\w+y\\b', mode: 'regex', sort: 'oldest', limit: 5 },
  { query: 'log', scope: 'files' },
]
const MOST_CONVERSATIONS = 4
const PAGE = 40
/** So little that something of every conversation is to be compacted. */
const TIGHT = {
  budgetTokens: 400,
  freshTailCount: 2,
  leafChunkTokens: 150,
  minMessagesToCompact: 0,
  leafTargetTokens: 20,
}

/**
 * What the whole of a memory is asked about, one conversation after another, and nodes of every kind by name. A brief asker asks a
 * part of the same questions: what it asks has the same answer, whatever else was asked before.
 */
export async function askEveryProcedure(asker: Asker, files: { readonly memory: string; readonly transcript: string }) {
  const info = await asker.ask((c) => c.memory.info())
  if (info?.system === 'native') await asker.ask((c) => c.machine.previewImport({ paths: [files.transcript] }))
  await askMachine(asker, files.memory)
  await asker.ask((c) => c.memory.stats())
  await asker.ask((c) => c.memory.settings())
  await asker.ask((c) => c.settings.report())
  await asker.ask((c) => c.compaction.presets())
  await asker.ask((c) => c.conversations.measure())
  const listed = await asker.ask((c) => c.conversations.list({ limit: 1000 }))
  const [first] = listed?.conversations ?? []
  await asker.ask((c) => c.conversations.list({ conversationIds: [first?.conversationId ?? -1], sort: 'size' }))
  const ids = (listed?.conversations ?? []).map(({ conversationId }) => conversationId).sort((a, b) => a - b)
  for (const conversationId of spread(ids, asker.isBrief ? 2 : MOST_CONVERSATIONS))
    await askConversation(asker, conversationId, ids)
  await askNode(asker, 'sum_0000000000000000', -1)
  await asker.ask((c) => c.conversations.overview({ conversationId: 999_999 }))
  await asker.ask((c) => c.conversations.list({ families: true }))
  await askSearches(asker, ids)
  await askJobs(asker, files, ids)
}

async function askMachine(asker: Asker, memory: string): Promise<void> {
  await asker.ask((c) => c.machine.discover())
  await asker.ask((c) => c.machine.discoverTranscripts())
  await asker.ask((c) => c.machine.folder({}))
  await asker.ask((c) => c.machine.probe({ path: memory }))
  await asker.ask((c) => c.machine.recent())
}

async function askConversation(asker: Asker, conversationId: number, all: readonly number[]): Promise<void> {
  const overview = await asker.ask((c) => c.conversations.overview({ conversationId }))
  await asker.ask((c) => c.conversations.family({ conversationId }))
  const files = (await asker.ask((c) => c.conversations.files({ conversationId }))) ?? []
  const page = await asker.ask((c) => c.transcript.page({ conversationId, offset: 0, limit: PAGE }))
  const middle = Math.trunc((overview?.conversation.messages ?? 0) / 2)
  const cut = await asker.ask((c) => c.transcript.page({ conversationId, offset: middle, limit: 7, contentChars: 20 }))
  const last = await asker.ask((c) => c.transcript.page({ conversationId, offset: middle * 2 - 1, limit: 3 }))
  const between = cut?.messages[0]
  await asker.ask((c) => c.transcript.positionAt({ conversationId, atMs: between?.createdAtMs ?? 0 }))
  for (const axis of ['messages', 'tokens', 'time'] as const) {
    const strata = await asker.ask((c) => c.strata.get({ conversationId, axis }))
    const x1 = strata?.extent ?? 1
    await asker.ask((c) => c.strata.messages({ conversationId, axis, x0: 0, x1, buckets: 30 }))
    await asker.ask((c) => c.strata.messages({ conversationId, axis, x0: x1 / 3, x1: x1 / 2, buckets: 5 }))
  }
  await asker.ask((c) => c.strata.get({ conversationId, axis: 'messages', freshTailCount: 2 }))
  await asker.ask((c) => c.lineage.graph({ conversationId }))
  const tree = await asker.ask((c) => c.lineage.tree({ conversationId }))
  const level = await asker.ask((c) => c.lineage.treeLevel({ conversationId, of: null, limit: PAGE }))
  const window = await askWindows(asker, conversationId, between?.id)
  await askPlans(asker, conversationId)
  const summaries = [...(tree?.roots ?? []), ...(level?.nodes ?? [])].flatMap((one) =>
    one.kind === 'leaf' || one.kind === 'condensed' ? [one.id] : [],
  )
  const named = new Set([
    ...spread(page?.messages ?? [], 3).map(({ id }) => id),
    ...(page?.messages.filter(({ parts }) => parts.length > 1) ?? []).slice(0, 1).map(({ id }) => id),
    ...(last?.messages.slice(-1) ?? []).map(({ id }) => id),
    ...spread(summaries, 3),
    ...spread(window?.items ?? [], 3).map(({ id }) => id),
    ...(window?.items.filter(({ kind }) => kind === 'missing') ?? []).slice(0, 1).map(({ id }) => id),
    ...spread(files, 2).map(({ id }) => id),
  ])
  const nodes = [...named]
  for (const id of asker.isBrief ? spread(nodes, 3) : nodes) await askNode(asker, id, conversationId)
  await asker.ask((c) => c.surgery.events({ conversationId }))
  const [summaryId] = summaries
  if (asker.isBrief || summaryId === undefined || conversationId !== all[0]) return
  await asker.ask((c) => c.retrieval.expandQuery({ prompt: 'What about the lease?', summaryIds: [summaryId] }))
  await asker.runJob({ kind: 'surgery_preview', operation: { kind: 'dissolve', id: summaryId } })
  await asker.runJob({ kind: 'surgery_preview', operation: { kind: 'rewrite', id: summaryId } })
}

/** The window of now under two budgets, and as it was. */
async function askWindows(asker: Asker, conversationId: number, between: string | undefined) {
  const window = await asker.ask((c) => c.context.assemble({ conversationId }))
  const small = { conversationId, budgetTokens: 300, freshTailCount: 2 }
  await asker.ask((c) => c.context.assemble(small))
  await asker.ask((c) => c.context.assemble({ ...small, query: 'ledger webhook' }))
  for (const provider of ['anthropic', 'openai'] as const)
    await asker.ask((c) => c.context.render({ conversationId, provider }))
  const timeline = await asker.ask((c) => c.context.timeline({ conversationId }))
  await asker.ask((c) => c.context.compactions({ conversationId, from: 0, to: timeline?.messages ?? 0 }))
  await asker.ask((c) => c.trace.survival({ conversationId, limit: PAGE }))
  await asker.ask((c) => c.trace.loss({ conversationId, limit: PAGE }))
  await asker.ask(async (c) => withoutSearches(await c.trace.probe({ conversationId, limit: 10 })))
  const moments = [
    ...spread(timeline?.events ?? [], 3).map(({ eventId }) => ({ eventId })),
    ...(timeline?.events.slice(0, 1) ?? []).flatMap(({ runId }) => (runId ? [{ runId }] : [])),
    ...(between === undefined ? [] : [{ messageId: between }]),
    { atMs: timeline?.lastAtMs ?? 0 },
  ]
  for (const moment of moments) await asker.ask((c) => c.context.at({ conversationId, moment }))
  const [from = { atMs: 0 }] = moments
  await asker.ask((c) => c.context.difference({ conversationId, from, to: { now: true } }))
  await asker.ask((c) => c.context.difference({ ...small, from: { atMs: 0 }, to: moments.at(-2) ?? from }))
  await asker.ask((c) => c.context.render({ ...small, provider: 'anthropic', moment: from }))
  return window
}

async function askPlans(asker: Asker, conversationId: number): Promise<void> {
  const tight = { conversationId, settings: TIGHT }
  for (const input of [{ conversationId }, tight]) {
    await asker.ask((c) => c.compaction.evaluate(input))
    await asker.ask((c) => c.compaction.plan(input))
    await asker.ask((c) => c.compaction.whatIf(input))
  }
  await asker.ask((c) => c.compaction.plan({ ...tight, mode: 'untilUnder', targetTokens: 200 }))
  await asker.ask((c) => c.compaction.whatIf({ ...tight, preset: 'pi-lcm' }))
  await asker.ask((c) => c.compaction.estimate(tight))
  await asker.ask(async (c) => withoutNonce(await c.compaction.prompt({ ...tight, step: 0 })))
  await asker.ask((c) => c.compaction.runs({ conversationId }))
}

async function askNode(asker: Asker, id: string, conversationId: number): Promise<void> {
  const described = await asker.ask((c) => c.retrieval.describe({ id, contentChars: 500 }))
  await asker.ask(async (c) => withoutQueries(await c.trace.fact({ id })))
  await asker.ask((c) => c.transcript.locate({ id }))
  await asker.ask((c) => c.lineage.of({ id }))
  await asker.ask((c) => c.lineage.neighbourhood({ id, up: 2, down: 2, maxPerNode: 5, expanded: [id] }))
  if (described === null || described.kind === 'message') await asker.ask((c) => c.transcript.message({ id }))
  if (described !== null && described.kind !== 'leaf' && described.kind !== 'condensed') return
  await asker.ask((c) => c.lineage.treeLevel({ conversationId: Math.max(0, conversationId), of: id, limit: PAGE }))
  await asker.ask((c) => c.retrieval.expand({ summaryId: id, depth: 9, includeMessages: true, tokenCap: 1_000_000 }))
  const some = { summaryId: id, depth: 2, includeMessages: true, tokenCap: 120 }
  const begun = await asker.ask((c) => c.retrieval.expand(some))
  const cursor = begun?.next[0]
  if (cursor !== undefined) await asker.ask((c) => c.retrieval.expand({ ...some, cursor }))
  await asker.ask((c) => c.retrieval.provenance({ summaryId: id, limit: 2 }))
  await asker.ask((c) => c.retrieval.grep({ query: 'lease', within: id, exactTotal: true }))
}

async function askSearches(asker: Asker, ids: readonly number[]): Promise<void> {
  for (const search of asker.isBrief ? spread(SEARCHES, 3) : SEARCHES) {
    const input = { exactTotal: true, ...search }
    const found = await asker.ask((c) => c.retrieval.grep(input))
    const cursor = found?.nextCursor
    if (cursor) await asker.ask((c) => c.retrieval.grep({ ...input, cursor }))
  }
  await asker.ask((c) => c.retrieval.grep({ query: 'lease', conversationIds: ids.slice(-1), exactTotal: true }))
  await asker.ask((c) => c.retrieval.index())
  await asker.ask((c) => c.retrieval.vectors())
  const letter = { query: 'e', mode: 'literal', exactTotal: true } as const
  await asker.ask(async (c) => whole(await c.retrieval.grepStream(letter)))
  if (asker.isBrief) return
  await asker.ask((c) => c.retrieval.expandQuery({ prompt: 'Which tenant has a webhook?', tokenCap: 500 }))
}

/** The code around a record is random, and so is how many tokens it takes. */
function withoutNonce({ tokens: _, ...preview }: PromptPreview): unknown {
  const nonce = /<record-([0-9a-f]{32})>/.exec(preview.system)?.[1]
  if (nonce === undefined) throw new Error('The prompt has no record.')
  const replace = (text: string): string => text.replaceAll(nonce, '<nonce>').replaceAll(nonce.slice(0, 8), '<mark>')
  return { ...preview, system: replace(preview.system), prompt: replace(preview.prompt) }
}

/** Which queries find something follows from the ranking, which other answers record. */
const withoutQueries = ({ wayBack, ...trace }: FactTrace): unknown => ({
  ...trace,
  wayBack: wayBack.filter(({ kind }) => kind === 'expand'),
})

/** The same for a probe: which answers a search finds follows from the ranking. */
const withoutSearches = ({ questions, notes }: ProbeReport): unknown => ({
  questions: questions.map(({ question, kind, state, answer, instead, evidence, depth }) => ({
    ...{ question, kind, answer, instead, evidence, depth },
    state: state.startsWith('by_') || state === 'dropped' ? 'not in the window' : state,
  })),
  notes,
})

/** How many steps a search takes is a matter of time; what they bring together is not. */
async function whole(steps: AsyncIterable<GrepStep>): Promise<{ hits: GrepHit[]; result: GrepStep['result'] }> {
  const hits: GrepHit[] = []
  let result: GrepStep['result'] = null
  for await (const step of steps) {
    hits.push(...step.hits)
    result = step.result ?? result
  }
  return { hits, result }
}

async function askJobs(asker: Asker, { transcript }: { transcript: string }, ids: readonly number[]): Promise<void> {
  await asker.ask((c) => c.surgery.backups())
  await asker.ask((c) => c.surgery.events({}))
  await asker.ask((c) => c.ledger.state())
  await asker.runJob({ kind: 'integrity' })
  await asker.ask((c) => c.integrity.last())
  await asker.runJob({ kind: 'repair_plan' })
  const plan = await asker.ask((c) => c.repair.last())
  if (asker.isBrief) return
  if (plan && plan.steps.length > 0) await asker.runJob({ kind: 'repair_export', format: 'sql' })
  await asker.runJob({ kind: 'storage' })
  const [conversationId] = ids
  if (conversationId !== undefined) await asker.runJob({ kind: 'coverage', conversationId, path: transcript })
  await asker.ask((c) => c.trace.probeDocument({ jobId: 'job_none', format: 'html' }))
  await asker.ask(async (c) =>
    (await c.jobs.list()).map(({ kind, state, conversationId: of }) => ({ kind, state, of })),
  )
}

/** At most so many of a list: the first, the last, and some evenly between. */
function spread<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list]
  const places = Array.from({ length: most }, (_, index) => Math.round((index * (list.length - 1)) / (most - 1)))
  return list.filter((_, index) => places.includes(index))
}
