import { IN_WINDOW, one } from './compacted.ts'
import type { FamilyFaults } from './family.ts'
import { at, windowItems } from './generated.ts'
import { loose, NEWER, otherConversation } from './lossless.ts'

/** For the rules of `core/doctor/rules/window.ts`. */
export const windowFaults: FamilyFaults = {
  compacted: [
    one(
      'a window entry leads to no message',
      'dangling_item',
      'SELECT conversation_id FROM conversations',
      "INSERT INTO context_items VALUES (:id, 900000, 'message', 987654321, NULL, 0)",
    ),
    one(
      'a window entry leads to no summary',
      'dangling_item',
      'SELECT conversation_id FROM conversations',
      "INSERT INTO context_items VALUES (:id, 900001, 'summary', NULL, 'sum_never', 0)",
    ),
    one(
      'a summary stands behind what came later',
      'context_order',
      IN_WINDOW,
      'UPDATE context_items SET ordinal = ordinal + 1000000 WHERE summary_id = :id',
    ),
  ],
  lossless: [
    {
      name: 'item of a message that is gone',
      rule: 'dangling_item',
      damage: 'UPDATE context_items SET message_id = 9999 WHERE message_id = 60',
    },
    {
      name: 'item of another conversation',
      rule: 'dangling_item',
      damage: `${otherConversation} DELETE FROM context_items WHERE conversation_id = 7; INSERT INTO context_items VALUES (1, 12, 'message', 700, NULL, datetime('now'))`,
    },
    {
      name: 'window that begins at one',
      rule: 'ordinal_gap',
      damage: 'UPDATE context_items SET ordinal = ordinal + 100; UPDATE context_items SET ordinal = ordinal - 99',
    },
    {
      name: 'two items at one position',
      rule: 'ordinal_duplicate',
      damage: `${loose('context_items')} UPDATE context_items SET ordinal = 4 WHERE ordinal = 5`,
    },
    {
      name: 'messages in the wrong order',
      rule: 'context_order',
      at: 'msg_60',
      damage:
        'UPDATE context_items SET ordinal = 103 WHERE ordinal = 3; UPDATE context_items SET ordinal = 3 WHERE ordinal = 4; UPDATE context_items SET ordinal = 4 WHERE ordinal = 103',
    },
    {
      name: 'summary behind the newest message',
      rule: 'context_order',
      at: NEWER,
      damage: `UPDATE context_items SET ordinal = 12 WHERE summary_id = '${NEWER}'; UPDATE context_items SET ordinal = ordinal + 100 WHERE ordinal > 1; UPDATE context_items SET ordinal = ordinal - 101 WHERE ordinal > 100`,
    },
  ],
  generated: [
    at(
      'dangling_item',
      (world) => windowItems(world, `message_id IN (SELECT message_id FROM messages WHERE role = 'user')`),
      (world, { message }) =>
        world.damage('UPDATE context_items SET message_id = 99999 WHERE message_id = :message', { message }),
    ),
    at(
      'context_order',
      (world) => windowItems(world, 'ordinal > 0 AND summary_id IS NOT NULL'),
      (world, { conversation, ordinal }) => {
        const [before] = world.rows<{ ordinal: number }>(
          'SELECT max(ordinal) AS ordinal FROM context_items WHERE conversation_id = :conversation AND ordinal < :ordinal',
          { conversation, ordinal },
        )
        const move = (from: number, to: number): void =>
          world.damage(
            'UPDATE context_items SET ordinal = :to WHERE conversation_id = :conversation AND ordinal = :from',
            { conversation, from, to: BigInt(to) },
          )
        move(ordinal, 99_999)
        move(before?.ordinal ?? 0, ordinal)
        move(99_999, before?.ordinal ?? 0)
      },
    ),
  ],
}
