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
  ],
}
