import { type Check, type CheckContext, type Finding, findByQuery } from './check.ts'

const reached = `
  reached (summary_id) AS (
    SELECT s.summary_id FROM context_items AS c JOIN summaries AS s ON s.summary_id = c.summary_id
    UNION
    SELECT s.summary_id
    FROM reached AS r
    JOIN summary_sources AS e ON e.summary_id = r.summary_id
    JOIN summaries AS s ON s.summary_id = e.source_summary_id
  )`

const queries = {
  dangling: `
    SELECT NULL AS id, c.conversation_id AS conversationId,
      'item ' || c.ordinal || ' names ' || coalesce('msg_' || c.message_id, c.summary_id, 'nothing') || ', which does not exist' AS detail
    FROM context_items AS c
    WHERE (:conversation IS NULL OR c.conversation_id = :conversation)
      AND ((c.item_type = 'message' AND NOT EXISTS (SELECT 1 FROM messages AS m WHERE m.message_id = c.message_id))
        OR (c.item_type = 'summary' AND NOT EXISTS (SELECT 1 FROM summaries AS s WHERE s.summary_id = c.summary_id)))`,
  gaps: `
    SELECT NULL AS id, conversationId, (ordinal - before - 1) || ' missing between items ' || before || ' and ' || ordinal AS detail
    FROM (
      SELECT conversation_id AS conversationId, ordinal,
        lag(ordinal, 1, -1) OVER (PARTITION BY conversation_id ORDER BY ordinal) AS before
      FROM context_items
      WHERE :conversation IS NULL OR conversation_id = :conversation
    )
    WHERE ordinal - before > 1`,
  duplicates: `
    SELECT NULL AS id, conversation_id AS conversationId, count(*) || ' items share place ' || ordinal AS detail
    FROM context_items
    WHERE :conversation IS NULL OR conversation_id = :conversation
    GROUP BY conversation_id, ordinal HAVING count(*) > 1`,
  items: `
    SELECT c.conversation_id AS conversationId, c.message_id AS messageId, c.summary_id AS summaryId, m.seq AS seq
    FROM context_items AS c
    LEFT JOIN messages AS m ON m.message_id = c.message_id
    WHERE :conversation IS NULL OR c.conversation_id = :conversation
    ORDER BY c.conversation_id, c.ordinal`,
  uncovered: `
    WITH RECURSIVE ${reached}
    SELECT 'msg_' || m.message_id AS id, m.conversation_id AS conversationId, m.role || ' message ' || m.seq AS detail
    FROM messages AS m
    WHERE (:conversation IS NULL OR m.conversation_id = :conversation)
      AND NOT EXISTS (SELECT 1 FROM context_items AS c WHERE c.message_id = m.message_id)
      AND NOT EXISTS (
        SELECT 1 FROM summary_messages AS e JOIN reached AS r ON r.summary_id = e.summary_id WHERE e.message_id = m.message_id
      )
      AND EXISTS (SELECT 1 FROM context_items AS c WHERE c.conversation_id = m.conversation_id)`,
  messageTwice: `
    WITH RECURSIVE ${reached}
    SELECT 'msg_' || c.message_id AS id, c.conversation_id AS conversationId, 'in the window and in ' || e.summary_id || ', which is seen too' AS detail
    FROM context_items AS c
    JOIN summary_messages AS e ON e.message_id = c.message_id
    WHERE (:conversation IS NULL OR c.conversation_id = :conversation)
      AND e.summary_id IN (SELECT summary_id FROM reached)`,
  summaryTwice: `
    SELECT c.summary_id AS id, c.conversation_id AS conversationId, 'listed ' || count(*) || ' times' AS detail
    FROM context_items AS c
    WHERE c.summary_id IS NOT NULL AND (:conversation IS NULL OR c.conversation_id = :conversation)
    GROUP BY c.conversation_id, c.summary_id HAVING count(*) > 1
    UNION ALL
    SELECT 'msg_' || c.message_id, c.conversation_id, 'listed ' || count(*) || ' times'
    FROM context_items AS c
    WHERE c.message_id IS NOT NULL AND (:conversation IS NULL OR c.conversation_id = :conversation)
    GROUP BY c.conversation_id, c.message_id HAVING count(*) > 1`,
  newestCovered: `
    SELECT 'msg_' || m.message_id AS id, m.conversation_id AS conversationId, 'the newest message is not in the window itself' AS detail
    FROM conversations AS v
    JOIN messages AS m ON m.conversation_id = v.conversation_id
      AND m.seq = (SELECT max(n.seq) FROM messages AS n WHERE n.conversation_id = v.conversation_id)
    WHERE (:conversation IS NULL OR v.conversation_id = :conversation)
      AND NOT EXISTS (SELECT 1 FROM context_items AS c WHERE c.message_id = m.message_id)
      AND EXISTS (SELECT 1 FROM summary_messages AS e WHERE e.message_id = m.message_id)`,
  splitPairs: `
    SELECT 'msg_' || r.message_id AS id, r.conversation_id AS conversationId,
      'the call ' || p.tool_call_id || ' of this result is not in the window' AS detail
    FROM context_items AS c
    JOIN messages AS r ON r.message_id = c.message_id AND r.role = 'tool'
    JOIN message_parts AS p ON p.message_id = r.message_id AND p.tool_call_id IS NOT NULL
    WHERE (:conversation IS NULL OR c.conversation_id = :conversation)
      AND NOT EXISTS (
        SELECT 1 FROM message_parts AS q
        JOIN messages AS a ON a.message_id = q.message_id AND a.role = 'assistant' AND a.conversation_id = r.conversation_id
        JOIN context_items AS d ON d.message_id = a.message_id
        WHERE q.tool_call_id = p.tool_call_id
      )`,
}

function* findOutOfOrder({ db, dag, conversationId }: CheckContext): Iterable<Finding | null> {
  type Row = { conversationId: number; messageId: number | null; summaryId: string | null; seq: number | null }
  let current: number | null = null
  let last = -Infinity
  for (const row of db.all<Row>(queries.items, { conversation: conversationId })) {
    if (row.conversationId !== current) last = -Infinity
    current = row.conversationId
    const range = row.summaryId === null ? undefined : dag().ranges.get(row.summaryId)
    const first = row.seq ?? range?.firstSeq
    if (first === undefined) continue
    const id = row.summaryId ?? `msg_${row.messageId}`
    yield first < last ? { id, conversationId: row.conversationId, detail: 'stands after later history' } : null
    last = Math.max(last, first)
  }
}

function* findDoubleInclusion(context: CheckContext): Iterable<Finding | null> {
  yield* findByQuery(context, queries.messageTwice)
  yield* findByQuery(context, queries.summaryTwice)
  const facts = context.dag()
  for (const id of facts.inContext) {
    const summary = facts.summaries.get(id)
    if (!summary || facts.cyclic.has(id)) continue
    const above = [...facts.reach(id, facts.dependents)].find((other) => facts.inContext.has(other))
    yield above === undefined
      ? null
      : { id, conversationId: summary.conversationId, detail: `in the window beside its dependent ${above}` }
  }
}

const storedWindow = ({ info }: CheckContext): string | null =>
  info.capabilities.storedWindow ? null : `${info.systemLabel} derives its window by a rule and stores none.`

export const contextChecks: readonly Check[] = [
  {
    id: 'dangling_item',
    group: 'context',
    severity: 'error',
    invariant: 'Every item of the window names a message or summary that exists.',
    explanation:
      'The window lists something that is not in the file; what the model sees there depends on the tool that reads it.',
    repairable: true,
    find: (context) => findByQuery(context, queries.dangling),
  },
  {
    id: 'ordinal_gap',
    group: 'context',
    severity: 'error',
    invariant: 'The places of the window are numbered from 0 without gaps.',
    explanation: 'Items are missing from the numbering of the window: something was removed outside a compaction.',
    repairable: true,
    notApplicable: (context) =>
      context.info.system === 'native' ? 'Native windows are ordered, not densely numbered.' : storedWindow(context),
    find: (context) => findByQuery(context, queries.gaps),
  },
  {
    id: 'ordinal_duplicate',
    group: 'context',
    severity: 'error',
    invariant: 'No two items of a window have the same place.',
    explanation: 'Two items claim one place, so that their order is left to chance.',
    repairable: true,
    find: (context) => findByQuery(context, queries.duplicates),
  },
  {
    id: 'context_order',
    group: 'context',
    severity: 'error',
    invariant: 'The window follows the order of the history.',
    explanation: 'The model reads the conversation in the wrong order.',
    repairable: true,
    find: findOutOfOrder,
  },
  {
    id: 'coverage_gap',
    group: 'context',
    severity: 'error',
    invariant: 'Every message is in the window, or covered by a summary that is.',
    explanation:
      'The agent can no longer reach these messages: they are neither in the window nor behind any summary in it.',
    repairable: true,
    find: (context) => findByQuery(context, queries.uncovered),
  },
  {
    id: 'double_inclusion',
    group: 'context',
    severity: 'warning',
    invariant: 'Nothing is in the window together with a summary that stands for it.',
    explanation: 'The model is shown the same history twice and the window pays for both.',
    repairable: true,
    find: findDoubleInclusion,
  },
  {
    id: 'fresh_tail_compacted',
    group: 'context',
    severity: 'warning',
    invariant: 'The newest message is in the window as it was written.',
    explanation:
      'The newest messages were summarised although the fresh tail protects them: the model answers to a summary.',
    repairable: false,
    notApplicable: storedWindow,
    find: (context) => findByQuery(context, queries.newestCovered),
  },
  {
    id: 'tool_pair_split',
    group: 'context',
    severity: 'warning',
    invariant: 'A tool result is in the window together with its call.',
    explanation:
      'Providers refuse a tool result without its call, so that this result is dropped or the request fails.',
    repairable: false,
    notApplicable: ({ info }) => (info.capabilities.parts ? null : `${info.systemLabel} stores no tool calls.`),
    find: (context) => findByQuery(context, queries.splitPairs),
  },
]
