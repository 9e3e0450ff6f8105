import { one, SUMMARIES } from './compacted.ts'
import type { FamilyFaults } from './family.ts'
import { at, messages, summaries } from './generated.ts'
import { LEAF } from './lossless.ts'

/** For the rules of `core/doctor/rules/token-counts.ts`. */
export const tokenFaults: FamilyFaults = {
  compacted: [
    one(
      'a summary with a wrong number of tokens',
      'token_drift',
      SUMMARIES,
      'UPDATE summaries SET token_count = 90000 WHERE summary_id = :id',
    ),
    one(
      'a message without a number of tokens',
      'token_drift',
      'SELECT message_id FROM messages WHERE length(content) > 200 ORDER BY message_id',
      'UPDATE messages SET token_count = 0 WHERE message_id = :id',
    ),
  ],
  lossless: [
    {
      name: 'huge number of tokens',
      rule: 'token_drift',
      at: 'msg_10',
      damage: 'UPDATE messages SET token_count = 900000 WHERE message_id = 10',
    },
    {
      name: 'summary with a huge number of tokens',
      rule: 'token_drift',
      at: LEAF,
      damage: `UPDATE summaries SET token_count = 90000 WHERE summary_id = '${LEAF}'`,
    },
    {
      name: 'summary with no tokens',
      rule: 'token_drift',
      at: LEAF,
      damage: `UPDATE summaries SET token_count = 0 WHERE summary_id = '${LEAF}'`,
    },
  ],
  generated: [
    at('token_drift', messages, (world, { id }) =>
      world.damage('UPDATE messages SET token_count = 0 WHERE message_id = :id', { id }),
    ),
    at('token_drift', messages, (world, { id }) =>
      world.damage('UPDATE messages SET token_count = 700000 WHERE message_id = :id', { id }),
    ),
    at(
      'token_drift',
      (world) => summaries(world, '1'),
      (world, { id }) => world.damage('UPDATE summaries SET token_count = 0 WHERE summary_id = :id', { id }),
    ),
  ],
}
