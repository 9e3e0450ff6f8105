import { LcmError } from '../errors.ts'
import type { SqlParams } from './read-db.ts'
import type { ComputedObjects } from './schema-objects.ts'
import type { PreparableDb } from './uri-db.ts'

const queries = {
  hasName: /* sql */ `SELECT 1 FROM temp.sqlite_schema WHERE lower(name) = :name`,
}

/**
 * Refuses every statement that names a computed object of the file, so that a view in place of a table is never
 * executed, whoever asks. Our own views have the names of tables and hide those of the file. So a name counts after
 * `main.`, and elsewhere only where a table is named for which we have no view.
 * @throws LcmError file_corrupt, from every method that is given such a statement
 */
export function guardSchema(db: PreparableDb, computed: ComputedObjects): PreparableDb {
  if (computed.size === 0) return db
  const names = [...computed.keys()].map((name) => name.replace(/[^\w]/g, '\\$&')).join('|')
  const named = new RegExp(`(?:\\bmain\\s*\\.\\s*|\\b(from|join)\\s+)["'\`[]?(${names})(?![\\w$])`, 'gi')
  /** True when the statement defines the name itself: `WITH name (a, b) AS (…)`. */
  const isMadeBy = (sql: string, name: string): boolean =>
    new RegExp(
      `\\b${name.replace(/[^\w]/g, '\\$&')}\\s*(?:\\([^)]*\\)\\s*)?AS\\s+(?:NOT\\s+)?(?:MATERIALIZED\\s+)?\\(`,
      'i',
    ).test(sql)
  const judged = new Map<string, string | null>()

  const isOurs = (name: string): boolean => db.value(queries.hasName, { name }) !== undefined
  const judge = (sql: string): string | null => {
    for (const [, bare, name = ''] of sql.matchAll(named)) {
      if (bare === undefined || !(isMadeBy(sql, name) || isOurs(name.toLowerCase()))) return name.toLowerCase()
    }
    return null
  }
  const allowed = (sql: string): string => {
    const known = judged.get(sql)
    const name = known === undefined ? judge(sql) : known
    if (name === null) {
      judged.set(sql, null)
      return sql
    }
    throw new LcmError(
      'file_corrupt',
      `${db.path} cannot be read as it is: ${name} is ${computed.get(name)} where a plain table belongs, and what a file computes is never run. Copy its rows into a table of that name.`,
      { path: db.path, computed: name },
    )
  }
  return {
    path: db.path,
    all: (sql: string, params?: SqlParams) => db.all(allowed(sql), params),
    get: (sql: string, params?: SqlParams) => db.get(allowed(sql), params),
    value: (sql, params) => db.value(allowed(sql), params),
    column: (sql, params) => db.column(allowed(sql), params),
    rows: (sql, params) => db.rows(allowed(sql), params),
    iterate: (sql, params) => db.iterate(allowed(sql), params),
    iterateRows: (sql, params) => db.iterateRows(allowed(sql), params),
    iterateExact: (sql, params) => db.iterateExact(allowed(sql), params),
    columnNames: (sql) => db.columnNames(allowed(sql)),
    dataVersion: () => db.dataVersion(),
    ownChanges: () => db.ownChanges(),
    run: (sql, params) => db.run(allowed(sql), params),
    runRaw: (sql, values) => db.runRaw(allowed(sql), values),
    define: (name, body) => db.define(name, body),
    exec: (sql) => db.exec(allowed(sql)),
    close: () => db.close(),
    [Symbol.dispose]: () => db.close(),
  }
}
