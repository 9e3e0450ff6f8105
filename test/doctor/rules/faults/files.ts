import type { FamilyFaults } from './family.ts'
import { at, summaries } from './generated.ts'
import { LEAF, LOG } from './lossless.ts'

/** For the rules of `core/doctor/rules/files.ts`. */
export const fileFaults: FamilyFaults = {
  lossless: [
    {
      name: 'file of another size',
      rule: 'file_size',
      at: LOG,
      damage: `UPDATE large_files SET byte_size = 1 WHERE file_id = '${LOG}'`,
    },
    {
      name: 'file outside the store',
      rule: 'file_outside_store',
      at: LOG,
      damage: `UPDATE large_files SET storage_uri = '/etc/passwd' WHERE file_id = '${LOG}'`,
    },
    {
      name: 'path that climbs out',
      rule: 'file_outside_store',
      at: LOG,
      damage: `UPDATE large_files SET storage_uri = '/home/agent/.openclaw/lcm-files/1/../../../../etc/${LOG}.log' WHERE file_id = '${LOG}'`,
    },
    {
      name: 'file of another conversation',
      rule: 'file_outside_store',
      at: LOG,
      damage: `UPDATE large_files SET storage_uri = replace(storage_uri, '/1/', '/2/') WHERE file_id = '${LOG}'`,
    },
    {
      name: 'message that names an unknown file',
      rule: 'file_reference_unknown',
      at: 'msg_10',
      damage: `UPDATE messages SET large_content = 'file_0000000000000000' WHERE message_id = 10`,
    },
    {
      name: 'summary that names an unknown file',
      rule: 'file_reference_unknown',
      at: LEAF,
      damage: `UPDATE summaries SET file_ids = '["file_0000000000000000"]' WHERE summary_id = '${LEAF}'`,
    },
  ],
  generated: [
    at(
      'file_reference_unknown',
      (world) => summaries(world, '1'),
      (world, { id }) =>
        world.damage(`UPDATE summaries SET file_ids = '["file_0123456789abcdef"]' WHERE summary_id = :id`, { id }),
    ),
  ],
}
