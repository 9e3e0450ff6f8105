// Lists the test files that take longest, for when a run has become slow.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

const SHOWN = 10

/** Seconds of each file in Vitest's JSON report. */
export function vitestFiles(file, root) {
  return read(file, ({ testResults = [] }) =>
    testResults.map(({ name, startTime, endTime }) => ({
      file: relative(root, name),
      seconds: (endTime - startTime) / 1000,
    })),
  )
}

/** Returns the seconds of each file in Playwright's JSON report, for all projects together. */
export function playwrightFiles(file) {
  return read(file, ({ suites = [] }) =>
    suites.map((suite) => ({
      file: `test/e2e/${suite.file}`,
      seconds: resultsOf(suite).reduce((sum, { duration }) => sum + duration, 0) / 1000,
    })),
  )
}

/** A table of the slowest files. */
export function slowest(files) {
  const first = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN)
  return first.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${file}`).join('\n')
}

const resultsOf = ({ suites = [], specs = [] }) => [
  ...specs.flatMap(({ tests }) => tests.flatMap(({ results }) => results)),
  ...suites.flatMap(resultsOf),
]

/** A suite without a report has failed, which is counted elsewhere. */
const read = (file, files) => (existsSync(file) ? files(JSON.parse(readFileSync(file, 'utf8'))) : [])
