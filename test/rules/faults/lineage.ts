import { CONDENSED, type Fault, LEAVES, one } from './fault.ts'

export const lineageFaults: readonly Fault[] = [
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
