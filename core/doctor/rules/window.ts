import type { WindowEntry } from '#core/memory/draft.ts'
import { entryId, rangesOf } from '#core/memory/draft-coverage.ts'
import type { Fix, FixContext } from '#core/systems/rules/fix.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import type { Finding } from '#core/systems/rules/scanned-memory.ts'
import { plural } from '#core/text.ts'
import { settle } from '../repair/settle.ts'
import { firstSeqOf, takeFromWindow } from '../repair/window-entries.ts'
import { storedWindow } from './applicability.ts'
import { idOrNull, itemId, itemsOf } from './asked-items.ts'

function* findDangling(context: RuleContext): Iterable<Finding | null> {
  const { window, summaries, messages } = context.memory
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
  const { window } = context.memory
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
  const { window } = context.memory
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
          detail: `shares position ${window.ordinals[item]} with another item`,
        }
      : null
    before = item
  }
}

function* findOutOfOrder(context: RuleContext): Iterable<Finding | null> {
  const { window, extents, summaries, messages, order } = context.memory
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

export const dropDanglingItems: Fix = {
  name: 'dangling_item',
  stage: 'dangling window entries',
  reads: ['window', 'summaries'],
  *apply(context) {
    const { draft, was, conversationId } = context
    if (conversationId === null) return
    const isGone = ({ messageId, summaryId }: WindowEntry): boolean =>
      messageId === null ? summaryId === null || !draft.summaries.has(summaryId) : !draft.messages.has(messageId)
    const gone = draft.window(conversationId).filter(isGone)
    if (gone.length === 0) return
    takeFromWindow(draft, conversationId, isGone)
    settle(draft, was)
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
    const { draft, conversationId } = context
    if (conversationId === null) return
    const entries = draft.window(conversationId)
    if (entries.every((entry, index) => entry.ordinal === index)) return
    draft.setWindow(
      conversationId,
      entries.map((entry, ordinal) => ({ ...entry, ordinal })),
    )
    yield {
      title: 'Number the window from 0 without gaps',
      rule: 'The order stays; entries that shared a position follow each other as they are stored.',
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
    const { draft, conversationId } = context
    if (conversationId === null) return
    const entries = draft.window(conversationId)
    const ordered = inHistoryOrder(context, entries)
    if (ordered.every((entry, index) => entry === entries[index])) return
    // The ordinals stay. They are assigned in the order of the history.
    draft.setWindow(
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

function inHistoryOrder({ draft }: FixContext, entries: readonly WindowEntry[]): WindowEntry[] {
  const ranges = rangesOf(draft)
  let last = Number.NEGATIVE_INFINITY
  const firstSeqs = new Map(
    entries.map((entry) => {
      last = firstSeqOf(draft, ranges, entry) ?? last
      return [entry, last]
    }),
  )
  return entries.toSorted((a, b) => (firstSeqs.get(a) ?? 0) - (firstSeqs.get(b) ?? 0))
}

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
    invariant: 'The positions of the window are numbered from the first without gaps.',
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
    invariant: 'No two items of a window have the same position.',
    explanation: 'Two items claim one position, so that their order is left to chance.',
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
] as const satisfies readonly Rule[]
