import { openLcm } from '#core/lcm.ts'
import { type ReadingBesideSqlite, readBesideSqlite } from '../measure-reading.ts'
import { type SearchMeasure, searchBesideSqlite } from '../measure-search.ts'

/** What one process asks of this program and of SQLite on the same file, in turn. */
export type BesideSqlite = ReadingBesideSqlite & Pick<SearchMeasure, 'alone' | 'besideAlone'>

// A process of its own: nothing is warm.
if (import.meta.main) {
  const [path] = process.argv.slice(2)
  if (path === undefined) throw new Error('give the memory to read')
  using lcm = await openLcm(path, { readOnly: true })
  console.log(JSON.stringify({ ...(await readBesideSqlite(lcm)), ...(await searchBesideSqlite(lcm)) }))
}
