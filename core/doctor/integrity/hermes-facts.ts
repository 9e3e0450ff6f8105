import type { CheckContext, Finding } from './check.ts'
import type { BrokenLink } from './lineage-links.ts'
import { oncePerScan } from './once-per-scan.ts'

const queries = {
  unreadable: /* sql */ `
    SELECT CAST(node_id AS TEXT) FROM main.summary_nodes
    WHERE CASE WHEN json_valid(source_ids) THEN json_type(source_ids) <> 'array' ELSE 1 END
      OR source_type NOT IN ('messages', 'nodes') OR source_type IS NULL`,
  oddKinds: /* sql */ `
    SELECT s.summary_id AS id, s.conversation_id AS conversationId,
      'made from "' || substr(coalesce(n.source_type, ''), 1, 40) || '", which is no kind of source' AS detail
    FROM main.summary_nodes AS n
    JOIN temp.summaries AS s ON s.summary_rowid = n.node_id
    WHERE (n.source_type IS NULL OR n.source_type NOT IN ('messages', 'nodes'))
      AND (:conversation IS NULL OR s.conversation_id = :conversation)`,
  /** Nodes that were made before their session began: they moved over from the one before it. */
  carried: /* sql */ `
    SELECT CAST(n.node_id AS TEXT) FROM main.summary_nodes AS n
    WHERE NOT coalesce(n.latest_at >= (SELECT min(m.timestamp) FROM main.messages AS m WHERE m.session_id = n.session_id), 0)`,
  /** Conversations without a current session: their last one is over. */
  idle: /* sql */ `
    SELECT c.conversation_id
    FROM temp.hermes_conversations AS c JOIN main.lcm_lifecycle_state AS l ON l.conversation_id = c.key
    WHERE l.current_session_id IS NULL`,
  /** Messages and nodes of sessions that are over. */
  endedMessages: /* sql */ `
    SELECT h.message_id
    FROM temp.hermes_messages AS h
    JOIN temp.hermes_conversations AS c ON c.conversation_id = h.conversation_id
    JOIN main.messages AS m ON m.store_id = h.message_id
    WHERE m.session_id <> c.window_session OR c.conversation_id IN (SELECT value FROM json_each(:idle))`,
  endedNodes: /* sql */ `
    SELECT n.summary_id
    FROM temp.hermes_nodes AS n
    JOIN temp.hermes_conversations AS c ON c.conversation_id = n.conversation_id
    WHERE n.session_id <> c.window_session`,
  sessions: /* sql */ `SELECT count(DISTINCT session_id) FROM main.messages`,
  rollovers: /* sql */ `SELECT count(*) FROM main.lcm_lifecycle_state WHERE last_rollover_at IS NOT NULL`,
  lastNode: /* sql */ `SELECT seq FROM main.sqlite_sequence WHERE name = 'summary_nodes'`,
}

/** Depth from which on nodes outlive their session by the default rule of retention; another can be chosen. */
const KEPT_DEPTH = 2

const retentionOf = oncePerScan(({ db, probe }: CheckContext) => {
  const count = (sql: string): number => db.value<number>(sql) ?? 0
  const hasRollovers = probe.has('lcm_lifecycle_state', 'last_rollover_at') && count(queries.rollovers) > 0
  return {
    hasRolledOver: hasRollovers || count(queries.sessions) > 1,
    lastNode: count(queries.lastNode),
    unreadable: new Set(db.column<string>(queries.unreadable)),
    carried: new Set(probe.has('summary_nodes', 'latest_at') ? db.column<string>(queries.carried) : []),
  }
})

/** The window is that of one session. What was said in those before it, and what was made of it, is in none any more. */
const endedOf = oncePerScan((context: CheckContext) => {
  const { db, probe } = context
  const knowsIdle = retentionOf(context).hasRolledOver && probe.has('lcm_lifecycle_state', 'current_session_id')
  const idle = JSON.stringify(knowsIdle ? db.column<number>(queries.idle) : [])
  return {
    messages: new Set(db.column<number>(queries.endedMessages, { idle })),
    nodes: new Set(db.column<string>(queries.endedNodes)),
  }
})

/** What is true of files of hermes-lcm and LCM-X. */
export const hermesFacts = {
  /** When a session follows another, shallow nodes of the old one are deleted: what was made of them stays. */
  isPruned: (context: CheckContext, { summary, sourceId }: BrokenLink): boolean => {
    if (summary < 0 || !/^\d+$/.test(sourceId)) return false
    const { hasRolledOver, lastNode, carried } = retentionOf(context)
    const { id, depth } = context.facts.summaries.at(summary)
    return hasRolledOver && (depth >= KEPT_DEPTH || carried.has(id)) && Number(sourceId) <= lastNode
  },
  isUncoveredByDesign: (context: CheckContext, place: number): boolean =>
    endedOf(context).messages.has(context.facts.messages.ids[place] as number),
  isOrphanByDesign: (context: CheckContext, summary: number): boolean =>
    endedOf(context).nodes.has(context.facts.summaries.at(summary).id),
  isUnreadableLineage: (context: CheckContext, summaryId: string): boolean =>
    retentionOf(context).unreadable.has(summaryId),
  oddKinds: (context: CheckContext): Iterable<Finding> =>
    context.db.iterate<Finding>(queries.oddKinds, { conversation: context.conversationId }),
}
