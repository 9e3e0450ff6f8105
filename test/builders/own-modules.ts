// A test file that replaces modules (`vi.mock`) loads all others anew, and so does the file after it: a module that was
// loaded for other tests keeps what it imported then.
import { readFileSync } from 'node:fs'
import { afterAll, expect, vi } from 'vitest'

const { testPath } = expect.getState()
if (testPath !== undefined && readFileSync(testPath, 'utf8').includes('vi.mock(')) {
  vi.resetModules()
  afterAll(() => {
    vi.resetModules()
  })
}
