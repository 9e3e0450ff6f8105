import { CONDENSED, LEAVES, one } from './compacted.ts'
import type { FamilyFaults } from './family.ts'
import { at, inNoWindow, leaves, messages, summaries } from './generated.ts'
import { FIRST, LEAF, otherConversation } from './lossless.ts'

/** For the rules of `core/doctor/rules/lineage.ts`. */
export const lineageFaults: FamilyFaults = {
  compacted: [
    one(
      'a source of a summary was deleted',
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
  ],
  lossless: [
    {
      name: 'edge to a summary that is gone',
      rule: 'dangling_edge',
      at: FIRST,
      damage: `UPDATE summary_parents SET parent_summary_id = 'sum_ffffffffffffffff' WHERE parent_summary_id = '${LEAF}'`,
    },
    {
      name: 'edge of a summary that is gone',
      rule: 'dangling_edge',
      damage: `INSERT INTO summary_parents VALUES ('sum_ffffffffffffffff', '${LEAF}', 0)`,
    },
    {
      name: 'message link that leads nowhere',
      rule: 'dangling_edge',
      at: LEAF,
      damage: `INSERT INTO summary_messages VALUES ('${LEAF}', 9999, 9)`,
    },
    {
      name: 'message that was deleted',
      rule: 'dangling_edge',
      at: LEAF,
      damage:
        'DELETE FROM message_parts WHERE message_id = 2; DELETE FROM messages_fts WHERE rowid = 2; DELETE FROM messages WHERE message_id = 2',
    },
    {
      name: 'summary that was deleted',
      rule: 'dangling_edge',
      at: FIRST,
      damage: `DELETE FROM summaries_fts WHERE summary_id = '${LEAF}'; DELETE FROM summaries_fts_cjk WHERE summary_id = '${LEAF}'; DELETE FROM summaries WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'message of another conversation',
      rule: 'cross_conversation_edge',
      at: LEAF,
      damage: `${otherConversation} INSERT INTO summary_messages VALUES ('${LEAF}', 700, 9)`,
    },
    {
      name: 'summary of another conversation',
      rule: 'cross_conversation_edge',
      at: FIRST,
      damage: `${otherConversation} UPDATE summaries SET conversation_id = 7 WHERE summary_id = '${LEAF}'`,
    },
  ],
  generated: [
    at(
      'dangling_edge',
      (world) => summaries(world, `${inNoWindow} AND kind = 'leaf'`),
      (world, { id }) => world.damage('DELETE FROM summaries WHERE summary_id = :id', { id }),
    ),
    at(
      'dangling_edge',
      (world) => messages(world, 'EXISTS (SELECT 1 FROM summary_messages AS l WHERE l.message_id = m.message_id)'),
      (world, { id }) => world.damage('DELETE FROM messages WHERE message_id = :id', { id }),
    ),
    at('cross_conversation_edge', leaves, (world, { id, conversation }) => {
      const other = world.random.pick(
        messages(world, 'EXISTS (SELECT 1 FROM context_items AS c WHERE c.message_id = m.message_id)').filter(
          (message) => message.conversation !== conversation,
        ),
      )
      world.damage('INSERT INTO summary_messages (summary_id, message_id, ordinal) VALUES (:id, :message, 99)', {
        id,
        message: other.id,
      })
    }),
  ],
}
