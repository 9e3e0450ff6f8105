import { coverageOf, entryId } from '#core/memory/draft-coverage.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { isNative } from '#core/systems/native/native.ts'
import { messageNumber } from '#core/systems/reading/node-id.ts'
import { recordsOfCompactions } from '#core/systems/records/parts.ts'
import type { Fix, StepDraft } from '#core/systems/rules/fix.ts'
import type { Rule, RuleContext } from '#core/systems/rules/rule.ts'
import { type Finding, isAsked, oncePerScan } from '#core/systems/rules/scanned-memory.ts'
import { plural } from '#core/text.ts'
import { isCopiedMessage } from '../apply/message-copies.ts'
import { messagesSetAside } from '../apply/set-aside.ts'
import { uncover } from '../repair/dissolve-node.ts'
import { dropTwice, putBack, settle } from '../repair/settle.ts'
import { storedWindow } from './applicability.ts'
import { itemId, itemsOf } from './asked-items.ts'
import { restoreLinks } from './restored-links.ts'
import { halvesAlone } from './tool-pairs.ts'

const setAside = oncePerScan(({ db, info }: RuleContext) => (isNative(info) ? messagesSetAside(db) : () => false))

/** Finds messages that are neither in a window nor covered by a summary in one. */
function* findUncovered(context: RuleContext): Iterable<Finding | null> {
  const { messages, window, coverage, events } = context.memory
  for (const { conversationId, from, to } of messages.ranges) {
    if (!isAsked(context, conversationId) || !context.system.facts.hasWindow(context, conversationId)) continue
    for (let position = from; position < to; position += 1) {
      const isThere = window.messageCounts[position] !== 0 || coverage.isCovered(position) || events.has(position)
      if (
        isThere ||
        context.system.facts.isUncoveredByDesign(context, position) ||
        setAside(context)(conversationId, messages.seqs[position] as number)
      ) {
        if (position % 1024 === 0) yield null
        continue
      }
      const detail = `message ${position - from + 1} is neither in the window nor covered`
      const leaf = coverage.leaf[position] as number
      const mark = leaf < 0 ? '' : context.memory.summaries.at(leaf).id
      yield { id: context.memory.messageId(position), conversationId, detail, mark }
    }
  }
}

/** Finds what is in the window twice, or beside a summary that covers it. */
function* findDoubleInclusion(context: RuleContext): Iterable<Finding | null> {
  const { window, coverage, summaries, order } = context.memory
  const listed = new Set<string>()
  for (const item of itemsOf(context)) {
    yield null
    const target = window.targets[item] as number
    if (target < 0) continue
    const conversationId = window.conversations[item] as number
    const id = itemId(context, item)
    const isSummary = window.isSummary[item] === 1
    const times = (isSummary ? window.summaryCounts : window.messageCounts)[target] as number
    if (times > 1 && !listed.has(id)) {
      listed.add(id)
      yield { id, conversationId, detail: `listed ${times} times` }
    }
    if (!isSummary && coverage.isCovered(target)) {
      const leaf = summaries.at(coverage.leaf[target] as number).id
      yield { id, conversationId, detail: `in the window and in ${leaf}, which the window leads to` }
    }
    // A window rule that shows the newest summary of each depth may show a source of another one.
    const isByRule = context.system.facts.showsOnlyNewest && window.summaryCounts[target] === 1
    if (isSummary && !isByRule && coverage.isReached[target] === 1 && order.onCycle[target] === 0) {
      yield { id, conversationId, detail: `in the window beside its dependent ${dependentInWindow(context, target)}` }
    }
  }
}

function dependentInWindow({ memory }: RuleContext, summary: number): string {
  const { links, window, summaries } = memory
  const seen = new Set<number>()
  const open = [...(links.dependents[summary] ?? [])]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (window.summaryCounts[at] !== 0) return summaries.at(at).id
    if (seen.has(at)) continue
    seen.add(at)
    open.push(...(links.dependents[at] ?? []))
  }
  return ''
}

/** Finds windows whose newest message was summarised. */
function* findCompactedTail(context: RuleContext): Iterable<Finding | null> {
  const { db, info } = context
  const { messages, window, coverage, events } = context.memory
  for (const { conversationId, from, to } of messages.ranges) {
    yield null
    if (!isAsked(context, conversationId) || !context.system.facts.hasWindow(context, conversationId)) continue
    let newest = to - 1
    while (newest >= from && events.has(newest)) newest -= 1
    if (newest < from || window.messageCounts[newest] !== 0 || !coverage.isCovered(newest)) continue
    if (isNative(info) && wasNeverInTail(db, messages.ids[newest] as number)) continue
    const detail = 'the newest message is not in the window itself'
    yield { id: context.memory.messageId(newest), conversationId, detail }
  }
}

/**
 * True when a transcript ends with a compaction by the agent: its newest message says so, and is the summary itself. A
 * message that came with a transplanted summary was never in the tail of this window either.
 */
const wasNeverInTail = (db: ReadDb, messageId: number): boolean =>
  recordsOfCompactions(db, [messageId]).size > 0 || isCopiedMessage(db, messageId)

const coverGaps: Fix = {
  name: 'coverage_gap',
  stage: 'uncovered messages',
  reads: ['window', 'edges', 'summaries'],
  *apply(context) {
    const { draft, was, conversationId } = context
    if (conversationId === null) return
    const isSetAside = context.isNative ? messagesSetAside(context.db) : () => false
    const isOwn = (position: number): boolean =>
      draft.messages.conversationAt(position) === conversationId &&
      !isSetAside(conversationId, draft.messages.seqAt(position))
    const back = putBack(draft, isOwn, was.windows)
    if (back.length === 0) return
    yield {
      title: `Put ${plural(back.length, 'message')} back into the window`,
      rule: `Each at its position in the history.${aboutHalves(halvesAlone(draft, conversationId, back).length)}`,
      risk: 'safe',
      nodes: back.map((id) => `msg_${id}`),
    }
  },
}

const aboutHalves = (count: number): string =>
  count === 0
    ? ''
    : ` ${count} of them ${count === 1 ? 'has' : 'have'} tool calls or results whose other half a summary covers; a half alone is left out when the window is sent.`

const dropDoubles: Fix = {
  name: 'double_inclusion',
  stage: 'repeated window entries',
  reads: ['window', 'edges', 'summaries'],
  *apply(context) {
    const { draft, was, conversationId } = context
    if (conversationId === null) return
    const own = new Set(draft.window(conversationId).map(entryId))
    const twice = [...coverageOf(draft, was.windows).twice].filter((id) => own.has(id))
    if (twice.length === 0) return
    dropTwice(draft, (id) => own.has(id))
    settle(draft, was)
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
    const { draft, was, conversationId } = context
    if (conversationId === null) return
    const newest = context.findings.flatMap(({ id }) => messageNumber(id ?? '') ?? [])
    const gone = newest.flatMap((message) => uncover(draft, conversationId, message, was))
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

export const coverageRules = [
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
      'The newest messages were summarised although they are among the newest ones that stay: the model answers to a summary.',
    fixes: [showNewest],
    notApplicable: storedWindow,
    find: findCompactedTail,
  },
] as const satisfies readonly Rule[]
