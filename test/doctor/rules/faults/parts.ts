import type { FamilyFaults } from './family.ts'

/** For the rules of `core/doctor/rules/parts.ts`. */
export const partFaults: FamilyFaults = {
  lossless: [
    {
      name: 'part of another session',
      rule: 'part_session',
      at: 'msg_20',
      damage: `UPDATE message_parts SET session_id = 'elsewhere' WHERE message_id = 20`,
    },
    {
      name: 'message without its parts',
      rule: 'part_missing',
      at: 'msg_16',
      damage: 'DELETE FROM message_parts WHERE message_id = 16',
    },
    {
      name: 'part that is gone from the middle',
      rule: 'part_order',
      damage: `UPDATE message_parts SET ordinal = 7 WHERE part_id = (SELECT part_id FROM message_parts WHERE ordinal = 1 LIMIT 1)`,
    },
    {
      name: 'part whose text was changed',
      rule: 'part_text',
      at: 'msg_1',
      damage: `UPDATE message_parts SET text_content = 'forged' WHERE message_id = 1`,
    },
    {
      name: 'result that names no call',
      rule: 'tool_result_uncalled',
      at: 'msg_16',
      damage: 'UPDATE message_parts SET tool_call_id = NULL WHERE message_id = 16',
    },
  ],
}
