import { type Check, type CheckContext, type Finding, findByQuery, isAsked } from './rule.ts'

const queries = {
  duplicateMessages: /* sql */ `
    SELECT e.summary_id AS id, s.conversation_id AS conversationId,
      'msg_' || e.message_id || ' is listed ' || count(*) || ' times' AS detail
    FROM summary_messages AS e JOIN summaries AS s ON s.summary_id = e.summary_id
    WHERE :conversation IS NULL OR s.conversation_id = :conversation
    GROUP BY e.summary_id, e.message_id HAVING count(*) > 1`,
}

function* findDuplicateEdges(context: CheckContext): Iterable<Finding | null> {
  const { summaries, links } = context.facts
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

/** Then nothing is there twice, which is the usual case and quickly told. */
function isAscending(places: Int32Array): boolean {
  for (let at = 1; at < places.length; at += 1) {
    if ((places[at] as number) <= (places[at - 1] as number)) return false
  }
  return true
}

function* findSourcesOutOfOrder(context: CheckContext): Iterable<Finding | null> {
  const { summaries, links, extents, order, messages } = context.facts
  for (const { index, id, conversationId } of summaries.rows) {
    yield null
    if (!isAsked(context, conversationId) || order.onCycle[index] === 1) continue
    let before = -1
    for (const place of links.messagesOf(index)) {
      if (place < 0 || messages.conversationAt(place) !== conversationId) continue
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

function* findSourceGaps(context: CheckContext): Iterable<Finding | null> {
  const { summaries, links } = context.facts
  for (const { index, id, conversationId } of summaries.rows) {
    yield links.sparse.has(index) && isAsked(context, conversationId)
      ? { id, conversationId, detail: 'the numbers of its sources have a gap, or one of them stands twice' }
      : null
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
    const detail = `in ${names.join(' and ')}`
    yield { id: context.facts.messageId(place), conversationId, detail, mark: names.join(' ') }
  }
}

/** Why a system's summaries may overlap and stand alone; null where they may not. */
export const freeSummaries = ({ info }: CheckContext): string | null =>
  info.capabilities.freeSummaries ? `${info.systemLabel} makes summaries of whatever it is asked for.` : null

export const linkChecks: readonly Check[] = [
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
    explanation:
      'A source stands behind one that came later: expanding these summaries gives the history in the wrong order.',
    repairable: true,
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
    repairable: false,
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
    notApplicable: ({ dialect, info }) =>
      dialect.hasDenseLinks ? null : `${info.systemLabel} does not number sources without gaps.`,
    find: findSourceGaps,
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
]
