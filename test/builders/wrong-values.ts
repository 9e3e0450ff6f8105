import Database from 'better-sqlite3'

/** `value` is SQL. `row` is an index in the order of the table. */
export type WrongValue = {
  readonly table: string
  readonly column: string
  readonly row: number
  readonly value: string
}

type Made = { readonly name: string; readonly sql: string }

/**
 * Puts values into a native file that its tables forbid, as a program does that edits their definitions, writes, and puts
 * the definitions back: afterwards every table and trigger is the one that LCM Inspector makes, and the search indexes hold
 * what the tables hold.
 * https://www.sqlite.org/pragma.html#pragma_writable_schema
 */
export function putWrongValues(path: string, values: readonly WrongValue[]): void {
  const db = new Database(path)
  try {
    db.unsafeMode(true)
    db.pragma('foreign_keys = OFF')
    db.pragma('ignore_check_constraints = ON')
    const made = (type: string): Made[] =>
      db.prepare(`SELECT name, sql FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL`).all(type) as Made[]
    const triggers = made('trigger').filter(({ sql }) => sql.includes('RAISE('))
    for (const { name } of triggers) db.exec(`DROP TRIGGER "${name}"`)
    const tables = made('table').filter(({ name }) => values.some(({ table }) => table === name))
    define(
      db,
      tables.map(({ name, sql }) => ({ name, sql: withoutTypes(sql) })),
    )
    for (const { table, column, row, value } of values) put(db, table, column, row, value)
    define(db, tables)
    for (const { sql } of triggers) db.exec(sql)
  } finally {
    db.close()
  }
}

/** Allows any value, except in columns on which indexes and row numbers depend. */
const withoutTypes = (sql: string): string =>
  sql
    .replace(') STRICT', ')')
    .replace('), WITHOUT ROWID', ') WITHOUT ROWID')
    .replace(/(?<=^ +\w+ +)(?:TEXT|REAL|INTEGER(?! PRIMARY))\b/gm, 'BLOB')
    .replace(/(?<!IS) NOT NULL/g, '')

function define(db: Database.Database, tables: readonly Made[]): void {
  const version = db.pragma('schema_version', { simple: true }) as number
  db.pragma('writable_schema = ON')
  for (const { name, sql } of tables) db.prepare('UPDATE sqlite_schema SET sql = ? WHERE name = ?').run(sql, name)
  db.pragma(`schema_version = ${version + 1}`)
  db.pragma('writable_schema = RESET')
}

function put(db: Database.Database, table: string, column: string, row: number, value: string): void {
  const keys = (db.pragma(`table_info("${table}")`) as { name: string; pk: number }[]).filter(({ pk }) => pk > 0)
  const isWithoutRowid = /WITHOUT ROWID/.test(
    String(db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(table)),
  )
  const key = isWithoutRowid ? keys.map(({ name }) => name).join(', ') : 'rowid'
  db.exec(`UPDATE "${table}" SET "${column}" = ${value}
    WHERE (${key}) = (SELECT ${key} FROM "${table}" ORDER BY ${key} LIMIT 1 OFFSET ${row})`)
}
