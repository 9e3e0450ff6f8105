import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { quicken } from './scripts/test-surroundings.mjs'
// Before the workers start: they inherit the folder into which it is installed.
import './test/builders/built-program.ts'
import { SlowFirst } from './test/builders/slow-first.ts'
import { temporaryFolder } from './test/builders/temporary-folder.ts'

// The SQLite binding does not fail on an older Node: it crashes the process without a word.
if (Number(process.versions.node.split('.')[0]) < 24)
  throw new Error(`Tests need Node 24, this is ${process.versions.node}. Use: npm run test:core`)

quicken()
// Workers take the environment over as soon as this is read; the files are there before the first test (`written-files.ts`).
process.env.SYSTEM_FILES_FOLDER ??= temporaryFolder()
// Only what hangs reaches this: a busy machine takes ten times as long as one at rest. A hunt through more examples
// (test/builders/property-runs.ts) takes its time.
const limitMs = 240_000 * Math.max(1, Number(process.env.LCM_TEST_RUNS ?? 1))

export const everyTest = {
  environment: 'node' as const,
  // One file after another in the same process: what was loaded and compiled for the first serves them all.
  isolate: false,
  setupFiles: ['test/builders/property-runs.ts', 'test/builders/private-home.ts', 'test/builders/own-modules.ts'],
  exclude: ['test/e2e/**', 'test/field/**'],
  testTimeout: limitMs,
  hookTimeout: limitMs,
  // A second, the default, is too short for what another process does on a busy machine; what holds is seen at once.
  expect: { poll: { timeout: 120_000 } },
}

/** Tests that start threads, programs and servers, or change their own process: whole rooms, and files named so elsewhere. */
const CONTRACT = [
  'test/{contract,doors/cli,doors/mcp,electron,jobs,live,models/summarizers,scripts,search/side-index,security,settings,sqlite,standin}/**/*.test.ts',
  'test/**/*.process.test.ts',
]

/** Tests that go through whole files of every system, or damage and repair whole memories. They take a minute. */
const WHOLE = [
  'test/{doctor/repair,doctor/salvage,doctor/surgery,doctor/working-copy,equivalence,systems,window/time-travel}/**/*.test.ts',
  'test/**/*.whole.test.ts',
]

export default defineConfig({
  test: {
    globalSetup: ['test/sqlite/written-files.ts'],
    sequence: { sequencer: SlowFirst },
    // Processes, so that native code and threads that a test starts cannot disturb the runner.
    pool: 'forks',
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Named as the steps of `npm test`.
    projects: [
      {
        test: {
          ...everyTest,
          name: 'contract',
          include: CONTRACT,
          globalSetup: ['test/builders/built-program.ts'],
          // Some wait for clocks and other processes. Projects with other numbers of workers run one after another.
          maxWorkers: availableParallelism() + 2,
          // Tests of a file that wait beside each other.
          maxConcurrency: 10,
          sequence: { groupOrder: 1 },
        },
      },
      { test: { ...everyTest, name: 'whole', include: WHOLE, exclude: [...everyTest.exclude, ...CONTRACT] } },
      {
        test: {
          ...everyTest,
          name: 'unit',
          include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
          exclude: [...everyTest.exclude, ...CONTRACT, ...WHOLE],
        },
      },
    ],
  },
})
