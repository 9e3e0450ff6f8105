import type { SummaryGraph } from '../memory/summary-graph.ts'
import type { ReadDb } from '../sqlite/read-db.ts'

const queries = {
  strays: /* sql */ `
    SELECT DISTINCT m.message_id
    FROM summary_messages AS l
    JOIN messages AS m ON m.message_id = l.message_id
    WHERE l.summary_id IN (SELECT value FROM json_each(:ids)) AND m.conversation_id <> :conversation
      AND (:allowed IS NULL OR m.conversation_id IN (SELECT value FROM json_each(:allowed)))
    ORDER BY m.conversation_id, m.seq`,
  seqs: /* sql */ `SELECT seq FROM messages WHERE message_id IN (SELECT value FROM json_each(:ids))`,
}

/**
 * Messages of other conversations that some nodes name as their sources, which only happens in damaged files.
 * @param allowed conversations that may be read; null: all
 */
export function strayMessages(
  db: ReadDb,
  graph: SummaryGraph,
  nodes: readonly number[],
  allowed: readonly number[] | null = null,
): number[] {
  const ids = nodes.flatMap((index) => {
    const node = graph.nodes[index]
    return node && node.directStrays > 0 ? [node.id] : []
  })
  if (ids.length === 0) return []
  return db.column(queries.strays, {
    ids: JSON.stringify(ids),
    conversation: graph.history.conversationId,
    allowed: allowed && JSON.stringify(allowed),
  })
}

/** Sequence numbers of some messages, each in its own conversation. */
export const seqsOf = (db: ReadDb, messageIds: readonly number[]): number[] =>
  db.column<number>(queries.seqs, { ids: JSON.stringify(messageIds) })
