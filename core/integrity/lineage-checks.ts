import { type Check, type CheckContext, type Finding, findByQuery, isAsked } from './check.ts'
import { hasItems } from './dialect-facts.ts'
import { findPrunedMessages } from './sequence-checks.ts'

const queries = {
  duplicateMessages: /* sql */ `
    SELECT e.summary_id AS id, s.conversation_id AS conversationId,
      'msg_' || e.message_id || ' is listed ' || count(*) || ' times' AS detail
    FROM summary_messages AS e JOIN summaries AS s ON s.summary_id = e.summary_id
    WHERE :conversation IS NULL OR s.conversation_id = :conversation
    GROUP BY e.summary_id, e.message_id HAVING count(*) > 1`,
}

function* findWithoutSource(context: CheckContext): Iterable<Finding | null> {
  const { summaries, links } = context.facts
  const broken = new Set(links.broken.map(({ summary }) => summary))
  for (const { index, id, conversationId, kind } of summaries.rows) {
    const has = links.messagesOf(index).length + (links.sources[index]?.length ?? 0) > 0 || broken.has(index)
    yield has || !isAsked(context, conversationId) || context.dialect.isUnreadableLineage(context, id)
      ? null
      : { id, conversationId, detail: `${kind} without a source` }
  }
}

function* findWrongKinds(context: CheckContext): Iterable<Finding | null> {
  yield* context.dialect.oddKinds(context)
  const { summaries, links, order } = context.facts
  for (const { index, id, conversationId, kind } of summaries.rows) {
    const isKnown = kind === 'leaf' || kind === 'condensed'
    const messages = links.messagesOf(index).length
    const sources = links.sources[index]?.length ?? 0
    const detail =
      kind === 'leaf' && sources > 0
        ? 'a leaf made from summaries'
        : kind !== 'leaf' && sources === 0 && messages > 0
          ? `${kind}, but made from messages only`
          : kind !== 'leaf' && messages > 0
            ? `${kind}, but made from messages too`
            : null
    const isJudgeable = isKnown && order.isCyclic[index] === 0 && isAsked(context, conversationId)
    yield detail === null || !isJudgeable ? null : { id, conversationId, detail }
  }
}

function* findDangling(context: CheckContext): Iterable<Finding | null> {
  const { summaries, links } = context.facts
  for (const link of links.broken) {
    if (context.dialect.isPruned(context, link)) continue
    if (link.summary < 0) {
      const id = context.facts.summaries.indexOf(link.sourceId) >= 0 || !link.summaryId ? link.sourceId : link.summaryId
      if (context.conversationId === null) {
        yield { id, conversationId: null, detail: `${link.summaryId}, which does not exist, names ${link.sourceId}` }
      }
      continue
    }
    const { id, conversationId } = summaries.at(link.summary)
    yield isAsked(context, conversationId)
      ? { id, conversationId, detail: `its source ${link.sourceId} does not exist` }
      : null
  }
}

function* findPruned(context: CheckContext): Iterable<Finding | null> {
  const { summaries, links } = context.facts
  for (const link of links.broken) {
    if (link.summary < 0 || !context.dialect.isPruned(context, link)) continue
    const { id, conversationId } = summaries.at(link.summary)
    if (isAsked(context, conversationId)) yield { id, conversationId, detail: `its source ${link.sourceId} was pruned` }
  }
  yield* findPrunedMessages(context)
}

function* findCrossing(context: CheckContext): Iterable<Finding | null> {
  const { summaries, links, messageConversation, messageId } = bound(context)
  for (const { index, id, conversationId } of summaries.rows) {
    if (!isAsked(context, conversationId)) continue
    for (const place of links.messagesOf(index)) {
      if (place < 0 || messageConversation(place) === conversationId) continue
      const detail = `its source ${messageId(place)} is of conversation ${messageConversation(place)}`
      yield { id, conversationId, detail }
    }
    for (const source of links.sources[index] ?? []) {
      const { id: sourceId, conversationId: other } = summaries.at(source)
      if (other !== conversationId) {
        yield { id, conversationId, detail: `its source ${sourceId} is of conversation ${other}` }
      }
    }
    yield null
  }
}

const bound = ({ facts }: CheckContext) => ({
  summaries: facts.summaries,
  links: facts.links,
  messageConversation: (place: number) => facts.messageConversation(place),
  messageId: (place: number) => facts.messageId(place),
})

function* findCycles(context: CheckContext): Iterable<Finding | null> {
  const { summaries, order } = context.facts
  for (const { index, id, conversationId } of summaries.rows) {
    yield order.isCyclic[index] === 1 && isAsked(context, conversationId)
      ? { id, conversationId, detail: 'reaches itself through its sources' }
      : null
  }
}

function* findWrongDepths(context: CheckContext): Iterable<Finding | null> {
  const { summaries, links, extents, order } = context.facts
  const isOrdered = new Uint8Array(summaries.length)
  for (const summary of order.order) isOrdered[summary] = 1
  for (const { index, id, conversationId, kind, depth } of summaries.rows) {
    const isJudgeable = isOrdered[index] === 1 && (kind === 'leaf' || (links.sources[index]?.length ?? 0) > 0)
    const expected = extents.depth[index] as number
    // Where sources are missing, what is left gives a lower bound.
    const isRight = extents.isWhole[index] === 1 ? depth === expected : depth >= expected
    yield !isJudgeable || isRight || !isAsked(context, conversationId)
      ? null
      : { id, conversationId, detail: `depth ${depth}, its sources make it ${expected}` }
  }
}

function* findDuplicateEdges(context: CheckContext): Iterable<Finding | null> {
  const { summaries, links } = context.facts
  let isAnyTwice = false
  for (const { index, id, conversationId } of summaries.rows) {
    const messages = links.messagesOf(index)
    if (messages.length > 1 && new Set(messages).size < messages.length) isAnyTwice = true
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

function* findSourcesOutOfOrder(context: CheckContext): Iterable<Finding | null> {
  const { summaries, links, extents, order, messages } = context.facts
  for (const { index, id, conversationId } of summaries.rows) {
    yield null
    if (!isAsked(context, conversationId) || order.isCyclic[index] === 1) continue
    let before = -1
    for (const place of links.messagesOf(index)) {
      if (place < 0 || messages.conversations[place] !== conversationId) continue
      if (place < before) {
        yield { id, conversationId, detail: `${context.facts.messageId(place)} stands after a later message` }
        break
      }
      before = place
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

/** Two leaves over one message are fine under one dependent (a rewrite in progress); apart they say it twice. */
function* findDoubleCoverage(context: CheckContext): Iterable<Finding | null> {
  const { summaries, links, coverage } = context.facts
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
  for (const [place, leaves] of coverage.shared) {
    yield null
    const conversationId = context.facts.messageConversation(place)
    if (!isAsked(context, conversationId)) continue
    const [first = 0, ...rest] = leaves
    const shares = (leaf: number): boolean => [...dependentsOf(leaf)].some((id) => dependentsOf(first).has(id))
    const apart = rest.filter((leaf) => !shares(leaf))
    if (apart.length === 0) continue
    const names = [first, ...apart].map((leaf) => summaries.at(leaf).id)
    yield { id: context.facts.messageId(place), conversationId, detail: `in ${names.join(' and ')}` }
  }
}

function* findOrphans(context: CheckContext): Iterable<Finding | null> {
  const { summaries, links, window, order } = context.facts
  for (const { index, id, conversationId, kind, depth } of summaries.rows) {
    const isUsed =
      context.dialect.isOrphanByDesign(context, index) ||
      (window.summaryCounts[index] ?? 0) > 0 ||
      (links.dependents[index] ?? []).some((dependent) => dependent !== index) ||
      order.isCyclic[index] === 1
    yield isUsed || !isAsked(context, conversationId) || !hasItems(context, conversationId)
      ? null
      : { id, conversationId, detail: `${kind} depth ${depth}` }
  }
}

const freeSummaries = ({ info }: CheckContext): string | null =>
  info.capabilities.freeSummaries ? `${info.systemLabel} makes summaries of whatever it is asked for.` : null

export const lineageChecks: readonly Check[] = [
  {
    id: 'summary_without_source',
    group: 'lineage',
    severity: 'error',
    phase: 'structure',
    invariant: 'Every summary links to at least one message or summary.',
    explanation:
      'Nobody can tell what these summaries stand for: they expand to nothing, and what they say cannot be checked.',
    repairable: true,
    find: findWithoutSource,
  },
  {
    id: 'kind_mismatch',
    group: 'lineage',
    severity: 'error',
    phase: 'structure',
    invariant: 'A leaf is made from messages, a condensed node from summaries.',
    explanation:
      'The kind of these summaries contradicts what they are linked to, so tools that trust the kind walk the wrong way.',
    repairable: true,
    consequenceOf: ['depth_mismatch'],
    find: findWrongKinds,
  },
  {
    id: 'dangling_edge',
    group: 'lineage',
    severity: 'error',
    phase: 'structure',
    invariant: 'Both ends of every lineage link exist.',
    explanation:
      'A link leads to something that is not in the file: expanding stops there, and what stood behind it cannot be reached.',
    repairable: true,
    find: findDangling,
  },
  {
    id: 'cross_conversation_edge',
    group: 'lineage',
    severity: 'error',
    phase: 'structure',
    invariant: 'A summary and its sources belong to one conversation.',
    explanation:
      'A summary stands for history of another conversation: the agent is told of things that happened elsewhere.',
    repairable: true,
    notApplicable: freeSummaries,
    find: findCrossing,
  },
  {
    id: 'lineage_cycle',
    group: 'lineage',
    severity: 'error',
    phase: 'structure',
    invariant: 'No summary is among its own sources, at any distance.',
    explanation:
      'A summary is made from itself, so that expanding it would never end in tools that do not look out for it.',
    repairable: true,
    find: findCycles,
  },
  {
    id: 'depth_mismatch',
    group: 'lineage',
    severity: 'error',
    phase: 'structure',
    invariant: 'A leaf has depth 0, a condensed node one more than its deepest source.',
    explanation:
      'The stored depth is wrong, so the next condensed pass groups these summaries with the wrong neighbours.',
    repairable: true,
    consequenceOf: ['lineage_cycle'],
    find: findWrongDepths,
  },
  {
    id: 'duplicate_edge',
    group: 'lineage',
    severity: 'error',
    phase: 'structure',
    invariant: 'A summary lists each source once.',
    explanation: 'A source is listed more than once: counts are too high, and expanding repeats it.',
    repairable: true,
    find: findDuplicateEdges,
  },
  {
    id: 'source_order',
    group: 'lineage',
    severity: 'warning',
    phase: 'structure',
    invariant: 'The sources of a summary stand in the order of the history.',
    explanation: 'Expanding these summaries gives the history in the wrong order.',
    repairable: true,
    consequenceOf: ['double_coverage', 'cross_conversation_edge', 'duplicate_edge'],
    notApplicable: ({ info }) =>
      info.capabilities.sourceOrder === false ? `${info.systemLabel} does not record an order of sources.` : null,
    find: findSourcesOutOfOrder,
  },
  {
    id: 'double_coverage',
    group: 'lineage',
    severity: 'warning',
    phase: 'structure',
    invariant: 'A message is under one leaf, or under leaves that share a dependent.',
    explanation:
      'These messages were summarised twice: the window says the same thing in two places and pays for both.',
    repairable: true,
    consequenceOf: ['cross_conversation_edge'],
    notApplicable: freeSummaries,
    find: findDoubleCoverage,
  },
  {
    id: 'orphan_summary',
    group: 'lineage',
    severity: 'warning',
    phase: 'structure',
    invariant: 'Every summary is in the window or a source of another summary.',
    explanation: 'Nothing leads to these summaries any more. What they stand for may be out of reach for the agent.',
    repairable: true,
    consequenceOf: ['dangling_item', 'dangling_edge', 'summary_without_source'],
    notApplicable: freeSummaries,
    find: findOrphans,
  },
  {
    id: 'pruned_expected',
    group: 'retention',
    severity: 'info',
    phase: 'structure',
    invariant: 'What a summary was made from is kept, unless the rules of its system prune it.',
    explanation:
      'The system that wrote this file removes sources of finished sessions, or single turns, by its own rules. The summaries stand; they cannot be expanded further.',
    repairable: false,
    consequenceOf: ['dangling_edge', 'dangling_item', 'foreign_keys', 'sequence_duplicate', 'sequence_gap'],
    find: findPruned,
  },
]
