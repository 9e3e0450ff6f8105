import type { WindowEntry } from '../../memory/draft.ts'
import { messageNumber } from '../../systems/node-id.ts'
import type { Finding } from '../../systems/scanned-memory.ts'
import { uncover } from '../repair/dissolve-node.ts'
import { firstSeqOf, takeFromWindow } from '../repair/place.ts'
import { coverageOf, entryId, spansOf } from '../repair/reach.ts'
import { dropTwice, putBack, settle } from '../repair/settle.ts'
import { idOrNull, itemId, itemsOf } from './asked-items.ts'
import { type Fix, type FixContext, plural, type StepDraft } from './fix.ts'
import { restoreLinks } from './restored-links.ts'
import type { Rule, RuleContext } from './rule.ts'
import { findSplitPairs, findUnanswered, isPaired } from './tool-pairs.ts'
import { findCompactedTail, findDoubleInclusion, findUncovered } from './window-coverage.ts'

function* findDangling(context: RuleContext): Iterable<Finding | null> {
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

function* findGaps(context: RuleContext): Iterable<Finding | null> {
  const { window } = context.facts
  let conversationId = Number.NaN
  let before = -1
  for (const item of itemsOf(context)) {
    if (window.conversations[item] !== conversationId) before = context.system.facts.firstOrdinal - 1
    conversationId = window.conversations[item] as number
    const ordinal = window.ordinals[item] as number
    const missing = ordinal - before - 1
    yield missing > 0
      ? { id: idOrNull(context, item), conversationId, detail: `${missing} missing before item ${ordinal}` }
      : null
    before = ordinal
  }
}

function* findSharedPlaces(context: RuleContext): Iterable<Finding | null> {
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

function* findOutOfOrder(context: RuleContext): Iterable<Finding | null> {
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

const storedWindow = ({ info }: RuleContext): string | null =>
  info.capabilities.storedWindow ? null : `${info.systemLabel} derives its window by a rule and stores none.`

export const dropDanglingItems: Fix = {
  name: 'dangling_item',
  stage: 'dangling window entries',
  reads: ['window', 'summaries'],
  *apply(context) {
    const { model, was, conversationId } = context
    if (conversationId === null) return
    const isGone = ({ messageId, summaryId }: WindowEntry): boolean =>
      messageId === null ? summaryId === null || !model.summaries.has(summaryId) : !model.messages.has(messageId)
    const gone = model.window(conversationId).filter(isGone)
    if (gone.length === 0) return
    takeFromWindow(model, conversationId, isGone)
    settle(model, was)
    yield {
      title: `Remove ${plural(gone.length, 'window entry', 'window entries')} that ${gone.length === 1 ? 'leads' : 'lead'} nowhere`,
      rule: 'What they name is not in the file.',
      risk: 'safe',
      nodes: [],
      cannotRestore: `${gone.slice(0, 3).map(entryId).join(', ')}${gone.length > 3 ? ', …' : ''}: no longer in the file; only a backup or the transcript may hold it.`,
    }
  },
}

const renumber: Fix = {
  name: 'ordinal_duplicate',
  stage: 'numbers of the window',
  reads: ['window'],
  *apply(context) {
    const { model, conversationId } = context
    if (conversationId === null) return
    const entries = model.window(conversationId)
    if (entries.every((entry, index) => entry.ordinal === index)) return
    model.setWindow(
      conversationId,
      entries.map((entry, ordinal) => ({ ...entry, ordinal })),
    )
    yield {
      title: 'Number the window from 0 without gaps',
      rule: 'The order stays; entries that shared a place follow each other as they are stored.',
      risk: 'safe',
      nodes: [],
    }
  },
}

const orderWindow: Fix = {
  name: 'context_order',
  stage: 'order of the window',
  reads: ['window', 'edges', 'summaries'],
  *apply(context) {
    const { model, conversationId } = context
    if (conversationId === null) return
    const entries = model.window(conversationId)
    const ordered = byHistory(context, entries)
    if (ordered.every((entry, index) => entry === entries[index])) return
    // The same places, filled in the order of the history.
    model.setWindow(
      conversationId,
      ordered.map((entry, index) => ({ ...entry, ordinal: entries[index]?.ordinal ?? index })),
    )
    yield {
      title: 'Order the window by its history',
      rule: 'Every entry stands where its history begins; entries that lead nowhere stay behind their neighbour.',
      risk: 'safe',
      nodes: [],
    }
  },
}

function byHistory({ model }: FixContext, entries: readonly WindowEntry[]): WindowEntry[] {
  const spans = spansOf(model)
  let last = Number.NEGATIVE_INFINITY
  const places = new Map(
    entries.map((entry) => {
      last = firstSeqOf(model, spans, entry) ?? last
      return [entry, last]
    }),
  )
  return entries.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0))
}

const coverGaps: Fix = {
  name: 'coverage_gap',
  stage: 'uncovered messages',
  reads: ['window', 'edges', 'summaries'],
  *apply(context) {
    const { model, was, conversationId } = context
    const isOwn = (row: number): boolean => model.messages.conversationAt(row) === conversationId
    const back = putBack(model, isOwn, was.windows)
    if (back.length === 0) return
    yield {
      title: `Put ${plural(back.length, 'message')} back into the window`,
      rule: 'Each at its place in the history.',
      risk: 'safe',
      nodes: back.map((id) => `msg_${id}`),
    }
  },
}

const dropDoubles: Fix = {
  name: 'double_inclusion',
  stage: 'repeated window entries',
  reads: ['window', 'edges', 'summaries'],
  *apply(context) {
    const { model, was, conversationId } = context
    if (conversationId === null) return
    const own = new Set(model.window(conversationId).map(entryId))
    const twice = [...coverageOf(model, was.windows).twice].filter((id) => own.has(id))
    if (twice.length === 0) return
    dropTwice(model, (id) => own.has(id))
    settle(model, was)
    yield {
      title: `Show ${plural(twice.length, 'entry', 'entries')} once`,
      rule: 'The summary that stands for the others stays; of what is listed twice the first one stays.',
      risk: 'rewrite',
      nodes: twice,
    }
  },
}

const showNewest: Fix = {
  name: 'fresh_tail_compacted',
  stage: 'newest messages',
  reads: ['window', 'edges', 'summaries'],
  *apply(context) {
    const { model, was, conversationId } = context
    if (conversationId === null) return
    const newest = context.findings.flatMap(({ id }) => messageNumber(id ?? '') ?? [])
    const gone = newest.flatMap((message) => uncover(model, conversationId, message, was))
    if (gone.length > 0)
      yield dissolving(
        gone,
        'The newest message stands in the window again, with what was summarised together with it.',
      )
  },
}

const dissolving = (gone: readonly string[], rule: string): StepDraft => ({
  title: `Dissolve ${plural(gone.length, 'summary', 'summaries')} into ${gone.length === 1 ? 'its' : 'their'} sources`,
  rule,
  risk: 'rewrite',
  nodes: gone,
  cannotRestore: 'The texts of dissolved summaries stay in the backup.',
})

export const windowRules = [
  {
    id: 'dangling_item',
    group: 'context',
    severity: 'error',
    phase: 'structure',
    invariant: 'Every item of the window names a message or summary of its conversation that exists.',
    explanation:
      'The window lists something that is not there; what the model sees in its place depends on the tool that reads it.',
    fixes: [dropDanglingItems],
    find: findDangling,
  },
  {
    id: 'ordinal_gap',
    group: 'context',
    severity: 'error',
    phase: 'structure',
    invariant: 'The places of the window are numbered from the first without gaps.',
    explanation: 'Items are missing from the numbering of the window: something was removed outside a compaction.',
    fixes: [renumber],
    consequenceOf: ['coverage_gap', 'ordinal_duplicate'],
    notApplicable: (context) =>
      storedWindow(context) ??
      (context.system.facts.hasDenseWindow
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
    fixes: [renumber],
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
    fixes: [orderWindow],
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
    fixes: [restoreLinks, coverGaps],
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
    fixes: [dropDoubles],
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
    fixes: [showNewest],
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
    settledAlong: { reads: ['window'], isGone: isPaired },
    advice:
      'Dissolve the summary that covers the other half. A half that stands alone is left out when the window is sent.',
    consequenceOf: ['dangling_item', 'coverage_gap', 'fresh_tail_compacted', 'invalid_value'],
    notApplicable: ({ info, system }) =>
      !info.capabilities.parts
        ? `${info.systemLabel} stores no tool calls.`
        : system.facts.hidesMessages
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
    consequenceOf: ['tool_pair_split'],
    notApplicable: ({ info }) => (info.capabilities.parts ? null : `${info.systemLabel} stores no tool calls.`),
    find: findUnanswered,
  },
] as const satisfies readonly Rule[]
