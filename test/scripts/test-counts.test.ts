import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  flakyTests,
  limitSkips,
  MOST_FLAKY,
  MOST_SKIPPED,
  playwrightCounts,
  readCounts,
  stepCounts,
  sum,
  vitestCounts,
} from '#scripts/test-counts.mjs'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lcm-counts-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function report(content: object): string {
  const file = join(folder, 'report.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}

describe('the counts of a test run', () => {
  it('come from the reports of the suites', () => {
    const vitest = report({ numPassedTests: 5, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 })
    expect(vitestCounts(vitest, 1)).toEqual({ passed: 5, failed: 1, skipped: 3 })
    const playwright = report({ stats: { expected: 7, unexpected: 1, flaky: 1, skipped: 2 } })
    expect(playwrightCounts(playwright, 1)).toEqual({ passed: 8, failed: 1, skipped: 2 })
  })

  it('name the tests that passed at the second attempt only, and count more than a few of them as failed', () => {
    const spec = (title: string, status: string) => ({ title, tests: [{ status }] })
    const playwright = (flaky: number) =>
      report({
        stats: { expected: 7, unexpected: 0, flaky, skipped: 0 },
        suites: [
          {
            file: 'search.e2e.ts',
            specs: [spec('finds', 'expected'), spec('marks', 'flaky')],
            suites: [{ file: 'search.e2e.ts', specs: [spec('asks', 'flaky')] }],
          },
        ],
      })
    expect(playwrightCounts(playwright(MOST_FLAKY), 0)).toEqual({ passed: 7 + MOST_FLAKY, failed: 0, skipped: 0 })
    expect(playwrightCounts(playwright(MOST_FLAKY + 1), 0)).toEqual({ passed: 7, failed: MOST_FLAKY + 1, skipped: 0 })
    expect(flakyTests(playwright(2))).toEqual(['test/e2e/search.e2e.ts › marks', 'test/e2e/search.e2e.ts › asks'])
    expect(flakyTests(join(folder, 'missing.json'))).toEqual([])
  })

  it('contain a failure when a suite fails outside of its tests', () => {
    const passing = report({ numPassedTests: 5, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 })
    expect(vitestCounts(passing, 1)).toEqual({ passed: 5, failed: 1, skipped: 0 })
  })

  it('contain a failure when a suite leaves no report', () => {
    expect(vitestCounts(join(folder, 'missing.json'), 1)).toEqual({ passed: 0, failed: 1, skipped: 0 })
    expect(playwrightCounts(join(folder, 'missing.json'), 0)).toEqual({ passed: 0, failed: 1, skipped: 0 })
  })

  it('contain one for a step without tests', () => {
    expect(sum([stepCounts(0), stepCounts(0), stepCounts(2)])).toEqual({ passed: 2, failed: 1, skipped: 0 })
  })

  it('contain a failure when more than 25 tests are skipped', () => {
    expect(MOST_SKIPPED).toBe(25)
    const most = sum([
      { passed: 5, failed: 0, skipped: 20 },
      { passed: 5, failed: 0, skipped: 5 },
    ])
    expect(limitSkips(most)).toEqual({ passed: 10, failed: 0, skipped: 25 })
    expect(limitSkips({ ...most, skipped: 26 })).toEqual({ passed: 10, failed: 1, skipped: 26 })
  })

  it('are read from the last line of a run, which failed when it ends without them', () => {
    expect(readCounts('12 passed, 0 failed, 3 skipped', 0)).toEqual({ passed: 12, failed: 0, skipped: 3 })
    expect(readCounts('12 passed, 0 failed, 3 skipped', 1)).toEqual({ passed: 12, failed: 1, skipped: 3 })
    expect(readCounts('Killed', 137)).toEqual({ passed: 0, failed: 1, skipped: 0 })
  })
})
