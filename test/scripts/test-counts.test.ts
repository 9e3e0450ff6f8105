import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { playwrightCounts, stepCounts, sum, vitestCounts } from '../../scripts/test-counts.mjs'

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
    expect(playwrightCounts(playwright, 1)).toEqual({ passed: 7, failed: 2, skipped: 2 })
  })

  it('name a failure when a suite fails outside its tests', () => {
    const passing = report({ numPassedTests: 5, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 })
    expect(vitestCounts(passing, 1)).toEqual({ passed: 5, failed: 1, skipped: 0 })
  })

  it('name a failure when a suite leaves no report, whatever it says of itself', () => {
    expect(vitestCounts(join(folder, 'missing.json'), 1)).toEqual({ passed: 0, failed: 1, skipped: 0 })
    expect(playwrightCounts(join(folder, 'missing.json'), 0)).toEqual({ passed: 0, failed: 1, skipped: 0 })
  })

  it('count a step without tests as one', () => {
    expect(sum([stepCounts(0), stepCounts(0), stepCounts(2)])).toEqual({ passed: 2, failed: 1, skipped: 0 })
  })
})
