import type { FamilyFaults } from './family.ts'
import { CALL } from './lossless.ts'

/** For the rules of `core/doctor/rules/tool-results.ts`. */
export const toolResultFaults: FamilyFaults = {
  lossless: [
    {
      name: 'result stored twice',
      rule: 'duplicate_tool_result',
      at: 'msg_16',
      damage: `UPDATE message_parts SET tool_call_id = '${CALL}' WHERE message_id = 16`,
    },
    {
      name: 'call that a later message in the window makes again',
      rule: 'tool_call_repeated',
      damage: (db) => {
        const answering = `SELECT message_id FROM messages JOIN context_items USING (message_id) WHERE role = 'assistant'`
        db.exec(`INSERT INTO message_parts (part_id, message_id, session_id, part_type, ordinal, tool_call_id, tool_name)
          SELECT 'again', again.message_id, session_id, 'tool', again.parts, tool_call_id, tool_name
          FROM (SELECT message_id, count(*) AS parts FROM message_parts WHERE message_id IN (${answering})
            GROUP BY message_id ORDER BY message_id DESC LIMIT 1) AS again
          JOIN message_parts AS p ON p.tool_call_id IS NOT NULL AND p.message_id < again.message_id
          WHERE p.message_id IN (${answering}) LIMIT 1`)
      },
    },
  ],
}
