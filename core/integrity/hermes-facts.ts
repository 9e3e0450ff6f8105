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
  sessions: /* sql */ `SELECT count(DISTINCT session_id) FROM main.messages`,
  rollovers: /* sql */ `SELECT count(*) FROM main.lcm_lifecycle_state WHERE last_rollover_at IS NOT NULL`,
  lastNode: /* sql */ `SELECT seq FROM main.sqlite_sequence WHERE name = 'summary_nodes'`,
}

/** Depth from which on nodes outlive their session by the default rule of retention. */
const KEPT_DEPTH = 2

const retentionOf = oncePerScan(({ db, probe }: CheckContext) => {
  const count = (sql: string): number => db.value<number>(sql) ?? 0
  const hasRollovers = probe.has('lcm_lifecycle_state', 'last_rollover_at') && count(queries.rollovers) > 0
  return {
    hasRolledOver: hasRollovers || count(queries.sessions) > 1,
    lastNode: count(queries.lastNode),
    unreadable: new Set(db.column<string>(queries.unreadable)),
  }
})

/** What is true of files of hermes-lcm and LCM-X. */
export const hermesFacts = {
  /** When a session follows another, shallow nodes of the old one are deleted: what was made of them stays. */
  isPruned: (context: CheckContext, { summary, sourceId }: BrokenLink): boolean => {
    if (summary < 0 || !/^\d+$/.test(sourceId) || context.facts.summaries.at(summary).depth < KEPT_DEPTH) return false
    const { hasRolledOver, lastNode } = retentionOf(context)
    return hasRolledOver && Number(sourceId) <= lastNode
  },
  isUnreadableLineage: (context: CheckContext, summaryId: string): boolean =>
    retentionOf(context).unreadable.has(summaryId),
  oddKinds: (context: CheckContext): Iterable<Finding> =>
    context.db.iterate<Finding>(queries.oddKinds, { conversation: context.conversationId }),
}
