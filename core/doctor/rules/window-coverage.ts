import { isNative } from '../../systems/native/native.ts'
import { type Finding, isAsked } from '../../systems/scanned-memory.ts'
import { itemId, itemsOf } from './asked-items.ts'
import type { RuleContext } from './rule.ts'

const queries = {
  // A transcript that ends with a compaction of the agent's own: its newest message says so, and is the summary itself.
  recordsCompaction: /* sql */ `
    SELECT 1 FROM message_parts WHERE message_id = CAST(:id AS INTEGER) AND part_type = 'compaction' AND is_synthetic = 0
    UNION ALL
    -- Nor was a message that came with a transplanted summary ever in this window's tail.
    SELECT 1 FROM messages WHERE message_id = CAST(:id AS INTEGER) AND external_id LIKE 'transplant:%'`,
}

/** Messages that are neither in the window nor behind a summary in it. */
export function* findUncovered(context: RuleContext): Iterable<Finding | null> {
  const { messages, window, coverage, events } = context.facts
  for (const { conversationId, from, to } of messages.ranges) {
    if (!isAsked(context, conversationId) || !context.system.facts.hasWindow(context, conversationId)) continue
    for (let place = from; place < to; place += 1) {
      const isThere = window.messageCounts[place] !== 0 || coverage.isCovered(place) || events.has(place)
      if (isThere || context.system.facts.isUncoveredByDesign(context, place)) {
        if (place % 1024 === 0) yield null
        continue
      }
      const detail = `message ${messages.seqs[place]} is neither in the window nor covered`
      const leaf = coverage.leaf[place] as number
      const mark = leaf < 0 ? '' : context.facts.summaries.at(leaf).id
      yield { id: context.facts.messageId(place), conversationId, detail, mark }
    }
  }
}

/** What stands in the window twice, or beside a summary that stands for it. */
export function* findDoubleInclusion(context: RuleContext): Iterable<Finding | null> {
  const { window, coverage, summaries, order } = context.facts
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
    // A rule that shows the newest of each depth may show what another of them was made from.
    const isByRule = context.system.facts.showsOnlyNewest && window.summaryCounts[target] === 1
    if (isSummary && !isByRule && coverage.isBeneath[target] === 1 && order.onCycle[target] === 0) {
      yield { id, conversationId, detail: `in the window beside its dependent ${dependentInWindow(context, target)}` }
    }
  }
}

function dependentInWindow({ facts }: RuleContext, summary: number): string {
  const { links, window, summaries } = facts
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

/** Windows whose newest message was summarised. */
export function* findCompactedTail(context: RuleContext): Iterable<Finding | null> {
  const { db, info } = context
  const { messages, window, coverage, events } = context.facts
  for (const { conversationId, from, to } of messages.ranges) {
    yield null
    if (!isAsked(context, conversationId) || !context.system.facts.hasWindow(context, conversationId)) continue
    let newest = to - 1
    while (newest >= from && events.has(newest)) newest -= 1
    if (newest < from || window.messageCounts[newest] !== 0 || !coverage.isCovered(newest)) continue
    if (isNative(info) && db.value(queries.recordsCompaction, { id: messages.ids[newest] ?? null }) !== undefined)
      continue
    const detail = 'the newest message is not in the window itself'
    yield { id: context.facts.messageId(newest), conversationId, detail }
  }
}
