import type { FamilyFaults } from './family.ts'

/** For the rules of `core/doctor/rules/tables.ts`. */
export const tableFaults: FamilyFaults = {
  lossless: [
    {
      name: 'migration that is not recorded',
      rule: 'schema_incomplete',
      damage: `DELETE FROM lcm_migration_state WHERE step_name = 'backfillSummaryDepths'`,
    },
    { name: 'index that is missing', rule: 'schema_incomplete', damage: 'DROP INDEX messages_conv_seq_idx' },
    { name: 'table that is missing', rule: 'schema_incomplete', damage: 'DROP TABLE lcm_migration_state' },
  ],
}
