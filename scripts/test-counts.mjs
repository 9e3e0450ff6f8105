// Reads the suites' own reports and adds them up.
import { existsSync, readFileSync } from 'node:fs'

const nothing = { passed: 0, failed: 0, skipped: 0 }

/**
 * A skipped test names what its machine lacks (real Electron, another user). More than this many mean that tests are
 * lost unnoticed.
 */
export const MOST_SKIPPED = 25

/**
 * An end-to-end test that fails is tried once more: a busy machine can upset a browser. What passes then is named at the
 * end. More of them than this mean that something is wrong with the app, and count as failed.
 */
export const MOST_FLAKY = 2

/** A step without tests of its own counts as one. */
export const stepCounts = (code) => (code === 0 ? { ...nothing, passed: 1 } : { ...nothing, failed: 1 })

/** Counts from Vitest's JSON report. */
export function vitestCounts(file, code) {
  return orFailure(file, code, (report) => ({
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  }))
}

/** Counts from Playwright's JSON report. */
export function playwrightCounts(file, code) {
  return orFailure(file, code, ({ stats: { expected, unexpected, flaky, skipped } }) => ({
    passed: flaky > MOST_FLAKY ? expected : expected + flaky,
    failed: flaky > MOST_FLAKY ? unexpected + flaky : unexpected,
    skipped,
  }))
}

/** Names the tests in Playwright's JSON report that failed and then passed, so that their cause is looked for. */
export function flakyTests(file) {
  if (!existsSync(file)) return []
  const namesIn = ({ file, specs = [], suites = [] }) => [
    ...specs
      .filter(({ tests }) => tests.some(({ status }) => status === 'flaky'))
      .map(({ title }) => `test/e2e/${file} › ${title}`),
    ...suites.flatMap(namesIn),
  ]
  return (JSON.parse(readFileSync(file, 'utf8')).suites ?? []).flatMap(namesIn)
}

/** A suite without a report, or with a failure outside its tests, must not end as "0 failed". */
function orFailure(file, code, read) {
  if (!existsSync(file)) return { ...nothing, failed: 1 }
  const counts = read(JSON.parse(readFileSync(file, 'utf8')))
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
}

/** Reads the counts from the last line of a run. A run that ended without them has failed. */
export function readCounts(line, code) {
  const found = /^(\d+) passed, (\d+) failed, (\d+) skipped$/.exec(line)
  if (!found) return { ...nothing, failed: 1 }
  const [passed, failed, skipped] = found.slice(1).map(Number)
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed, skipped }
}

/** The total of all rows. */
export const sum = (rows) =>
  rows.reduce(
    (total, row) => ({
      passed: total.passed + row.passed,
      failed: total.failed + row.failed,
      skipped: total.skipped + row.skipped,
    }),
    nothing,
  )

/** A run that skips too many tests has failed, whatever the other counts are. */
export const limitSkips = (total) => (total.skipped > MOST_SKIPPED ? { ...total, failed: total.failed + 1 } : total)

/** A small table for people. */
export function table(rows) {
  const line = (name, ...cells) => name.padEnd(8) + cells.map((cell) => String(cell).padStart(9)).join('')
  return [
    line('suite', 'passed', 'failed', 'skipped', 'seconds'),
    ...rows.map((row) => line(row.name, row.passed, row.failed, row.skipped, row.seconds.toFixed(1))),
  ].join('\n')
}
