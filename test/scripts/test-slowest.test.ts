import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { playwrightFiles, slowest, vitestFiles } from '#scripts/test-slowest.mjs'
import { temporaryFolder } from '../builders/temporary-folder.ts'

function report(content: object): string {
  const file = join(temporaryFolder(), 'report.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}

it('takes the duration of a file from the report of Vitest', () => {
  const file = report({ testResults: [{ name: '/project/test/a.test.ts', startTime: 1000, endTime: 3500 }] })
  expect(vitestFiles(file, '/project')).toEqual([{ file: 'test/a.test.ts', seconds: 2.5 }])
})

it('adds up the durations of a file from the report of Playwright', () => {
  const spec = (...durations: number[]) => ({ tests: durations.map((duration) => ({ results: [{ duration }] })) })
  const file = report({ suites: [{ file: 'a.e2e.ts', specs: [spec(1000, 2000)], suites: [{ specs: [spec(500)] }] }] })
  expect(playwrightFiles(file)).toEqual([{ file: 'test/e2e/a.e2e.ts', seconds: 3.5 }])
})

it('lists no files for a suite without a report', () => {
  expect(playwrightFiles(join(temporaryFolder(), 'none.json'))).toEqual([])
})

it('shows ten files, the slowest first', () => {
  const files = Array.from({ length: 12 }, (_, seconds) => ({ file: `f${seconds}`, seconds }))
  expect(slowest(files).split('\n')).toHaveLength(10)
  expect(slowest(files)).toMatch(/^ +11\.0 s {2}f11\n/)
})
