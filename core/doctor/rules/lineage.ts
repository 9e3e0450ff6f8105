import { hasItems } from '../../systems/scanned-memory.ts'
import { freeSummaries } from './links.ts'
import { type Check, type CheckContext, type Finding, isAsked } from './rule.ts'
import { findPrunedMessages } from './sequence.ts'

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
    const isJudgeable = isKnown && order.onCycle[index] === 0 && isAsked(context, conversationId)
    yield detail === null || !isJudgeable ? null : { id, conversationId, detail }
  }
}

function* findDangling(context: CheckContext): Iterable<Finding | null> {
  const { summaries, links } = context.facts
  for (const link of links.broken) {
    if (context.dialect.isPruned(context, link)) continue
    if (link.summary < 0) {
      const id = context.facts.summaries.nodeOf(link.sourceId) >= 0 || !link.summaryId ? link.sourceId : link.summaryId
      if (context.conversationId === null) {
        yield { id, conversationId: null, detail: `${link.summaryId}, which does not exist, names ${link.sourceId}` }
      }
      continue
    }
    const { id, conversationId } = summaries.at(link.summary)
    yield isAsked(context, conversationId)
      ? { id, conversationId, detail: `its source ${link.sourceId} does not exist`, mark: link.sourceId }
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
      yield { id, conversationId, detail, mark: messageId(place) }
    }
    for (const source of links.sources[index] ?? []) {
      const { id: sourceId, conversationId: other } = summaries.at(source)
      if (other !== conversationId) {
        yield { id, conversationId, detail: `its source ${sourceId} is of conversation ${other}`, mark: sourceId }
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
    yield order.onCycle[index] === 1 && isAsked(context, conversationId)
      ? { id, conversationId, detail: 'reaches itself through its sources' }
      : null
  }
}

function* findWrongDepths(context: CheckContext): Iterable<Finding | null> {
  const { summaries, links, extents, order } = context.facts
  const isOrdered = new Uint8Array(summaries.length)
  for (const summary of order.sound) isOrdered[summary] = 1
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

function* findOrphans(context: CheckContext): Iterable<Finding | null> {
  const { summaries, links, window, order } = context.facts
  for (const { index, id, conversationId, kind, depth } of summaries.rows) {
    const isUsed =
      context.dialect.isOrphanByDesign(context, index) ||
      (window.summaryCounts[index] ?? 0) > 0 ||
      (links.dependents[index] ?? []).some((dependent) => dependent !== index) ||
      order.onCycle[index] === 1
    yield isUsed || !isAsked(context, conversationId) || !hasItems(context, conversationId)
      ? null
      : { id, conversationId, detail: `${kind} depth ${depth}` }
  }
}

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
    consequenceOf: ['invalid_value'],
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
    consequenceOf: ['lineage_cycle', 'invalid_value', 'kind_mismatch'],
    find: findWrongDepths,
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
