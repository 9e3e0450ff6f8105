import { one, RAW, UNDER } from './compacted.ts'
import type { FamilyFaults } from './family.ts'
import { at, leaves, windowItems } from './generated.ts'
import { LEAF, NEWER, newestLeaf, SECOND } from './lossless.ts'

/** For the rules of `core/doctor/rules/coverage.ts`. */
export const coverageFaults: FamilyFaults = {
  compacted: [
    one('a message fell out of the window', 'coverage_gap', RAW, 'DELETE FROM context_items WHERE message_id = :id'),
    {
      name: 'a message stands beside its summary',
      rule: 'double_inclusion',
      inject: (memory, pick) => {
        const roots = memory.db.all<{ id: string; conversation: number }>(
          'SELECT summary_id AS id, conversation_id AS conversation FROM context_items WHERE summary_id IS NOT NULL ORDER BY ordinal',
        )
        if (roots.length === 0) return false
        const { id, conversation } = pick(roots)
        const leaf = memory.db.value<string>(UNDER, { id })
        const messages = memory.db.column<number>(
          'SELECT message_id FROM summary_messages WHERE summary_id = :leaf AND message_id NOT IN (SELECT message_id FROM context_items WHERE message_id IS NOT NULL) ORDER BY ordinal',
          { leaf: leaf ?? '' },
        )
        if (messages.length === 0) return false
        memory.damage("INSERT INTO context_items VALUES (:conversation, 900002, 'message', :message, NULL, 0)", {
          conversation,
          message: pick(messages),
        })
        return true
      },
    },
    {
      name: 'the newest message was summarised',
      rule: 'fresh_tail_compacted',
      inject: (memory, pick) => {
        const conversation = pick(memory.conversationIds)
        const raw = memory.db.column<number>(
          `SELECT message_id FROM context_items WHERE conversation_id = :c AND message_id IS NOT NULL
           AND ordinal > coalesce((SELECT max(ordinal) FROM context_items WHERE conversation_id = :c AND summary_id IS NOT NULL), -1)
         ORDER BY ordinal`,
          { c: conversation },
        )
        if (raw.length < 2) return false
        memory.leaf(conversation, raw.slice(-2), { content: 'The end.', tokens: 2 })
        return true
      },
    },
  ],
  lossless: [
    { name: 'window without items', rule: 'coverage_gap', at: 'msg_1', damage: 'DELETE FROM context_items' },
    {
      name: 'message twice in the window',
      rule: 'double_inclusion',
      at: 'msg_60',
      damage: `INSERT INTO context_items VALUES (1, 12, 'message', 60, NULL, datetime('now'))`,
    },
    {
      name: 'summary twice in the window',
      rule: 'double_inclusion',
      at: NEWER,
      damage: `INSERT INTO context_items VALUES (1, 12, 'summary', NULL, '${NEWER}', datetime('now'))`,
    },
    {
      name: 'message beside its summary',
      rule: 'double_inclusion',
      at: 'msg_58',
      damage: `UPDATE context_items SET ordinal = ordinal + 100 WHERE ordinal > 1; UPDATE context_items SET ordinal = ordinal - 99 WHERE ordinal > 1; INSERT INTO context_items VALUES (1, 2, 'message', 58, NULL, datetime('now'))`,
    },
    {
      name: 'source beside its dependent',
      rule: 'double_inclusion',
      at: SECOND,
      damage: `UPDATE context_items SET ordinal = ordinal + 100 WHERE ordinal > 0; UPDATE context_items SET ordinal = ordinal - 99 WHERE ordinal > 0; INSERT INTO context_items VALUES (1, 1, 'summary', NULL, '${SECOND}', datetime('now'))`,
    },
    {
      name: 'newest message compacted',
      rule: 'fresh_tail_compacted',
      at: 'msg_68',
      damage: `${newestLeaf} DELETE FROM context_items WHERE message_id IN (67, 68); INSERT INTO context_items VALUES (1, 10, 'summary', NULL, 'sum_1111111111111111', datetime('now'))`,
    },
    {
      name: 'link that is gone from the middle of a leaf',
      rule: 'coverage_gap',
      at: 'msg_',
      damage: `DELETE FROM summary_messages WHERE summary_id = '${LEAF}' AND ordinal = 1`,
    },
  ],
  generated: [
    at(
      'coverage_gap',
      (world) => windowItems(world, `message_id IN (SELECT message_id FROM messages WHERE role = 'user')`),
      (world, { message }) => world.damage('DELETE FROM context_items WHERE message_id = :message', { message }),
    ),
    at(
      'fresh_tail_compacted',
      (world) => windowItems(world, `message_id IN (SELECT max(message_id) FROM messages GROUP BY conversation_id)`),
      (world, { conversation, message }) => {
        const [leaf] = windowItems(world, `summary_id IS NOT NULL AND conversation_id = ${conversation}`).slice(-1)
        if (!leaf) return
        world.damage('DELETE FROM context_items WHERE message_id = :message', { message })
        const bottom = leaves(world).filter((node) => node.conversation === conversation)
        const newest = world.rows<{ id: string }>(
          'SELECT summary_id AS id FROM summary_messages WHERE message_id = (SELECT max(message_id) FROM summary_messages WHERE summary_id IN (SELECT value FROM json_each(:ids)))',
          { ids: JSON.stringify(bottom.map(({ id }) => id)) },
        )
        world.damage('INSERT INTO summary_messages (summary_id, message_id, ordinal) VALUES (:id, :message, 99)', {
          id: newest[0]?.id ?? '',
          message,
        })
      },
    ),
  ],
}
