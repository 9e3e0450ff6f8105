import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { LcmError } from '#core/errors.ts'
import { CANONICAL } from '#core/systems/deriving/canonical.ts'
import { openMemory } from '../builders/open-memory.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { FIXTURES } from '../sqlite/fixtures.ts'
import { changedCopy, loosened, WITHOUT_CONSTRAINTS } from './foreign-files.ts'

const cacheDir = join(temporaryFolder(), 'cache')

const TABLES: Readonly<Record<string, readonly string[]>> = {
  'lossless-claw/small.db': ['messages', 'summaries'],
  'lossless-claude/small.sqlite': ['messages', 'summaries', 'summary_parents'],
  'hermes-lcm/small.db': ['messages', 'summary_nodes', 'lcm_lifecycle_state'],
  'lcm-x/small.db': ['messages', 'summary_nodes'],
  'argentos/small.db': ['messages', 'summaries', 'summary_sources', 'context_items'],
  'pi-lcm/small.db': ['_metadata', 'conversations', 'messages', 'summaries', 'summary_sources'],
  'decapod/small/lcm.db': ['originals_index', 'summaries'],
}
/** What a file may be refused with; SQLite's own words are none of them. */
const REFUSALS = ['file_corrupt', 'not_a_memory', 'unsupported_system']

/** A copy without triggers, which name what is to go. */
const damagedCopy = (fixture: string, sql: string): string =>
  changedCopy(join(FIXTURES, fixture), (db) => {
    for (const name of names(db, `SELECT name FROM sqlite_schema WHERE type = 'trigger'`))
      db.exec(`DROP TRIGGER ${name}`)
    db.exec(`${WITHOUT_CONSTRAINTS}; ${sql}`)
  })

const names = (db: Database.Database, sql: string): string[] => db.prepare(sql).pluck().all() as string[]

/** The columns of the tables that a fixture is damaged in, with all others of the same table. */
function columnsOf(fixture: string): { table: string; column: string; others: readonly string[] }[] {
  const found: { table: string; column: string; others: readonly string[] }[] = []
  changedCopy(join(FIXTURES, fixture), (db) => {
    for (const table of TABLES[fixture] ?? []) {
      const columns = names(db, `SELECT name FROM pragma_table_info('${table}')`)
      for (const column of columns) found.push({ table, column, others: columns.filter((name) => name !== column) })
    }
  })
  return found
}

/** Everything can be read, or it is said in so many words why not. */
function look(path: string): string {
  try {
    const { read, close } = openMemory(path, { cacheDir })
    try {
      for (const view of Object.keys(CANONICAL)) read.all(`SELECT * FROM ${view} LIMIT 3`)
      return 'opened'
    } finally {
      close()
    }
  } catch (error) {
    if (error instanceof LcmError && REFUSALS.includes(error.code)) return error.message
    throw error
  }
}

describe('a file that lost a column or a row', () => {
  it.each(Object.keys(TABLES))(
    'opens with the rest, or is refused in plain words, without one of its columns: %s',
    (fixture) => {
      for (const { table, column, others } of columnsOf(fixture)) {
        const kept = `CREATE TABLE loose AS SELECT ${others.join(', ')} FROM ${table};`
        const path = damagedCopy(fixture, `${kept} DROP TABLE ${table}; ALTER TABLE loose RENAME TO ${table}`)
        expect(look(path), `${table}.${column}`).toMatch(/^opened$|it has lost the (column|table)|of something else/)
      }
    },
  )
})

const UNSHOWN: readonly (readonly [fixture: string, table: string, spoil: string, rows: number])[] = [
  ['hermes-lcm/small.db', 'summary_nodes', 'node_id = NULL WHERE rowid = 1', 1],
  ['hermes-lcm/small.db', 'messages', `store_id = 'first' WHERE rowid IN (1, 2)`, 2],
  ['hermes-lcm/small.db', 'messages', 'store_id = 7 WHERE rowid IN (7, 8, 9)', 2],
  ['argentos/small.db', 'messages', `id = 'first' WHERE rowid = 1`, 1],
  ['argentos/small.db', 'summary_messages', 'summary_id = NULL WHERE rowid = 1', 1],
  ['pi-lcm/small.db', 'summaries', `id = 'one' WHERE rowid IN (1, 2, 3)`, 2],
  ['pi-lcm/small.db', 'summary_sources', `source_type = 'rumour' WHERE rowid <= 4`, 4],
  ['decapod/small/lcm.db', 'summaries', `summary_hash = 'one' WHERE rowid <= 2`, 1],
]

describe('a row that cannot be shown', () => {
  it.each(UNSHOWN)('is counted in what the file lacks: %s, %s: %s', (fixture, table, spoil, rows) => {
    const path = damagedCopy(fixture, loosened([table], `UPDATE ${table} SET ${spoil}`))
    const { info, close } = openMemory(path, { cacheDir })
    close()
    expect(info.lacks?.join('\n')).toMatch(new RegExp(`Damaged: ${rows} of the \\d+ rows of ${table} are not shown`))
  })

  it.each(Object.keys(TABLES))('is not reported for a sound file: %s', (fixture) => {
    const { info, close } = openMemory(join(FIXTURES, fixture), { cacheDir })
    close()
    expect(info.lacks?.join('\n')).not.toMatch(/Damaged|is gone/)
  })
})
