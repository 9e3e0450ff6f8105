import { type Check, type CheckContext, type Finding, findByQuery } from './check.ts'

const queries = {
  withoutSource: `
    SELECT s.summary_id AS id, s.conversation_id AS conversationId, s.kind || ' without a source' AS detail
    FROM summaries AS s
    WHERE (:conversation IS NULL OR s.conversation_id = :conversation)
      AND NOT EXISTS (SELECT 1 FROM summary_messages AS e WHERE e.summary_id = s.summary_id)
      AND NOT EXISTS (SELECT 1 FROM summary_sources AS e WHERE e.summary_id = s.summary_id)`,
  kindMismatch: `
    SELECT s.summary_id AS id, s.conversation_id AS conversationId,
      CASE s.kind WHEN 'leaf' THEN 'a leaf made from summaries' ELSE 'condensed, but made from messages only' END AS detail
    FROM summaries AS s
    WHERE (:conversation IS NULL OR s.conversation_id = :conversation)
      AND ((s.kind = 'leaf' AND EXISTS (SELECT 1 FROM summary_sources AS e WHERE e.summary_id = s.summary_id))
        OR (s.kind = 'condensed' AND NOT EXISTS (SELECT 1 FROM summary_sources AS e WHERE e.summary_id = s.summary_id)
          AND EXISTS (SELECT 1 FROM summary_messages AS e WHERE e.summary_id = s.summary_id)))`,
  dangling: `
    SELECT e.summary_id AS id, s.conversation_id AS conversationId,
      CASE WHEN s.summary_id IS NULL THEN 'links of a summary that does not exist'
        ELSE 'its source msg_' || e.message_id || ' does not exist' END AS detail
    FROM summary_messages AS e
    LEFT JOIN summaries AS s ON s.summary_id = e.summary_id
    WHERE (:conversation IS NULL OR s.conversation_id = :conversation)
      AND (s.summary_id IS NULL OR NOT EXISTS (SELECT 1 FROM messages AS m WHERE m.message_id = e.message_id))
    UNION ALL
    SELECT e.summary_id, s.conversation_id,
      CASE WHEN s.summary_id IS NULL THEN 'links of a summary that does not exist'
        ELSE 'its source ' || e.source_summary_id || ' does not exist' END
    FROM summary_sources AS e
    LEFT JOIN summaries AS s ON s.summary_id = e.summary_id
    WHERE (:conversation IS NULL OR s.conversation_id = :conversation)
      AND (s.summary_id IS NULL OR NOT EXISTS (SELECT 1 FROM summaries AS o WHERE o.summary_id = e.source_summary_id))`,
  crossConversation: `
    SELECT s.summary_id AS id, s.conversation_id AS conversationId,
      'its source msg_' || m.message_id || ' is of conversation ' || m.conversation_id AS detail
    FROM summary_messages AS e
    JOIN summaries AS s ON s.summary_id = e.summary_id
    JOIN messages AS m ON m.message_id = e.message_id
    WHERE m.conversation_id <> s.conversation_id AND (:conversation IS NULL OR s.conversation_id = :conversation)
    UNION ALL
    SELECT s.summary_id, s.conversation_id, 'its source ' || o.summary_id || ' is of conversation ' || o.conversation_id
    FROM summary_sources AS e
    JOIN summaries AS s ON s.summary_id = e.summary_id
    JOIN summaries AS o ON o.summary_id = e.source_summary_id
    WHERE o.conversation_id <> s.conversation_id AND (:conversation IS NULL OR s.conversation_id = :conversation)`,
  duplicateEdge: `
    SELECT e.summary_id AS id, s.conversation_id AS conversationId,
      'msg_' || e.message_id || ' is listed ' || count(*) || ' times' AS detail
    FROM summary_messages AS e JOIN summaries AS s ON s.summary_id = e.summary_id
    WHERE :conversation IS NULL OR s.conversation_id = :conversation
    GROUP BY e.summary_id, e.message_id HAVING count(*) > 1
    UNION ALL
    SELECT e.summary_id, s.conversation_id, e.source_summary_id || ' is listed ' || count(*) || ' times'
    FROM summary_sources AS e JOIN summaries AS s ON s.summary_id = e.summary_id
    WHERE :conversation IS NULL OR s.conversation_id = :conversation
    GROUP BY e.summary_id, e.source_summary_id HAVING count(*) > 1`,
  messageOrder: `
    SELECT id, conversationId, 'msg_' || messageId || ' stands after a later message' AS detail
    FROM (
      SELECT e.summary_id AS id, s.conversation_id AS conversationId, e.message_id AS messageId, m.seq AS seq,
        lag(m.seq) OVER (PARTITION BY e.summary_id ORDER BY e.ordinal) AS before
      FROM summary_messages AS e
      JOIN summaries AS s ON s.summary_id = e.summary_id
      JOIN messages AS m ON m.message_id = e.message_id
      WHERE :conversation IS NULL OR s.conversation_id = :conversation
    )
    WHERE before > seq`,
  doublyLinked: `
    SELECT e.message_id AS messageId, m.conversation_id AS conversationId, group_concat(e.summary_id, char(10)) AS leaves
    FROM summary_messages AS e
    JOIN messages AS m ON m.message_id = e.message_id
    WHERE :conversation IS NULL OR m.conversation_id = :conversation
    GROUP BY e.message_id HAVING count(DISTINCT e.summary_id) > 1`,
}

function* findCycles({ dag }: CheckContext): Iterable<Finding> {
  const facts = dag()
  for (const id of facts.cyclic) {
    const conversationId = facts.summaries.get(id)?.conversationId ?? null
    yield { id, conversationId, detail: 'reaches itself through its sources' }
  }
}

function* findWrongDepths({ dag }: CheckContext): Iterable<Finding | null> {
  const facts = dag()
  for (const summary of facts.summaries.values()) {
    const known = (facts.sources.get(summary.id) ?? [])
      .map((id) => facts.summaries.get(id))
      .filter((source) => source !== undefined)
    const isOnCycle = facts.cyclic.has(summary.id)
    const expected = summary.kind === 'leaf' ? 0 : Math.max(...known.map((source) => source.depth)) + 1
    const isJudgeable = summary.kind === 'leaf' || (known.length > 0 && !isOnCycle)
    if (!isJudgeable || summary.depth === expected) yield null
    else
      yield {
        id: summary.id,
        conversationId: summary.conversationId,
        detail: `depth ${summary.depth}, its sources make it ${expected}`,
      }
  }
}

function* findSourcesOutOfOrder(context: CheckContext): Iterable<Finding | null> {
  yield* findByQuery(context, queries.messageOrder)
  const facts = context.dag()
  for (const [id, sources] of facts.sources) {
    const summary = facts.summaries.get(id)
    if (!summary) continue
    let last = -Infinity
    for (const source of sources) {
      const first = facts.ranges.get(source)?.firstSeq
      if (first === undefined) continue
      if (first < last)
        yield { id, conversationId: summary.conversationId, detail: `${source} stands after a later source` }
      last = Math.max(last, first)
    }
    yield null
  }
}

/** Two leaves over one message are fine under one dependent (a rewrite in progress); apart they say it twice. */
function* findDoubleCoverage({ db, dag, conversationId }: CheckContext): Iterable<Finding | null> {
  type Row = { messageId: number; conversationId: number; leaves: string }
  for (const row of db.all<Row>(queries.doublyLinked, { conversation: conversationId })) {
    const [first, ...rest] = [...new Set(row.leaves.split('\n'))]
    if (first === undefined) continue
    const above = dag().reach(first, dag().dependents)
    const apart = rest.filter((leaf) => ![...dag().reach(leaf, dag().dependents)].some((id) => above.has(id)))
    if (apart.length === 0) yield null
    else
      yield {
        id: `msg_${row.messageId}`,
        conversationId: row.conversationId,
        detail: `in ${[first, ...apart].join(' and ')}`,
      }
  }
}

function* findOrphans({ dag }: CheckContext): Iterable<Finding | null> {
  const facts = dag()
  for (const summary of facts.summaries.values()) {
    const isUsed =
      facts.inContext.has(summary.id) || (facts.dependents.get(summary.id) ?? []).some((id) => facts.summaries.has(id))
    yield isUsed
      ? null
      : { id: summary.id, conversationId: summary.conversationId, detail: `${summary.kind} depth ${summary.depth}` }
  }
}

export const lineageChecks: readonly Check[] = [
  {
    id: 'summary_without_source',
    group: 'lineage',
    severity: 'error',
    invariant: 'Every summary links to at least one message or summary.',
    explanation:
      'Nobody can tell what these summaries stand for: they expand to nothing, and what they say cannot be checked.',
    repairable: false,
    find: (context) => findByQuery(context, queries.withoutSource),
  },
  {
    id: 'kind_mismatch',
    group: 'lineage',
    severity: 'error',
    invariant: 'A leaf is made from messages, a condensed node from summaries.',
    explanation:
      'The kind of these summaries contradicts what they are linked to, so tools that trust the kind walk the wrong way.',
    repairable: true,
    find: (context) => findByQuery(context, queries.kindMismatch),
  },
  {
    id: 'dangling_edge',
    group: 'lineage',
    severity: 'error',
    invariant: 'Both ends of every lineage link exist.',
    explanation:
      'A link leads to something that is not in the file: expanding stops there, and what stood behind it cannot be reached.',
    repairable: true,
    find: (context) => findByQuery(context, queries.dangling),
  },
  {
    id: 'cross_conversation_edge',
    group: 'lineage',
    severity: 'error',
    invariant: 'A summary and its sources belong to one conversation.',
    explanation:
      'A summary stands for history of another conversation: the agent is told of things that happened elsewhere.',
    repairable: false,
    find: (context) => findByQuery(context, queries.crossConversation),
  },
  {
    id: 'lineage_cycle',
    group: 'lineage',
    severity: 'error',
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
    invariant: 'A leaf has depth 0, a condensed node one more than its deepest source.',
    explanation:
      'The stored depth is wrong, so the next condensed pass groups these summaries with the wrong neighbours.',
    repairable: true,
    find: findWrongDepths,
  },
  {
    id: 'duplicate_edge',
    group: 'lineage',
    severity: 'error',
    invariant: 'A summary lists each source once.',
    explanation: 'A source is listed more than once: counts are too high, and expanding repeats it.',
    repairable: true,
    find: (context) => findByQuery(context, queries.duplicateEdge),
  },
  {
    id: 'source_order',
    group: 'lineage',
    severity: 'warning',
    invariant: 'The sources of a summary stand in the order of the history.',
    explanation: 'Expanding these summaries gives the history in the wrong order.',
    repairable: true,
    find: findSourcesOutOfOrder,
  },
  {
    id: 'double_coverage',
    group: 'lineage',
    severity: 'warning',
    invariant: 'A message is under one leaf, or under leaves that share a dependent.',
    explanation:
      'These messages were summarised twice: the window says the same thing in two places and pays for both.',
    repairable: false,
    find: findDoubleCoverage,
  },
  {
    id: 'orphan_summary',
    group: 'lineage',
    severity: 'warning',
    invariant: 'Every summary is in the window or a source of another summary.',
    explanation: 'Nothing leads to these summaries any more. What they stand for may be out of reach for the agent.',
    repairable: true,
    find: findOrphans,
  },
]
