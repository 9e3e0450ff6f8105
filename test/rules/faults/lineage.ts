import { CONDENSED, type Fault, IN_WINDOW, LEAVES, one, SUMMARIES } from './fault.ts'

export const lineageFaults: readonly Fault[] = [
  one(
    'a summary lost its links',
    'summary_without_source',
    LEAVES,
    'DELETE FROM summary_messages WHERE summary_id = :id',
  ),
  one(
    'a condensed node lost its links',
    'summary_without_source',
    CONDENSED,
    'DELETE FROM summary_sources WHERE summary_id = :id',
  ),
  {
    name: 'a summary lost its links, and nothing tells which',
    rule: 'summary_without_source',
    inject: (memory, pick) => {
      const leaves = memory.db.column<string>(LEAVES)
      if (leaves.length === 0) return false
      const id = pick(leaves)
      memory.damage('DELETE FROM summary_messages WHERE summary_id = :id', { id })
      memory.damage("UPDATE summaries SET content = content || ' Altered.' WHERE summary_id = :id", { id })
      memory.damage('DELETE FROM compaction_events WHERE summary_id = :id', { id })
      return true
    },
  },
  one(
    'a leaf calls itself condensed',
    'kind_mismatch',
    LEAVES,
    "UPDATE summaries SET kind = 'condensed' WHERE summary_id = :id",
  ),
  one(
    'a condensed node calls itself a leaf',
    'kind_mismatch',
    CONDENSED,
    "UPDATE summaries SET kind = 'leaf' WHERE summary_id = :id",
  ),
  one(
    'a summary was deleted beneath another',
    'dangling_edge',
    'SELECT source_summary_id FROM summary_sources ORDER BY 1',
    'DELETE FROM summaries WHERE summary_id = :id',
  ),
  one(
    'a link leads to no message',
    'dangling_edge',
    LEAVES,
    'INSERT INTO summary_messages VALUES (:id, 987654321, 999)',
  ),
  one(
    'a link leads to no summary',
    'dangling_edge',
    CONDENSED,
    "INSERT INTO summary_sources VALUES (:id, 'sum_never', 999)",
  ),
  one(
    'links of nobody',
    'dangling_edge',
    'SELECT message_id FROM messages ORDER BY 1',
    "INSERT INTO summary_messages VALUES ('sum_nobody', :id, 0)",
  ),
  one('a summary is its own source', 'lineage_cycle', CONDENSED, 'INSERT INTO summary_sources VALUES (:id, :id, 999)'),
  {
    name: 'a summary is made from what is made from it',
    rule: 'lineage_cycle',
    inject: (memory, pick) => {
      const edges = memory.db.all<{ made: string; source: string }>(
        `SELECT e.summary_id AS made, e.source_summary_id AS source FROM summary_sources AS e
         JOIN summaries AS s ON s.summary_id = e.source_summary_id AND s.kind = 'condensed' ORDER BY 1, 2`,
      )
      if (edges.length === 0) return false
      memory.damage('INSERT INTO summary_sources VALUES (:source, :made, 999)', pick(edges))
      return true
    },
  },
  one('a wrong depth', 'depth_mismatch', SUMMARIES, 'UPDATE summaries SET depth = depth + 3 WHERE summary_id = :id'),
  one('a summary nobody leads to', 'orphan_summary', IN_WINDOW, 'DELETE FROM context_items WHERE summary_id = :id'),
  {
    name: 'a link into another conversation',
    rule: 'cross_conversation_edge',
    inject: (memory, pick) => {
      const leaves = memory.db.column<string>(LEAVES)
      if (leaves.length === 0) return false
      const id = pick(leaves)
      const other = memory.db.column<number>(
        `SELECT message_id FROM messages WHERE conversation_id <> (SELECT conversation_id FROM summaries WHERE summary_id = :id)
         ORDER BY message_id`,
        { id },
      )
      if (other.length === 0) return false
      memory.damage('INSERT INTO summary_messages VALUES (:id, :message, 999)', { id, message: pick(other) })
      return true
    },
  },
]
