import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { KeptTables } from '#core/sqlite/kept-tables.ts'
import { openByUri, type PreparableDb } from '#core/sqlite/uri-db.ts'
import { keepingDerived } from '#core/systems/deriving/derived-db.ts'
import { withoutYielding } from '#core/yielding.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const TABLES = `
CREATE TEMP TABLE IF NOT EXISTS one (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, n INTEGER);
CREATE TEMP TABLE IF NOT EXISTS "an other" (k TEXT PRIMARY KEY, v REAL) WITHOUT ROWID;
DELETE FROM temp.one; DELETE FROM temp."an other";
CREATE INDEX IF NOT EXISTS temp.one_n ON one (n DESC) WHERE n IS NOT NULL;
INSERT INTO temp.one (name, n) SELECT 'row ' || n, nullif(n, 3) FROM main.numbers;
INSERT INTO temp."an other" SELECT n, n + 0.5 FROM main.numbers;
`
const SCHEMA = 'SELECT type, name, sql FROM temp.sqlite_schema ORDER BY name'

/** Connections to one file, one after the other, and how often the tables were made. */
function stage() {
  const path = join(temporaryFolder(), 'numbers.db')
  const writer = new Database(path)
  writer.exec('CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1), (2), (3)')
  const tables = KeptTables.open()
  if (!tables) throw new Error('nothing can be kept here')
  closing.push(
    () => tables.close(),
    () => writer.close(),
  )
  const builds = { count: 0 }
  function* build(db: PreparableDb): Generator<void> {
    builds.count += 1
    yield
    db.define('twice', (n) => Number(n) * 2)
    db.exec(TABLES)
  }
  const connect = (isUnchanged: boolean) => {
    const db = openByUri(path, 'mode=ro&readonly_shm=1')
    closing.unshift(() => db.close())
    const kept = { tables, isUnchanged: () => isUnchanged }
    return withoutYielding(keepingDerived(db, { build, companions: [], isStill: false, kept }))
  }
  return { path, writer, builds, connect }
}

describe('derived tables over several connections', () => {
  it('are taken over with their content, indexes and functions', () => {
    const { path, builds, connect } = stage()
    const first = connect(false)
    const all = (db: PreparableDb) =>
      [SCHEMA, 'SELECT * FROM one', 'SELECT twice(v) AS v FROM "an other"'].map((sql) => db.all(sql))
    const before = all(first)
    first.keep()
    closing.shift()?.()
    const second = connect(true)
    expect(all(second)).toEqual(before)
    expect(builds.count).toBe(1)
    expect(() => second.all('DELETE FROM temp.one RETURNING id')).toThrow()
    expect(readdirSync(dirname(path))).toEqual(['numbers.db'])
  })

  it('are brought up to date when the file changed before the next connection', () => {
    const { writer, builds, connect } = stage()
    const count = (db: PreparableDb) => db.value('SELECT count(*) FROM one')
    const first = connect(false)
    first.keep()
    writer.exec('INSERT INTO numbers VALUES (4)')
    const second = connect(false)
    expect([count(second), builds.count]).toEqual([4, 2])
    writer.exec('INSERT INTO numbers VALUES (5)')
    second.keep()
    const third = connect(true)
    expect([count(third), builds.count]).toEqual([5, 3])
    writer.exec('INSERT INTO numbers VALUES (6)')
    expect([count(third), builds.count]).toEqual([6, 4])
  })

  it('are brought up to date when the file changed after they were taken over', () => {
    const { writer, builds, connect } = stage()
    const count = (db: PreparableDb) => db.value('SELECT count(*) FROM one')
    connect(false).keep()
    const second = connect(true)
    expect([count(second), builds.count]).toEqual([3, 1])
    writer.exec('INSERT INTO numbers VALUES (4)')
    second.keep()
    const third = connect(true)
    expect([count(third), builds.count]).toEqual([4, 2])
  })
})
