import { type Fix, isIn, type StepDraft } from '#core/systems/rules/fix.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, hasItems, isAsked } from '#core/systems/rules/scanned-memory.ts'
import { plural } from '#core/text.ts'
import { removeEmpty, resolveOrphans, settle } from '../repair/settle.ts'
import { freeSummaries } from './links.ts'
import { restoreLinks } from './restored-links.ts'

function* findWithoutSource(context: RuleContext): Iterable<Finding | null> {
  const { summaries, links } = context.memory
  const broken = new Set(links.broken.map(({ summary }) => summary))
  for (const { index, id, conversationId, kind } of summaries.rows) {
    const has = links.messagesOf(index).length + (links.sources[index]?.length ?? 0) > 0 || broken.has(index)
    yield has || !isAsked(context, conversationId) || context.system.facts.isUnreadableLineage(context, id)
      ? null
      : { id, conversationId, detail: `${kind} without a source` }
  }
}

function* findOrphans(context: RuleContext): Iterable<Finding | null> {
  const { summaries, links, window, order } = context.memory
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
    const { draft, was } = context
    const wanted = new Set([...draft.summaries.keys()].filter(isIn(context)).filter((id) => draft.isEmpty(id)))
    if (wanted.size === 0) return
    removeEmpty(draft, (id) => wanted.has(id))
    settle(draft, was)
    yield {
      title: `Remove ${plural(wanted.size, 'summary', 'summaries')} that ${wanted.size === 1 ? 'stands' : 'stand'} for nothing`,
      rule: 'Nothing says what they were made from, and no list of messages gives their hash.',
      risk: 'rewrite',
      nodes: [...wanted],
      cannotRestore: 'Which messages they stood for is not recorded any more. Their texts stay in the backup.',
    }
  },
}

const resolveOrphaned: Fix = {
  name: 'orphan_summary',
  stage: 'orphans',
  reads: ['edges', 'window', 'summaries'],
  *apply(context): Iterable<StepDraft> {
    const { draft, was } = context
    const lost = new Set([...was.orphans].filter(isIn(context)))
    if (lost.size === 0) return
    resolveOrphans(draft, (id) => lost.has(id) || !was.orphans.has(id), was.windows)
    const gone = [...lost].filter((id) => !draft.summaries.has(id))
    settle(draft, was)
    yield {
      title: `Resolve ${plural(lost.size, 'summary', 'summaries')} that nothing leads to`,
      rule: 'A summary whose messages nobody else reaches stands in the window again, at their position; one whose messages are reached without it is removed.',
      risk: gone.length > 0 ? 'rewrite' : 'safe',
      nodes: [...lost],
      cannotRestore:
        gone.length > 0 ? 'Texts of removed summaries stay in the backup; their messages are all there.' : null,
    }
  },
}

export const summaryWithoutSource = {
  id: 'summary_without_source',
  group: 'lineage',
  severity: 'error',
  phase: 'structure',
  invariant: 'Every summary links to at least one message or summary.',
  explanation:
    'Nobody can tell what these summaries stand for: they expand to nothing, and what they say cannot be checked.',
  fixes: [restoreLinks, removeSourceless],
  find: findWithoutSource,
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
