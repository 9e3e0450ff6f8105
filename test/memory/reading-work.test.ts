import { expect, it } from 'vitest'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import { readingMemory } from '#core/systems/reading/read-memory.ts'
import { NUMBERS_FROM_SOURCES } from '#core/systems/reading/read-summaries.ts'
import { allSystems } from '#core/systems/systems.ts'
import { withoutYielding } from '#core/yielding.ts'
import { buildMemory } from '../builders/memory.ts'

/** Notes every statement with the number of rows that it returned. */
function watched(db: ReadDb): { readonly db: ReadDb; readonly asked: { readonly sql: string; rows: number }[] } {
  const asked: { readonly sql: string; rows: number }[] = []
  const rows: ReadDb['rows'] = (sql, params) => {
    const found = db.rows(sql, params)
    asked.push({ sql, rows: found.length })
    return found as never
  }
  function* stepping(sql: string, params: Parameters<ReadDb['iterateRows']>[1]): Generator {
    const entry = { sql, rows: 0 }
    asked.push(entry)
    for (const row of db.iterateRows(sql, params)) {
      entry.rows += 1
      yield row
    }
  }
  return { db: { ...db, rows, iterateRows: (sql, params) => stepping(sql, params) as never }, asked }
}

it('windows of a whole file are read a page as one row, and no entry costs a row of its own', () => {
  using memory = buildMemory({ conversations: [{}, {}] })
  memory.messages(1, 9000)
  memory.messages(2, 3000)
  const { db, asked } = watched(memory.db)
  const { window } = withoutYielding(readingMemory(db))
  expect(window.length).toBe(12_000)
  expect([...window.targets.subarray(0, 12_000)]).toEqual(Array.from({ length: 12_000 }, (_, index) => index))
  const ofWindows = asked.filter(({ sql }) => sql.includes('context_items'))
  expect(ofWindows.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(9)
})

it.each(allSystems().map(({ id, facts }) => [id, facts.storedNumbers] as const))(
  'a scan asks a view for no number of summaries that it would have to compute: %s',
  (_, storedNumbers) => {
    using memory = buildMemory({ conversations: [{}] })
    memory.messages(1, 3)
    const { db, asked } = watched(memory.db)
    withoutYielding(readingMemory(db, storedNumbers))
    const sql = asked.find((one) => /FROM summaries ORDER BY summary_rowid/.test(one.sql))?.sql ?? ''
    expect(sql).not.toBe('')
    const columns = { descendants: 'descendant_count', sourceTokens: 'source_token_count', ranges: 'earliest_at' }
    for (const name of NUMBERS_FROM_SOURCES) expect(sql.includes(columns[name])).toBe(storedNumbers.includes(name))
  },
)
