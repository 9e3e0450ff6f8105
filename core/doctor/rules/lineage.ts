import { type Finding, hasItems, isAsked } from '../../systems/scanned-memory.ts'
import { relink } from '../repair/relink.ts'
import { removeEmpty, resolveOrphans, settle } from '../repair/settle.ts'
import { newest, ringIn } from './cycles.ts'
import { type Fix, isIn, namedSummaries, plural, type StepDraft } from './fix.ts'
import { freeSummaries } from './links.ts'
import { recounting } from './recounting.ts'
import { restoreLinks } from './restored-links.ts'
import type { Rule, RuleContext } from './rule.ts'
import { findPrunedMessages } from './sequence.ts'

function* findWithoutSource(context: RuleContext): Iterable<Finding | null> {
  const { summaries, links } = context.facts
  const broken = new Set(links.broken.map(({ summary }) => summary))
  for (const { index, id, conversationId, kind } of summaries.rows) {
    const has = links.messagesOf(index).length + (links.sources[index]?.length ?? 0) > 0 || broken.has(index)
    yield has || !isAsked(context, conversationId) || context.system.facts.isUnreadableLineage(context, id)
      ? null
      : { id, conversationId, detail: `${kind} without a source` }
  }
}

function* findWrongKinds(context: RuleContext): Iterable<Finding | null> {
  yield* context.system.facts.oddKinds(context)
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

function* findDangling(context: RuleContext): Iterable<Finding | null> {
  const { summaries, links } = context.facts
  for (const link of links.broken) {
    if (context.system.facts.isPruned(context, link)) continue
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

function* findPruned(context: RuleContext): Iterable<Finding | null> {
  const { summaries, links } = context.facts
  for (const link of links.broken) {
    if (link.summary < 0 || !context.system.facts.isPruned(context, link)) continue
    const { id, conversationId } = summaries.at(link.summary)
    if (isAsked(context, conversationId)) yield { id, conversationId, detail: `its source ${link.sourceId} was pruned` }
  }
  yield* findPrunedMessages(context)
}

function* findCrossing(context: RuleContext): Iterable<Finding | null> {
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

const bound = ({ facts }: RuleContext) => ({
  summaries: facts.summaries,
  links: facts.links,
  messageConversation: (place: number) => facts.messageConversation(place),
  messageId: (place: number) => facts.messageId(place),
})

function* findCycles(context: RuleContext): Iterable<Finding | null> {
  const { summaries, order } = context.facts
  for (const { index, id, conversationId } of summaries.rows) {
    yield order.onCycle[index] === 1 && isAsked(context, conversationId)
      ? { id, conversationId, detail: 'reaches itself through its sources' }
      : null
  }
}

function* findWrongDepths(context: RuleContext): Iterable<Finding | null> {
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

function* findOrphans(context: RuleContext): Iterable<Finding | null> {
  const { summaries, links, window, order } = context.facts
  for (const { index, id, conversationId, kind, depth } of summaries.rows) {
    const isUsed =
      context.system.facts.isOrphanByDesign(context, index) ||
      (window.summaryCounts[index] ?? 0) > 0 ||
      (links.dependents[index] ?? []).some((dependent) => dependent !== index) ||
      order.onCycle[index] === 1
    yield isUsed || !isAsked(context, conversationId) || !hasItems(context, conversationId)
      ? null
      : { id, conversationId, detail: `${kind} depth ${depth}` }
  }
}

const removeSourceless: Fix = {
  name: 'summary_without_source',
  stage: 'summaries without source',
  reads: ['edges', 'window', 'summaries'],
  *apply(context) {
    const { model, was } = context
    const wanted = new Set([...model.summaries.keys()].filter(isIn(context)).filter((id) => model.isEmpty(id)))
    if (wanted.size === 0) return
    removeEmpty(model, (id) => wanted.has(id))
    settle(model, was)
    yield {
      title: `Remove ${plural(wanted.size, 'summary', 'summaries')} that ${wanted.size === 1 ? 'stands' : 'stand'} for nothing`,
      rule: 'Nothing says what they were made from, and no list of messages gives their hash.',
      risk: 'rewrite',
      nodes: [...wanted],
      cannotRestore: 'Which messages they stood for is not recorded any more. Their texts stay in the backup.',
    }
  },
}

const setKinds: Fix = {
  name: 'kind_mismatch',
  stage: 'kinds',
  reads: ['edges', 'kind', 'summaries'],
  *apply(context) {
    const { model, was } = context
    const nodes = namedSummaries(context).filter((id) => {
      const kind = model.sourceLinks(id).length > 0 ? 'condensed' : 'leaf'
      if (model.isEmpty(id) || model.summaries.get(id)?.kind === kind) return false
      model.set(id, { kind })
      // Depth and counts follow from the kind.
      model.setSourceLinks(id, model.sourceLinks(id))
      return true
    })
    if (nodes.length === 0) return
    settle(model, was)
    yield {
      title: `Set the kind of ${plural(nodes.length, 'summary', 'summaries')}`,
      rule: 'What has summaries among its sources is condensed, what has messages only is a leaf; depths and counts follow.',
      risk: 'safe',
      nodes,
    }
  },
}

export const dropDangling: Fix = {
  name: 'dangling_edge',
  stage: 'dangling links',
  reads: ['edges', 'window', 'summaries'],
  *apply(context) {
    const { model, conversationId, was } = context
    const lost = { messages: 0, summaries: 0, owners: 0 }
    const nodes: string[] = []
    for (const id of [...model.owners()]) {
      const owner = model.summaries.get(id)
      if ((owner?.conversationId ?? null) !== conversationId) continue
      const [messages, sources] = [model.messageLinks(id), model.sourceLinks(id)]
      const keptMessages = owner ? messages.filter(({ to }) => model.messages.has(to)) : []
      const keptSources = owner ? sources.filter(({ to }) => model.summaries.has(to)) : []
      if (!relink(model, id, keptMessages, keptSources)) continue
      if (owner) nodes.push(id)
      else lost.owners += 1
      lost.messages += owner ? messages.length - keptMessages.length : 0
      lost.summaries += owner ? sources.length - keptSources.length : 0
    }
    if (nodes.length + lost.owners === 0) return
    settle(model, was)
    const gone = [
      ...(lost.messages > 0 ? [plural(lost.messages, 'message')] : []),
      ...(lost.summaries + lost.owners > 0 ? [plural(lost.summaries + lost.owners, 'summary', 'summaries')] : []),
    ].join(' and ')
    yield {
      title: 'Remove links that lead to nothing',
      rule: 'What stood behind them is no longer in the file; messages that are there and were reached through them alone come back into the window.',
      risk: 'rewrite',
      nodes,
      cannotRestore: `The file no longer holds ${gone} that these links name: only a backup or the transcript may.`,
    }
  },
}

const cutCrossings: Fix = {
  name: 'cross_conversation_edge',
  stage: 'links across conversations',
  reads: ['edges', 'window', 'summaries'],
  *apply(context) {
    const { model, was, conversationId } = context
    if (conversationId === null) return
    const { messages } = model
    const isOwnMessage = (id: number): boolean => {
      const row = messages.positionOf(id)
      return row < 0 || messages.conversationAt(row) === conversationId
    }
    const isOwnSummary = (id: string): boolean =>
      (model.summaries.get(id)?.conversationId ?? conversationId) === conversationId
    const nodes = [...model.summaries.keys()].filter(isIn(context)).filter((id) => {
      const messages = model.messageLinks(id).filter(({ to }) => isOwnMessage(to))
      return relink(
        model,
        id,
        messages,
        model.sourceLinks(id).filter(({ to }) => isOwnSummary(to)),
      )
    })
    if (nodes.length === 0) return
    settle(model, was)
    yield {
      title: 'Cut links into other conversations',
      rule: 'A summary keeps the sources of its own conversation; the others are reached in theirs.',
      risk: 'rewrite',
      nodes,
      cannotRestore: 'The texts of these summaries may still tell of the other conversation: rewrite them.',
    }
  },
}

const cutCycles: Fix = {
  name: 'lineage_cycle',
  stage: 'cycles',
  reads: ['edges', 'window', 'summaries', 'depth'],
  *apply(context) {
    const { model, was } = context
    const cut: string[] = []
    for (let ring = ringIn(context); ring; ring = ringIn(context)) {
      const { from, to } = newest(context, ring)
      const edges = model.sourceLinks(from)
      model.setSourceLinks(
        from,
        edges.filter((edge) => edge.to !== to),
      )
      cut.push(`${from} → ${to}`)
    }
    if (cut.length === 0) return
    settle(model, was)
    yield {
      title: cut.length === 1 ? 'Cut the link that closes the cycle' : `Cut ${cut.length} links that close cycles`,
      rule: `Of each cycle the link goes that can least have been there from the beginning, from a summary to a source made after it (${cut.slice(0, 3).join(', ')}).`,
      risk: 'rewrite',
      nodes: [...new Set(cut.flatMap((edge) => edge.split(' → ')))],
    }
  },
}

const setDepths = recounting({
  name: 'depth_mismatch',
  stage: 'depths',
  what: 'depth',
  fields: ['depth'],
  reads: ['edges', 'kind', 'summaries', 'depth'],
  rule: 'A leaf has depth 0, a condensed node one more than its deepest source, from the leaves up.',
})

const resolveOrphaned: Fix = {
  name: 'orphan_summary',
  stage: 'orphans',
  reads: ['edges', 'window', 'summaries'],
  *apply(context): Iterable<StepDraft> {
    const { model, was } = context
    const lost = new Set([...was.orphans].filter(isIn(context)))
    if (lost.size === 0) return
    resolveOrphans(model, (id) => lost.has(id) || !was.orphans.has(id), was.windows)
    const gone = [...lost].filter((id) => !model.summaries.has(id))
    settle(model, was)
    yield {
      title: `Resolve ${plural(lost.size, 'summary', 'summaries')} that nothing leads to`,
      rule: 'A summary whose messages nobody else reaches stands in the window again, at their place; one whose messages are reached without it is removed.',
      risk: gone.length > 0 ? 'rewrite' : 'safe',
      nodes: [...lost],
      cannotRestore:
        gone.length > 0 ? 'Texts of removed summaries stay in the backup; their messages are all there.' : null,
    }
  },
}

export const crossConversationEdge = {
  id: 'cross_conversation_edge',
  group: 'lineage',
  severity: 'error',
  phase: 'structure',
  invariant: 'A summary and its sources belong to one conversation.',
  explanation:
    'A summary stands for history of another conversation: the agent is told of things that happened elsewhere.',
  fixes: [restoreLinks, cutCrossings],
  notApplicable: freeSummaries,
  find: findCrossing,
} as const satisfies Rule

export const orphanSummary = {
  id: 'orphan_summary',
  group: 'lineage',
  severity: 'warning',
  phase: 'structure',
  invariant: 'Every summary is in the window or a source of another summary.',
  explanation: 'Nothing leads to these summaries any more. What they stand for may be out of reach for the agent.',
  fixes: [resolveOrphaned],
  consequenceOf: ['dangling_item', 'dangling_edge', 'summary_without_source'],
  notApplicable: freeSummaries,
  find: findOrphans,
} as const satisfies Rule

export const danglingEdge = {
  id: 'dangling_edge',
  group: 'lineage',
  severity: 'error',
  phase: 'structure',
  invariant: 'Both ends of every lineage link exist.',
  explanation:
    'A link leads to something that is not in the file: expanding stops there, and what stood behind it cannot be reached.',
  fixes: [dropDangling],
  find: findDangling,
} as const satisfies Rule

export const lineageRules = [
  {
    id: 'summary_without_source',
    group: 'lineage',
    severity: 'error',
    phase: 'structure',
    invariant: 'Every summary links to at least one message or summary.',
    explanation:
      'Nobody can tell what these summaries stand for: they expand to nothing, and what they say cannot be checked.',
    fixes: [restoreLinks, removeSourceless],
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
    fixes: [restoreLinks, setKinds],
    consequenceOf: ['invalid_value'],
    find: findWrongKinds,
  },
  danglingEdge,
  crossConversationEdge,
  {
    id: 'lineage_cycle',
    group: 'lineage',
    severity: 'error',
    phase: 'structure',
    invariant: 'No summary is among its own sources, at any distance.',
    explanation:
      'A summary is made from itself, so that expanding it would never end in tools that do not look out for it.',
    fixes: [restoreLinks, cutCycles],
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
    fixes: [setDepths],
    consequenceOf: ['lineage_cycle', 'invalid_value', 'kind_mismatch'],
    find: findWrongDepths,
  },
  orphanSummary,
  {
    id: 'pruned_expected',
    group: 'retention',
    severity: 'info',
    phase: 'structure',
    invariant: 'What a summary was made from is kept, unless the rules of its system prune it.',
    explanation:
      'The system that wrote this file removes sources of finished sessions, or single turns, by its own rules. The summaries stand; they cannot be expanded further.',
    consequenceOf: ['dangling_edge', 'dangling_item', 'foreign_keys', 'sequence_duplicate', 'sequence_gap'],
    find: findPruned,
  },
] as const satisfies readonly Rule[]
