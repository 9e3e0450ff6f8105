import type { FamilyFaults } from './family.ts'
import { looseMessages } from './lossless.ts'

/** For the rules of `core/doctor/rules/sequence.ts`. */
export const sequenceFaults: FamilyFaults = {
  lossless: [
    {
      name: 'number used twice',
      rule: 'sequence_duplicate',
      at: 'msg_11',
      damage: `${looseMessages} UPDATE messages SET seq = 10 WHERE message_id = 11`,
    },
    {
      name: 'gap in the numbers',
      rule: 'sequence_gap',
      at: 'msg_31',
      damage: 'UPDATE messages SET seq = seq + 1000 WHERE seq > 30',
    },
    {
      name: 'numbers that jump in the middle of a turn',
      rule: 'sequence_gap',
      at: 'msg_61',
      damage: 'UPDATE messages SET seq = seq + 10 WHERE seq > 60',
    },
  ],
}
