import { LEAVES, one, SUMMARIES } from './compacted.ts'
import type { FamilyFaults } from './family.ts'
import { at, messages } from './generated.ts'

/** For the rules of `core/doctor/rules/hashes.ts`. */
export const hashFaults: FamilyFaults = {
  compacted: [
    one(
      'a leaf lost one message',
      'summary_hash',
      LEAVES,
      'DELETE FROM summary_messages WHERE summary_id = :id AND ordinal = (SELECT min(ordinal) FROM summary_messages WHERE summary_id = :id)',
    ),
    one('a wrong hash', 'summary_hash', SUMMARIES, 'UPDATE summaries SET summary_hash = :hash WHERE summary_id = :id', {
      hash: 'f'.repeat(64),
    }),
    one(
      'a text that was changed',
      'summary_hash',
      SUMMARIES,
      "UPDATE summaries SET content = content || ' And more.' WHERE summary_id = :id",
    ),
  ],
  lossless: [
    {
      name: 'text that was changed',
      rule: 'content_hash',
      at: 'msg_10',
      damage: `UPDATE messages SET content = 'forged' WHERE message_id = 10; UPDATE messages_fts SET content = 'forged' WHERE rowid = 10`,
    },
    {
      name: 'message whose hash is gone among messages that have one',
      rule: 'content_hash',
      at: 'msg_30',
      damage: 'UPDATE messages SET identity_hash = NULL WHERE message_id = 30',
    },
  ],
  generated: [
    at('content_hash', messages, (world, { id }) =>
      world.damage(`UPDATE messages SET content = content || ' forged' WHERE message_id = :id`, { id }),
    ),
  ],
}
