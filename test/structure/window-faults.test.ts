import { expect, it } from 'vitest'
import { readSources, VALUE } from './source-code.ts'
import { WINDOW_FAULTS } from './window-faults.ts'

// Parses every test file, which takes some seconds.

it('names for each fault that the window once had a test that exists', () => {
  const titles = new Set(
    readSources('test').flatMap(({ path, testTitles }) =>
      // A title with a value in it is named by what stands before the value.
      testTitles.map(({ text }) => `${path} ${text.split(VALUE)[0]?.trim()}`),
    ),
  )
  const held = Object.entries(WINDOW_FAULTS).flatMap(([file, tests]) =>
    Object.keys(tests).map((title) => `${file} ${title}`),
  )
  expect(held.filter((test) => !titles.has(test))).toEqual([])
})
