import { one, SUMMARIES } from './compacted.ts'
import type { FamilyFaults } from './family.ts'
import { at, summaries } from './generated.ts'
import { LEAF } from './lossless.ts'

/** For the rules of `core/doctor/rules/times.ts`. */
export const timeFaults: FamilyFaults = {
  compacted: [
    one(
      'a wrong time range',
      'time_range',
      SUMMARIES,
      'UPDATE summaries SET earliest_at = earliest_at - 90061000 WHERE summary_id = :id',
    ),
    one(
      'a time range that ends before it begins',
      'time_range',
      SUMMARIES,
      'UPDATE summaries SET earliest_at = latest_at + 5000, latest_at = earliest_at - 5000 WHERE summary_id = :id',
    ),
  ],
  lossless: [
    {
      name: 'range that ends before it begins',
      rule: 'time_range',
      at: LEAF,
      damage: `UPDATE summaries SET earliest_at = latest_at, latest_at = earliest_at WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'range that is missing',
      rule: 'time_range',
      at: LEAF,
      damage: `UPDATE summaries SET earliest_at = NULL, latest_at = NULL WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'range that is no time',
      rule: 'time_range',
      at: LEAF,
      damage: `UPDATE summaries SET earliest_at = 'yesterday' WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'message time that is no time',
      rule: 'impossible_time',
      at: 'msg_10',
      damage: `UPDATE messages SET created_at = 'soon' WHERE message_id = 10`,
    },
    {
      name: 'message of the future',
      rule: 'impossible_time',
      at: 'msg_10',
      damage: `UPDATE messages SET created_at = '2099-01-01 00:00:00' WHERE message_id = 10`,
    },
    {
      name: 'message from a month before its neighbours',
      rule: 'time_order',
      at: 'msg_60',
      damage: `UPDATE messages SET created_at = '2025-08-01 08:09:09' WHERE message_id = 60`,
    },
    {
      name: 'summary made at no time',
      rule: 'creation_time',
      at: LEAF,
      damage: `UPDATE summaries SET created_at = 'soon' WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'summary that is older than its messages',
      rule: 'creation_time',
      at: LEAF,
      damage: `UPDATE summaries SET created_at = '2020-01-01 00:00:00' WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'conversation that began at no time',
      rule: 'creation_time',
      damage: `UPDATE conversations SET created_at = 'x'`,
    },
  ],
  generated: [
    at(
      'time_range',
      (world) => summaries(world, '1'),
      (world, { id }) =>
        world.damage(
          `UPDATE summaries SET latest_at = ${world.form === 'native' ? 'latest_at + 86400000' : `'2031-01-01T00:00:00.000Z'`} WHERE summary_id = :id`,
          { id },
        ),
    ),
    at(
      'time_range',
      (world) => summaries(world, '1'),
      (world, { id }) =>
        world.damage('UPDATE summaries SET earliest_at = latest_at, latest_at = NULL WHERE summary_id = :id', { id }),
    ),
  ],
}
