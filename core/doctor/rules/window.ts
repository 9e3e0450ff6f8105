import { idOrNull, itemId, itemsOf } from './asked-items.ts'
import type { Check, CheckContext, Finding } from './rule.ts'
import { findSplitPairs, findUnanswered } from './tool-pairs.ts'
import { findCompactedTail, findDoubleInclusion, findUncovered } from './window-coverage.ts'

function* findDangling(context: CheckContext): Iterable<Finding | null> {
  const { window, summaries, messages } = context.facts
  for (const item of itemsOf(context)) {
    const conversationId = window.conversations[item] as number
    const target = window.targets[item] as number
    const ordinal = window.ordinals[item]
    if (target < 0) {
      const name = window.danglingId(item)
      yield { id: null, conversationId, detail: `item ${ordinal} names ${name}, which does not exist` }
      continue
    }
    const isSummary = window.isSummary[item] === 1
    const home = isSummary ? summaries.at(target).conversationId : messages.conversationAt(target)
    yield home === conversationId
      ? null
      : { id: itemId(context, item), conversationId, detail: `item ${ordinal} is of conversation ${home}` }
  }
}

function* findGaps(context: CheckContext): Iterable<Finding | null> {
  const { window } = context.facts
  let conversationId = Number.NaN
  let before = -1
  for (const item of itemsOf(context)) {
    if (window.conversations[item] !== conversationId) before = context.dialect.firstOrdinal - 1
    conversationId = window.conversations[item] as number
    const ordinal = window.ordinals[item] as number
    const missing = ordinal - before - 1
    yield missing > 0
      ? { id: idOrNull(context, item), conversationId, detail: `${missing} missing before item ${ordinal}` }
      : null
    before = ordinal
  }
}

function* findSharedPlaces(context: CheckContext): Iterable<Finding | null> {
  const { window } = context.facts
  let before = -1
  for (const item of itemsOf(context)) {
    const isShared =
      before >= 0 &&
      window.conversations[item] === window.conversations[before] &&
      window.ordinals[item] === window.ordinals[before]
    yield isShared
      ? {
          id: idOrNull(context, item),
          conversationId: window.conversations[item] as number,
          detail: `shares place ${window.ordinals[item]} with another item`,
        }
      : null
    before = item
  }
}

function* findOutOfOrder(context: CheckContext): Iterable<Finding | null> {
  const { window, extents, summaries, messages, order } = context.facts
  let conversationId = Number.NaN
  let last = -1
  let later = -1
  for (const item of itemsOf(context)) {
    if (window.conversations[item] !== conversationId) last = -1
    conversationId = window.conversations[item] as number
    const target = window.targets[item] as number
    if (target < 0) continue
    const isSummary = window.isSummary[item] === 1
    if (isSummary && (context.info.capabilities.chronologicalWindow === false || order.onCycle[target] === 1)) continue
    const home = isSummary ? summaries.at(target).conversationId : messages.conversationAt(target)
    const first = isSummary ? (extents.first[target] as number) : target
    if (first < 0 || home !== conversationId) continue
    yield first < last
      ? { id: itemId(context, item), conversationId, detail: `stands behind ${itemId(context, later)}, which is later` }
      : null
    if (first <= last) continue
    last = first
    later = item
  }
}

const storedWindow = ({ info }: CheckContext): string | null =>
  info.capabilities.storedWindow ? null : `${info.systemLabel} derives its window by a rule and stores none.`

export const contextChecks: readonly Check[] = [
  {
    id: 'dangling_item',
    group: 'context',
    severity: 'error',
    phase: 'structure',
    invariant: 'Every item of the window names a message or summary of its conversation that exists.',
    explanation:
      'The window lists something that is not there; what the model sees in its place depends on the tool that reads it.',
    repairable: true,
    find: findDangling,
  },
  {
    id: 'ordinal_gap',
    group: 'context',
    severity: 'error',
    phase: 'structure',
    invariant: 'The places of the window are numbered from the first without gaps.',
    explanation: 'Items are missing from the numbering of the window: something was removed outside a compaction.',
    repairable: true,
    consequenceOf: ['coverage_gap', 'ordinal_duplicate'],
    notApplicable: (context) =>
      storedWindow(context) ??
      (context.dialect.hasDenseWindow
        ? null
        : `${context.info.systemLabel} orders its windows, but does not number them densely.`),
    find: findGaps,
  },
  {
    id: 'ordinal_duplicate',
    group: 'context',
    severity: 'error',
    phase: 'structure',
    invariant: 'No two items of a window have the same place.',
    explanation: 'Two items claim one place, so that their order is left to chance.',
    repairable: true,
    notApplicable: storedWindow,
    find: findSharedPlaces,
  },
  {
    id: 'context_order',
    group: 'context',
    severity: 'error',
    phase: 'structure',
    invariant: 'The window follows the order of the history.',
    explanation: 'The model reads the conversation in the wrong order: something stands behind what was said after it.',
    repairable: true,
    consequenceOf: ['double_coverage', 'double_inclusion', 'cross_conversation_edge', 'source_order'],
    notApplicable: storedWindow,
    find: findOutOfOrder,
  },
  {
    id: 'coverage_gap',
    group: 'context',
    severity: 'error',
    phase: 'structure',
    invariant: 'Every message is in the window, or covered by a summary that is.',
    explanation:
      'The agent can no longer reach these messages: they are neither in the window nor behind any summary in it.',
    repairable: true,
    consequenceOf: ['dangling_item', 'dangling_edge', 'orphan_summary', 'summary_without_source', 'kind_mismatch'],
    find: findUncovered,
  },
  {
    id: 'double_inclusion',
    group: 'context',
    severity: 'warning',
    phase: 'structure',
    invariant: 'Nothing is in the window twice, or together with a summary that stands for it.',
    explanation: 'The model is shown the same history twice and the window pays for both.',
    repairable: true,
    consequenceOf: ['double_coverage', 'lineage_cycle', 'cross_conversation_edge'],
    find: findDoubleInclusion,
  },
  {
    id: 'fresh_tail_compacted',
    group: 'context',
    severity: 'warning',
    phase: 'structure',
    invariant: 'The newest message is in the window as it was written.',
    explanation:
      'The newest messages were summarised although the fresh tail protects them: the model answers to a summary.',
    repairable: true,
    notApplicable: storedWindow,
    find: findCompactedTail,
  },
  {
    id: 'tool_pair_split',
    group: 'context',
    severity: 'warning',
    phase: 'structure',
    invariant: 'A tool call and its result are in the window together, or neither is.',
    explanation:
      'Providers refuse a result without its call and a call without its result: one is dropped or made up, or the request fails.',
    repairable: false,
    consequenceOf: ['dangling_item', 'coverage_gap', 'fresh_tail_compacted', 'invalid_value'],
    notApplicable: ({ info, dialect }) =>
      !info.capabilities.parts
        ? `${info.systemLabel} stores no tool calls.`
        : dialect.hidesMessages
          ? `${info.systemLabel} does not store what the model sees beside its summaries.`
          : null,
    find: findSplitPairs,
  },
  {
    id: 'tool_call_unanswered',
    group: 'context',
    severity: 'info',
    phase: 'structure',
    invariant: 'A tool call in the window has a result.',
    explanation:
      'An agent that was interrupted leaves calls without a result. Providers ask for one; systems make it up when they send the window.',
    repairable: false,
    consequenceOf: ['tool_pair_split'],
    notApplicable: ({ info }) => (info.capabilities.parts ? null : `${info.systemLabel} stores no tool calls.`),
    find: findUnanswered,
  },
]
