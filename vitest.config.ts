import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { quicken } from './scripts/test-surroundings.mjs'

// The SQLite binding does not fail on an older Node: it crashes the process without a word.
if (Number(process.versions.node.split('.')[0]) < 24)
  throw new Error(`Tests need Node 24, this is ${process.versions.node}. Use: npm run test:core`)

quicken()
// A hunt through more examples (test/builders/property-runs.ts) takes its time.
const limitMs = 60_000 * Math.max(1, Number(process.env.LCM_TEST_RUNS ?? 1))

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    exclude: ['test/e2e/**'],
    globalSetup: ['test/db/untouched-fixtures.ts'],
    setupFiles: ['test/builders/property-runs.ts'],
    environment: 'node',
    // Processes: a test that starts worker threads or loads native code cannot disturb the next file.
    pool: 'forks',
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: limitMs,
    hookTimeout: 60_000,
  },
})
