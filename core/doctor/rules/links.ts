import { rangesOf } from '#core/memory/draft-coverage.ts'
import type { Link } from '#core/memory/links.ts'
import { messageNumber } from '#core/systems/reading/node-id.ts'
import { type Fix, type FixContext, isIn, namedSummaries } from '#core/systems/rules/fix.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, findByQuery, isAsked } from '#core/systems/rules/scanned-memory.ts'
import { relink } from '../repair/relink.ts'
import { settle } from '../repair/settle.ts'
import { restoreLinks } from './restored-links.ts'

const queries = {
  duplicateMessages: /* sql */ `
    SELECT e.summary_id AS id, s.conversation_id AS conversationId,
      'msg_' || e.message_id || ' is listed ' || count(*) || ' times' AS detail
    FROM summary_messages AS e JOIN summaries AS s ON s.summary_id = e.summary_id
    WHERE :conversation IS NULL OR s.conversation_id = :conversation
    GROUP BY e.summary_id, e.message_id HAVING count(*) > 1`,
}

function* findDuplicateEdges(context: RuleContext): Iterable<Finding | null> {
  const { summaries, links } = context.memory
  let isAnyTwice = false
  for (const { index, id, conversationId } of summaries.rows) {
    const messages = links.messagesOf(index)
    if (!isAscending(messages) && new Set(messages).size < messages.length) isAnyTwice = true
    const sources = links.sources[index] ?? []
    const seen = new Set<number>()
    for (const source of sources) {
      if (seen.has(source) && isAsked(context, conversationId)) {
        yield { id, conversationId, detail: `${summaries.at(source).id} is listed more than once` }
      }
      seen.add(source)
    }
    yield null
  }
  if (isAnyTwice) yield* findByQuery(context, queries.duplicateMessages)
}

/** Ascending numbers hold no duplicate. Almost every list ascends, and this test is quick. */
function isAscending(positions: Int32Array): boolean {
  for (let at = 1; at < positions.length; at += 1) {
    if ((positions[at] as number) <= (positions[at - 1] as number)) return false
  }
  return true
}

function* findSourcesOutOfOrder(context: RuleContext): Iterable<Finding | null> {
  const { summaries, links, extents, order, messages } = context.memory
  for (const { index, id, conversationId } of summaries.rows) {
    yield null
    if (!isAsked(context, conversationId) || order.onCycle[index] === 1) continue
    let before = -1
    for (const position of links.messagesOf(index)) {
      if (position < 0 || messages.conversationAt(position) !== conversationId) continue
      if (position < before) {
        yield { id, conversationId, detail: `${context.memory.messageId(position)} stands after a later message` }
        break
      }
      before = position
    }
    let first = -1
    for (const source of links.sources[index] ?? []) {
      const at = summaries.at(source).conversationId === conversationId ? (extents.first[source] as number) : -1
      if (at < 0) continue
      if (at < first) {
        yield { id, conversationId, detail: `${summaries.at(source).id} stands after a later source` }
        break
      }
      first = at
    }
  }
}

function* findSourceGaps(context: RuleContext): Iterable<Finding | null> {
  const { summaries, links } = context.memory
  for (const { index, id, conversationId } of summaries.rows) {
    yield links.sparse.has(index) && isAsked(context, conversationId)
      ? { id, conversationId, detail: 'the numbers of its sources have a gap, or one of them stands twice' }
      : null
  }
}

/** Two leaves over one message are right under one dependent, while it is rewritten. Elsewhere they are double coverage. */
function* findDoubleCoverage(context: RuleContext): Iterable<Finding | null> {
  const { summaries, links, coverage } = context.memory
  const above = new Map<number, Set<number>>()
  const dependentsOf = (summary: number): Set<number> => {
    const known = above.get(summary)
    if (known) return known
    const all = new Set<number>()
    const open = [...(links.dependents[summary] ?? [])]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (all.has(at)) continue
      all.add(at)
      open.push(...(links.dependents[at] ?? []))
    }
    above.set(summary, all)
    return all
  }
  for (const [position, leaves] of coverage.shared) {
    yield null
    const conversationId = context.memory.messageConversation(position)
    if (!isAsked(context, conversationId)) continue
    const [first = 0, ...rest] = leaves
    const shares = (leaf: number): boolean => [...dependentsOf(leaf)].some((id) => dependentsOf(first).has(id))
    const apart = rest.filter((leaf) => !shares(leaf))
    if (apart.length === 0) continue
    const names = [first, ...apart].map((leaf) => summaries.at(leaf).id)
    const detail = `in ${names.join(' and ')}`
    yield { id: context.memory.messageId(position), conversationId, detail, mark: names.join(' ') }
  }
}

/** Why a system's summaries may overlap and stand alone; null where they may not. */
export const freeSummaries = ({ info }: RuleContext): string | null =>
  info.capabilities.freeSummaries ? `${info.systemLabel} makes summaries of whatever it is asked for.` : null

const dropDuplicates: Fix = {
  name: 'duplicate_edge',
  stage: 'repeated links',
  reads: ['edges', 'summaries'],
  *apply(context) {
    const { draft, was } = context
    const nodes = [...draft.summaries.keys()]
      .filter(isIn(context))
      .filter((id) => relink(draft, id, once(draft.messageLinks(id)), once(draft.sourceLinks(id))))
    if (nodes.length === 0) return
    settle(draft, was)
    yield {
      title: 'List every source once',
      rule: 'Of each source the first position in the list stays.',
      risk: 'safe',
      nodes,
    }
  },
}

/** Keeps the first link to each source. */
function once<Id>(edges: readonly Link<Id>[]): Link<Id>[] {
  const seen = new Set<Id>()
  return edges.filter(({ to }) => !seen.has(to) && seen.add(to))
}

const orderSources: Fix = {
  name: 'source_order',
  stage: 'order of sources',
  reads: ['edges', 'summaries'],
  *apply(context) {
    const { draft, was } = context
    const ranges = rangesOf(draft)
    const nodes = namedSummaries(context).filter((id) => {
      const messages = sortedSources(draft.messageLinks(id), (to) => draft.messages.seqOf(to))
      return relink(
        draft,
        id,
        messages,
        sortedSources(draft.sourceLinks(id), (to) => ranges.get(to)?.firstSeq),
      )
    })
    if (nodes.length === 0) return
    settle(draft, was)
    yield {
      title: 'List sources in the order of the history',
      rule: 'The positions in the list stay, and the sources are put there in the order in which their history begins.',
      risk: 'safe',
      nodes,
    }
  },
}

/** Keeps the ordinals and changes which source has which of them. */
function sortedSources<Id>(edges: readonly Link<Id>[], position: (to: Id) => number | undefined): Link<Id>[] {
  const sorted = edges.toSorted((a, b) => (position(a.to) ?? 0) - (position(b.to) ?? 0))
  return sorted.map(({ to }, index) => ({ to, ordinal: edges[index]?.ordinal ?? index }))
}

const coverOnce: Fix = {
  name: 'double_coverage',
  stage: 'double coverage',
  reads: ['edges', 'window', 'summaries'],
  *apply(context) {
    const { draft, was } = context
    const doubled = new Map<number, string[]>()
    for (const { id } of context.findings) doubled.set(messageNumber(id ?? '') ?? -1, [])
    for (const leaf of draft.summaries.keys()) {
      for (const { to } of draft.messageLinks(leaf)) doubled.get(to)?.push(leaf)
    }
    const nodes = new Set<string>()
    for (const [message, leaves] of doubled) {
      const keeper = bestLeaf(context, message, leaves)
      for (const leaf of leaves) {
        if (leaf === keeper) continue
        nodes.add(leaf)
        draft.setMessageLinks(
          leaf,
          draft.messageLinks(leaf).filter((edge) => edge.to !== message),
        )
      }
    }
    if (nodes.size === 0) return
    settle(draft, was)
    yield {
      title: 'Cover every message by one summary',
      rule: 'A message stays with the summary whose other messages stand nearest to it, of equals with the one that was made first.',
      risk: 'rewrite',
      nodes: [...nodes],
      cannotRestore: 'The texts of the other summaries may still tell of these messages: rewrite them.',
    }
  },
}

/** Prefers the leaf whose other messages are neighbours of this one, and then the older leaf. */
function bestLeaf({ draft }: FixContext, message: number, leaves: readonly string[]): string | undefined {
  const seq = draft.messages.seqOf(message) ?? 0
  const neighbours = (id: string): number =>
    draft.messageLinks(id).filter(({ to }) => Math.abs((draft.messages.seqOf(to) ?? Number.NaN) - seq) === 1).length
  const made = (id: string): number => draft.summaries.get(id)?.createdAtMs ?? 0
  return leaves.toSorted((a, b) => neighbours(b) - neighbours(a) || made(a) - made(b))[0]
}

const doubleCoverage = {
  id: 'double_coverage',
  group: 'lineage',
  severity: 'warning',
  phase: 'structure',
  invariant: 'A message is under one first summary, or under several that share a dependent.',
  explanation: 'These messages were summarised twice: the window says the same thing in two places and pays for both.',
  fixes: [restoreLinks, coverOnce],
  consequenceOf: ['cross_conversation_edge'],
  notApplicable: freeSummaries,
  find: findDoubleCoverage,
} as const satisfies Rule

export const linkRules = [
  {
    id: 'duplicate_edge',
    group: 'lineage',
    severity: 'error',
    phase: 'structure',
    invariant: 'A summary lists each source once.',
    explanation: 'A source is listed more than once: counts are too high, and expanding repeats it.',
    fixes: [dropDuplicates],
    find: findDuplicateEdges,
  },
  {
    id: 'source_order',
    group: 'lineage',
    severity: 'warning',
    phase: 'structure',
    invariant: 'The sources of a summary stand in the order of the history.',
    explanation:
      'A source stands behind one that came later: expanding these summaries gives the history in the wrong order.',
    fixes: [restoreLinks, orderSources],
    consequenceOf: ['double_coverage', 'cross_conversation_edge', 'duplicate_edge'],
    notApplicable: ({ info }) =>
      info.capabilities.sourceOrder === false ? `${info.systemLabel} does not record an order of sources.` : null,
    find: findSourcesOutOfOrder,
  },
  {
    id: 'source_gap',
    group: 'lineage',
    severity: 'warning',
    phase: 'structure',
    invariant: 'The sources of a summary are numbered from the first without gaps.',
    explanation:
      'A source of these summaries is gone, or was put in later: they stand for less, or more, than they say.',
    advice: 'Expand the summary and read it beside its sources. Write it anew if it tells of something else.',
    consequenceOf: [
      'coverage_gap',
      'cross_conversation_edge',
      'dangling_edge',
      'double_coverage',
      'duplicate_edge',
      'fresh_tail_compacted',
      'kind_mismatch',
      'lineage_cycle',
      'orphan_summary',
      'source_order',
    ],
    notApplicable: ({ system, info }) =>
      system.facts.hasDenseLinks ? null : `${info.systemLabel} does not number sources without gaps.`,
    find: findSourceGaps,
  },
  doubleCoverage,
] as const satisfies readonly Rule[]
