import type { FamilyFaults } from './family.ts'

/** For the rules of `core/doctor/rules/database.ts`. */
export const databaseFaults: FamilyFaults = {
  lossless: [
    {
      name: 'part of a message that is gone',
      rule: 'foreign_keys',
      damage: `UPDATE message_parts SET message_id = 9999 WHERE message_id = 51`,
    },
    { name: 'conversation that is gone', rule: 'foreign_keys', damage: 'DELETE FROM conversations' },
  ],
}
