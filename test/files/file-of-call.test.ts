import { expect, it } from 'vitest'
import { fileOfCall } from '#core/files/file-of-call.ts'

const nameOf = (input: unknown): string | null => fileOfCall(JSON.stringify(input))

it('names a result by the file that its call asked to read', () => {
  expect(nameOf({ file_path: '/a/b.csv', offset: 100 })).toBe('b.csv')
  expect(nameOf({ path: 'src/index.ts' })).toBe('index.ts')
  expect(nameOf({ filePath: 'C:\\data\\Makefile' })).toBe('Makefile')
  expect(nameOf({ command: 'view', path: '/repo/setup.py' })).toBe('setup.py')
  expect(nameOf({ url: 'https://example.org/data/prices.json?year=2026' })).toBe('prices.json')
})

it.each([
  ['a folder', { path: '/repo/src' }],
  ['a folder with a slash at its end', { path: '/repo/v1.2/' }],
  ['a search in a file', { path: '/a/b.csv', pattern: 'x' }],
  ['an editor that changes a file', { command: 'str_replace', path: '/a/b.ts', old_str: 'x' }],
  ['a command', { command: 'cat /a/b.csv' }],
  ['a page without a file name', { url: 'https://example.org' }],
  ['several files', { paths: ['/a.csv', '/b.csv'] }],
  ['a path that is no text', { path: 7 }],
])('takes no name from a call for %s', (_, input) => {
  expect(nameOf(input)).toBeNull()
})

it('takes no name from arguments that are cut off or no object', () => {
  for (const input of ['{"file_path": "/a/b.c', '"/a/b.csv"', '[{"path":"a.csv"}]', '']) {
    expect(fileOfCall(input)).toBeNull()
  }
})
