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
  'test/context/other-systems.test.ts',
  'test/coverage/fixtures.test.ts',
  'test/dialects/argentos.test.ts',
  'test/dialects/decapod-ledger.test.ts',
  'test/dialects/every-system.test.ts',
  'test/dialects/hermes-conversations.test.ts',
  'test/dialects/hermes.test.ts',
  'test/dialects/lossless-claude.test.ts',
  'test/dialects/lossless-claw.test.ts',
  'test/dialects/pi-messages.test.ts',
  'test/dialects/query-plans.test.ts',
  'test/history/lossless-claw.test.ts',
  'test/integrity/fixtures.test.ts',
  'test/integrity/lossless-claw.test.ts',
  'test/integrity/strata-marks.test.ts',
  'test/ledger/other-systems.test.ts',
  'test/memory/every-system.test.ts',
  'test/postgres/every-system.whole.test.ts',
  'test/side-index/dialects.test.ts',
  'test/storage/measure-storage.test.ts',
  'test/time-travel/other-systems.test.ts',
  'test/time-travel/present-window.test.ts',
  'test/working-copy/by-design.test.ts',
  'test/working-copy/damage.test.ts',
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
