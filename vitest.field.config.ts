import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { fieldData } from './scripts/field-data.mjs'
import { everyTest } from './vitest.config.ts'

process.env.FIELD_DATA_FOLDER = fieldData()
process.env.SYSTEM_FILES_FOLDER = join(fieldData(), 'fixtures')

/**
 * Tests that ask the same of any system's file: `npm test` has them read what our writers wrote, this run the real ones. What SQL
 * spoils in a small file is not among them: it is the same whoever wrote the rest.
 */
const ASKED_OF_ANY_FILE = [
  'test/window/assembling/other-systems.test.ts',
  'test/compare/coverage/fixtures.test.ts',
  'test/systems/argentos.test.ts',
  'test/systems/decapod-ledger.test.ts',
  'test/systems/every-system.test.ts',
  'test/systems/hermes-conversations.test.ts',
  'test/systems/hermes.test.ts',
  'test/systems/lossless-claude.test.ts',
  'test/systems/lossless-claw.test.ts',
  'test/systems/pi-messages.test.ts',
  'test/systems/query-plans.test.ts',
  'test/browse/history/lossless-claw.test.ts',
  'test/doctor/integrity/fixtures.test.ts',
  'test/doctor/integrity/lossless-claw.test.ts',
  'test/doctor/integrity/strata-marks.test.ts',
  'test/ledger/other-systems.test.ts',
  'test/memory/every-system.test.ts',
  'test/postgres/every-system.whole.test.ts',
  'test/search/side-index/dialects.test.ts',
  'test/browse/storage/measure-storage.test.ts',
  'test/window/time-travel/other-systems.test.ts',
  'test/window/time-travel/present-window.test.ts',
  'test/doctor/working-copy/by-design.test.ts',
  'test/doctor/working-copy/damage.test.ts',
]

/** Checks against files that other systems really wrote: `npm run test:field`. */
export default defineConfig({
  test: {
    ...everyTest,
    globalSetup: ['test/field/real-files.ts'],
    include: ['test/field/**/*.test.ts', ...ASKED_OF_ANY_FILE],
    exclude: [],
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
  },
})
