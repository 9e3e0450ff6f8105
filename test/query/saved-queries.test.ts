import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SavedQueries } from '../../core/query/saved-queries.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

it('saved queries are kept by name, also for the next start', () => {
  const folder = temporaryFolder()
  const queries = new SavedQueries(folder)
  expect(queries.list()).toEqual([])
  queries.save({ name: 'b', sql: 'SELECT 1' })
  queries.save({ name: 'a', sql: 'SELECT 2' })
  queries.save({ name: 'b', sql: 'SELECT 3' })
  const all = [
    { name: 'a', sql: 'SELECT 2' },
    { name: 'b', sql: 'SELECT 3' },
  ]
  expect(new SavedQueries(folder).list()).toEqual(all)
  expect(queries.remove('a')).toEqual(all.slice(1))
})

it.each(['[{"name": "mine", "sql": "SELECT 1"},', '{"queries": []}', ''])(
  'a file that holds something else (%j) is named and never replaced',
  (text) => {
    const folder = temporaryFolder()
    const path = join(folder, 'queries.json')
    writeFileSync(path, text)
    const queries = new SavedQueries(folder)
    for (const call of [
      () => queries.list(),
      () => queries.save({ name: 'a', sql: 'SELECT 1' }),
      () => queries.remove('a'),
    ])
      expect(call).toThrow(/queries\.json is not a list of saved queries/)
    expect(readFileSync(path, 'utf8')).toBe(text)
  },
)
