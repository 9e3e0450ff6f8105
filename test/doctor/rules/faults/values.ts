import { one, SUMMARIES } from './compacted.ts'
import type { FamilyFaults } from './family.ts'
import { LEAF, looseMessages, OUTPUT } from './lossless.ts'

/** For the rules of `core/doctor/rules/values.ts`. */
export const valueFaults: FamilyFaults = {
  compacted: [
    one(
      'an impossible kind',
      'invalid_value',
      SUMMARIES,
      "UPDATE summaries SET kind = 'branch' WHERE summary_id = :id",
    ),
  ],
  lossless: [
    {
      name: 'unknown kind',
      rule: 'invalid_value',
      at: LEAF,
      damage: `UPDATE summaries SET kind = 'rolled' WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'negative depth',
      rule: 'invalid_value',
      at: LEAF,
      damage: `UPDATE summaries SET depth = -1 WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'negative number of tokens',
      rule: 'invalid_value',
      at: 'msg_10',
      damage: 'UPDATE messages SET token_count = -5 WHERE message_id = 10',
    },
    {
      name: 'unknown role',
      rule: 'invalid_value',
      at: 'msg_10',
      damage: `UPDATE messages SET role = 'robot' WHERE message_id = 10`,
    },
    {
      name: 'message without text',
      rule: 'invalid_value',
      at: 'msg_10',
      damage: `${looseMessages} UPDATE messages SET content = NULL WHERE message_id = 10; DELETE FROM messages_fts WHERE rowid = 10`,
    },
    {
      name: 'unknown type of part',
      rule: 'invalid_value',
      at: 'msg_10',
      damage: `UPDATE message_parts SET part_type = 'hologram' WHERE message_id = 10`,
    },
    {
      name: 'conversation of no session',
      rule: 'invalid_value',
      damage: `UPDATE conversations SET session_id = ' '`,
    },
    {
      name: 'file of a negative size',
      rule: 'invalid_value',
      at: OUTPUT,
      damage: `UPDATE large_files SET byte_size = -1 WHERE file_name = 'bash.txt'`,
    },
  ],
}
