import { CompactInput } from '#core/contract/compaction.ts'
import { ConversationsInput } from '#core/contract/memory.ts'
import type { Lcm } from '#core/lcm.ts'
import { checkMemory } from '#test/builders/check-memory.ts'

/** Told of each question which service is asked. */
export type Ask = <T>(service: string, question: () => T) => T

const PAGE = 50
const MOMENTS = 6

/**
 * Asks every service that reads about every conversation of a memory, and about nodes of every kind, by name. Those that
 * are asked for all of a memory come last: a statement is prepared for the first that needs it.
 */
export async function askEveryQuestion(lcm: Lcm, ask: Ask): Promise<void> {
  const conversations = lcm.read.column<number>('SELECT conversation_id FROM conversations')
  for (const conversationId of conversations) askAbout(lcm, conversationId, ask)
  for (const scope of ['both', 'files'] as const) {
    for (const [mode, query] of [
      ['full_text', 'the'],
      ['literal', 'a'],
      ['regex', 'a.e'],
    ] as const) {
      await ask('retrieval.grep', () =>
        lcm.retrieval.grep({ query, mode, scope, match: 'auto', sort: 'newest', limit: 20, exactTotal: true }),
      )
    }
  }
  ask('conversations.list', () => lcm.stats.conversations())
  ask('conversations.list', () => lcm.stats.page(ConversationsInput.parse({ sort: 'pressure' })))
  ask('memory.stats', () => lcm.stats.stats())
  await ask('integrity', () => checkMemory(lcm))
}

function askAbout(lcm: Lcm, conversationId: number, ask: Ask): void {
  ask('conversations.list of one', () =>
    lcm.stats.page(ConversationsInput.parse({ conversationIds: [conversationId] })),
  )
  const overview = ask('conversations.overview', () => lcm.stats.overview(conversationId))
  const files = ask('conversations.files', () => lcm.retrieval.files(conversationId))
  const page = ask('transcript.page', () =>
    lcm.transcript.page({ conversationId, offset: 0, limit: PAGE, contentChars: 200 }),
  )
  ask('transcript.positionAt', () => lcm.transcript.positionAt({ conversationId, atMs: Date.now() }))
  for (const axis of ['messages', 'tokens', 'time'] as const) {
    const { extent } = ask('strata.get', () => lcm.strata.get({ conversationId, axis }))
    ask('strata.messages', () => lcm.strata.messages({ conversationId, axis, x0: 0, x1: extent, buckets: 40 }))
  }
  const tree = ask('lineage.tree', () => lcm.dag.tree(conversationId))
  const level = ask('lineage.treeLevel', () => lcm.dag.treeLevel({ conversationId, of: null, offset: 0, limit: PAGE }))
  const window = ask('context.assemble', () => lcm.context.assemble({ conversationId }))
  ask('context.assemble', () => lcm.context.assemble({ conversationId, query: 'the' }))
  for (const provider of ['anthropic', 'openai'] as const) {
    ask('context.render', () => lcm.context.render({ conversationId }, provider))
  }
  const timeline = ask('context.timeline', () => lcm.timeTravel.timeline(conversationId))
  const step = Math.max(1, Math.ceil(timeline.events.length / MOMENTS))
  for (const { eventId } of timeline.events.filter((_, index) => index % step === 0)) {
    ask('context.at', () => lcm.timeTravel.contextAt({ conversationId, moment: { eventId } }))
  }
  ask('context.difference', () => lcm.timeTravel.difference({ conversationId, from: { atMs: 0 }, to: { now: true } }))
  const request = CompactInput.parse({ conversationId })
  ask('compaction.evaluate', () => lcm.planner.evaluate(request))
  ask('compaction.plan', () => lcm.planner.plan(request))
  ask('compaction.runs', () => lcm.compactions.runs({ conversationId, created: 'listed' }))
  ask('compaction.whatIf', () => lcm.whatIf.ask(request))

  const withParts = page.messages.filter((message) => message.parts.length > 0)
  const ids = new Set([
    ...[...page.messages.slice(0, 3), ...withParts.slice(0, 3)].map((message) => message.id),
    ...[...tree.roots.slice(0, 3), ...level.nodes.slice(0, 3)].flatMap((node) =>
      node.kind === 'missing' ? [] : [node.id],
    ),
    ...overview.largestMessages.slice(0, 2).map((message) => message.id),
    ...window.items.slice(0, 3).flatMap((item) => (item.kind === 'missing' ? [] : [item.id])),
    ...files.slice(0, 2).map((file) => file.id),
  ])
  for (const id of ids) askAboutNode(lcm, id, conversationId, ask)
}

function askAboutNode(lcm: Lcm, id: string, conversationId: number, ask: Ask): void {
  const { kind } = ask('retrieval.describe', () => lcm.retrieval.describe(id, 500))
  ask('transcript.locate', () => lcm.transcript.locate(id))
  ask('lineage.of', () => lcm.dag.lineage(id))
  ask('lineage.neighbourhood', () => lcm.dag.neighbourhood({ id, up: 2, down: 2, maxPerNode: 12, expanded: [id] }))
  if (kind === 'message') ask('transcript.message', () => lcm.transcript.message(id))
  if (kind !== 'leaf' && kind !== 'condensed') return
  ask('lineage.treeLevel', () => lcm.dag.treeLevel({ conversationId, of: id, offset: 0, limit: PAGE }))
  ask('retrieval.expand', () =>
    lcm.retrieval.expand({ summaryId: id, depth: 3, includeMessages: true, tokenCap: 50_000 }),
  )
}
