import { expect, it } from 'vitest'
import { SavedQueries } from '#core/query/saved-queries.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

it('saved queries are kept by name, also for the next start', async () => {
  const folder = temporaryFolder()
  const queries = new SavedQueries(folder)
  expect(queries.list()).toEqual([])
  await queries.save({ name: 'b', sql: 'SELECT 1' })
  await queries.save({ name: 'a', sql: 'SELECT 2' })
  await queries.save({ name: 'b', sql: 'SELECT 3' })
  const all = [
    { name: 'a', sql: 'SELECT 2' },
    { name: 'b', sql: 'SELECT 3' },
  ]
  expect(new SavedQueries(folder).list()).toEqual(all)
  expect(await queries.remove('a')).toEqual(all.slice(1))
})
