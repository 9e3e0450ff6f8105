import { one, SUMMARIES } from './compacted.ts'
import type { FamilyFaults } from './family.ts'
import { at, summaries } from './generated.ts'
import { LEAF, WITH_FILE } from './lossless.ts'

/** For the rules of `core/doctor/rules/json.ts`. */
export const jsonFaults: FamilyFaults = {
  compacted: [
    one(
      'a list of files that is no list',
      'malformed_json',
      SUMMARIES,
      "UPDATE summaries SET file_ids = '[\"file_' WHERE summary_id = :id",
    ),
  ],
  lossless: [
    {
      name: 'broken list of files',
      rule: 'malformed_json',
      at: WITH_FILE,
      damage: `UPDATE summaries SET file_ids = '["file_bc41' WHERE summary_id = '${WITH_FILE}'`,
    },
    {
      name: 'list of files that is none',
      rule: 'malformed_json',
      at: LEAF,
      damage: `UPDATE summaries SET file_ids = '{}' WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'broken arguments of a call',
      rule: 'malformed_json',
      at: 'msg_22',
      damage: `UPDATE message_parts SET tool_input = '{"path":' WHERE message_id = 22`,
    },
  ],
  generated: [
    at(
      'malformed_json',
      (world) => summaries(world, '1'),
      (world, { id }) => world.damage(`UPDATE summaries SET file_ids = '["file_' WHERE summary_id = :id`, { id }),
    ),
  ],
}
