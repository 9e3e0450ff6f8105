import { copyFileSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { openLcm } from '#core/lcm.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'
import { copyOf, FIXTURES } from '../sqlite/fixtures.ts'
import { askEveryQuestion } from './every-question.ts'

/** Rows of these grow with the conversation: reading one of them whole takes as long as the memory is large. */
const LARGE = new Set([
  'messages',
  'message_parts',
  'summaries',
  'summary_nodes',
  'originals_index',
  'hermes_messages',
  'hermes_nodes',
  'derived_messages',
  'derived_summaries',
])

/** Services that are asked for all of a memory, and so may read all of it. */
const EXPLAINED: Readonly<Record<string, string>> = {
  'memory.stats': 'counts the rows of every table, each by its smallest index where there is one',
  'conversations.list': 'adds up messages and summaries of every conversation',
  'retrieval.grep': 'looks at every text where a file has no index that can be trusted',
  integrity: 'checks every row, in pieces',
  opening: 'derives once what the file does not store',
}

/** Statements that only a full read can answer, by a part of their SQL. */
const EXPLAINED_SQL: Readonly<Record<string, string>> = {
  'instr(file_ids': 'which summaries mention a file stands in their lists only, and summaries are few',
  '(SELECT count(*) FROM main.messages) AS rows':
    'SQLite counts the entries of an index from its pages, once for each state of the file',
  'SELECT count(*) FROM main.summar': 'tells whether summaries or links came or went, once for each state of the file',
  'SELECT count(*) FROM summar': 'the same in a file whose own tables have other names; there it counts our tables',
  'max(summary_rowid)': 'SQLite begins at the last summary and stops there',
}

type Statement = { all(params?: object): unknown[] }
type Connection = { prepare(sql: string): Statement }
type Prepare = Connection['prepare']
type Recorded = { readonly service: string; readonly connection: Connection; readonly sql: string }
type Opcode = { readonly opcode: string; readonly p1: number; readonly p2: number; readonly p3: number }

/** Both drivers that files are read through. */
const drivers = [Database.prototype, DatabaseSync.prototype] as unknown as (Connection & { prepare: Prepare })[]
const originals = new Map(drivers.map((driver) => [driver, driver.prepare]))
const restore = (): void => {
  for (const [driver, prepare] of originals) driver.prepare = prepare
}
afterEach(restore)

/** Every SQL text that is prepared from now on, with the service that was asked. */
function recordSql(): { readonly seen: Map<string, Recorded>; service: string } {
  const recorder = { seen: new Map<string, Recorded>(), service: 'opening' }
  for (const [driver, prepare] of originals) {
    driver.prepare = function record(this: Connection, sql: string) {
      const key = `${recorder.service}\n${sql}`
      if (!recorder.seen.has(key)) recorder.seen.set(key, { service: recorder.service, connection: this, sql })
      return prepare.call(this, sql)
    }
  }
  return recorder
}

/** Names of tables by the page at which they or an index of theirs begin, for every schema of a connection. */
function tablesByPage(connection: Connection): Map<number, ReadonlyMap<number, string>> {
  const schemas = connection.prepare('PRAGMA database_list').all() as { seq: number; name: string }[]
  return new Map(
    [...schemas, { seq: 1, name: 'temp' }].map(({ seq, name }) => {
      const rows = connection.prepare(`SELECT rootpage AS page, tbl_name AS name FROM "${name}".sqlite_schema`).all()
      return [seq, new Map((rows as { page: number; name: string }[]).map((row) => [row.page, row.name]))]
    }),
  )
}

/**
 * The large tables that a statement walks through from one end to the other, themselves or an index of theirs. The
 * program tells what the plan calls by its alias: a cursor that is rewound and then stepped is a full scan.
 * https://www.sqlite.org/opcode.html
 */
function fullScans({ connection, sql }: Recorded): string[] {
  const nothing = Object.fromEntries([...sql.matchAll(/:([a-z]\w*)/gi)].map(([, name]) => [name, null]))
  const program = connection.prepare(`EXPLAIN ${sql}`).all(nothing) as Opcode[]
  const pages = tablesByPage(connection)
  const cursors = new Map<number, string>()
  for (const { opcode, p1, p2, p3 } of program) {
    const table = opcode === 'OpenRead' ? pages.get(p3)?.get(p2) : undefined
    if (table !== undefined) cursors.set(p1, table)
  }
  const on = (codes: readonly string[]): Set<number> =>
    new Set(program.filter(({ opcode }) => codes.includes(opcode)).map(({ p1 }) => p1))
  const [begun, stepped, counted] = [on(['Rewind', 'Last', 'Sort']), on(['Next', 'Prev']), on(['Count'])]
  return [...cursors]
    .filter(
      ([cursor, table]) => LARGE.has(table) && (counted.has(cursor) || (begun.has(cursor) && stepped.has(cursor))),
    )
    .map(([, table]) => table)
}

/** A fixture without the statistics of its few rows, which rightly say that reading them all is cheaper. */
function withoutStatistics(fixture: string): string {
  const path = copyOf(fixture)
  const companion = join(FIXTURES, dirname(fixture), 'lcm.events.jsonl')
  if (existsSync(companion)) copyFileSync(companion, join(dirname(path), 'lcm.events.jsonl'))
  const db = new Database(path)
  if (db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'`).get()) db.exec('DROP TABLE sqlite_stat1')
  db.close()
  return path
}

it('a full scan is noticed under any name of the table in the query', () => {
  const connection = new Database(':memory:')
  connection.exec(`CREATE TABLE messages (message_id INTEGER PRIMARY KEY, role, content); CREATE INDEX r ON messages (role);
    CREATE TEMP VIEW v AS SELECT * FROM main.messages`)
  const scans = (sql: string) => fullScans({ service: '', connection, sql })
  expect(scans('SELECT content FROM messages AS m')).toEqual(['messages'])
  expect(scans('SELECT count(*) FROM v')).toEqual(['messages'])
  expect(scans(`SELECT content FROM v WHERE message_id = :id OR content = 'a'`)).toEqual(['messages'])
  expect(scans('SELECT content FROM v WHERE message_id = :id')).toEqual([])
  expect(scans('SELECT content FROM v WHERE role = :role ORDER BY message_id')).toEqual([])
  connection.close()
})

describe('the queries of every service', () => {
  it.each([
    'lossless-claw/rich.db',
    'lossless-claw/small.db',
    'lossless-claude/small.sqlite',
    'hermes-lcm/small.db',
    'lcm-x/small.db',
    'argentos/small.db',
    'pi-lcm/small.db',
    'decapod/small/lcm.db',
  ])('read no table of messages or summaries in full unless all of it is asked for: %s', async (fixture) => {
    const path = withoutStatistics(fixture)
    const recorder = recordSql()
    const lcm = await openLcm(path, { cacheDir: join(temporaryFolder(), 'cache') })
    await askEveryQuestion(lcm, (service, question) => {
      recorder.service = service
      return question()
    })
    restore()
    const statements = [...recorder.seen.values()].filter(({ sql }) => /^\s*(SELECT|WITH)\b/i.test(sql))
    expect(statements.length).toBeGreaterThan(40)
    const scans = statements
      .filter(({ service }) => EXPLAINED[service] === undefined)
      .filter(({ sql }) => !Object.keys(EXPLAINED_SQL).some((text) => sql.includes(text)))
      .flatMap((statement) =>
        fullScans(statement).map((table) => ({ service: statement.service, table, sql: statement.sql })),
      )
    lcm.close()
    expect(scans).toEqual([])
  })
})
