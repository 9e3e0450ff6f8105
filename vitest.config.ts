import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// The SQLite binding does not fail on an older Node: it crashes the process without a word.
if (Number(process.versions.node.split('.')[0]) < 24)
  throw new Error(`Tests need Node 24, this is ${process.versions.node}. Use: npm run test:core`)

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    exclude: ['test/e2e/**'],
    globalSetup: ['test/db/untouched-fixtures.ts'],
    environment: 'node',
    // Processes: a test that starts worker threads or loads native code cannot disturb the next file.
    pool: 'forks',
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
