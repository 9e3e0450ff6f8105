import Database from 'better-sqlite3'

/** A change of a file's structure that its own system never makes. It throws when the table cannot have it. */
export type HostileChange = {
  readonly name: string
  readonly make: (db: Database.Database, table: string) => void
}

/** Returns rows without end. */
export const ENDLESS = 'WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)'

/** A condition that is false, after minutes. */
export const SLOW_CONDITION = `instr(hex(zeroblob(2000000)), hex(zeroblob(1000000)) || '1') > 0`

const QUICK_CONDITION = `instr('quick', 'x') > 0`

type Column = { readonly name: string; readonly type: string; readonly hidden: number }

const columnsOf = (db: Database.Database, table: string): readonly Column[] =>
  (db.pragma(`table_xinfo("${table}")`) as Column[]).filter(({ hidden }) => hidden === 0)

const listed = (columns: readonly Column[]): string => columns.map(({ name }) => `"${name}"`).join(', ')

/** Stores the rows in another table of the same name. */
function rebuilt(db: Database.Database, table: string, definition: (columns: readonly Column[]) => string): void {
  const columns = columnsOf(db, table)
  db.exec(`ALTER TABLE "${table}" RENAME TO kept_rows`)
  db.exec(`CREATE TABLE "${table}" (${definition(columns)})`)
  db.exec(`INSERT INTO "${table}" (${listed(columns)}) SELECT ${listed(columns)} FROM kept_rows; DROP TABLE kept_rows`)
}

/** SQLite computes a column for every row when the table is made, so the column becomes slow only afterwards. */
function slowDown(db: Database.Database, table: string): void {
  db.pragma('writable_schema = ON')
  const change = 'UPDATE sqlite_schema SET sql = replace(sql, :quick, :slow) WHERE name = :table'
  db.prepare(change).run({ table, quick: QUICK_CONDITION, slow: SLOW_CONDITION })
  db.pragma('writable_schema = RESET')
}

/** Adds columns that hide the number of a row. */
const withColumns =
  (...names: readonly string[]) =>
  (db: Database.Database, table: string): void => {
    rebuilt(db, table, (columns) => [listed(columns), ...names.map((name) => `"${name}" TEXT`)].join(', '))
    db.exec(`UPDATE "${table}" SET ${names.map((name) => `"${name}" = 'zzz'`).join(', ')}`)
  }

export const HOSTILE_CHANGES: readonly HostileChange[] = [
  {
    name: 'a view without end',
    make: (db, table) => {
      const columns = columnsOf(db, table)
      db.exec(`ALTER TABLE "${table}" RENAME TO kept_rows;
        CREATE VIEW "${table}" AS ${ENDLESS} SELECT ${columns.map(({ name }) => `x AS "${name}"`).join(', ')} FROM n`)
    },
  },
  {
    name: 'views nested so deep that they cannot be resolved',
    make: (db, table) => {
      db.exec(`ALTER TABLE "${table}" RENAME TO kept_rows; CREATE VIEW nest_0 AS SELECT 1 AS x`)
      for (let depth = 1; depth <= 40; depth += 1) {
        db.exec(`CREATE VIEW nest_${depth} AS SELECT a.x FROM nest_${depth - 1} AS a, nest_${depth - 1} AS b`)
      }
      db.exec(`CREATE VIEW "${table}" AS SELECT * FROM nest_40`)
    },
  },
  {
    name: 'a column that is computed for ever',
    make: (db, table) => {
      db.exec(`ALTER TABLE "${table}" ADD COLUMN computed_here TEXT AS (${QUICK_CONDITION})`)
      slowDown(db, table)
    },
  },
  {
    name: 'a last column that is computed',
    make: (db, table) => {
      const columns = columnsOf(db, table)
      const last = columns.at(-1) as Column
      db.exec(`ALTER TABLE "${table}" RENAME TO kept_rows;
        CREATE TABLE "${table}" (${listed(columns.slice(0, -1))}, "${last.name}" AS (${QUICK_CONDITION}));
        INSERT INTO "${table}" SELECT ${listed(columns.slice(0, -1))} FROM kept_rows`)
      slowDown(db, table)
    },
  },
  {
    name: 'a condition that is checked for ever',
    make: (db, table) => {
      db.pragma('ignore_check_constraints = ON')
      rebuilt(db, table, (columns) => `${listed(columns)}, CHECK (NOT (${SLOW_CONDITION}))`)
    },
  },
  {
    name: 'a trigger without end',
    make: (db, table) =>
      db.exec(`CREATE TRIGGER endless AFTER INSERT ON "${table}" BEGIN
        SELECT count(*) FROM (${ENDLESS} SELECT x FROM n); END`),
  },
  {
    name: 'a virtual table of an unknown kind',
    make: (db, table) => {
      db.exec(`ALTER TABLE "${table}" RENAME TO kept_rows`)
      db.pragma('writable_schema = ON')
      db.prepare(
        `INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('table', :table, :table, 0, :sql)`,
      ).run({ table, sql: `CREATE VIRTUAL TABLE "${table}" USING strange_module(a, b)` })
      db.pragma('writable_schema = OFF')
    },
  },
  { name: 'a column named rowid that holds a text', make: withColumns('rowid') },
  { name: 'columns named rowid, _rowid_ and oid', make: withColumns('rowid', '_rowid_', 'oid') },
  {
    name: 'no row numbers',
    make: (db, table) => {
      const columns = columnsOf(db, table)
      db.exec(`ALTER TABLE "${table}" RENAME TO kept_rows;
        CREATE TABLE "${table}" (key_of_this INTEGER PRIMARY KEY, ${listed(columns.filter(({ name }) => name !== 'key_of_this'))}) WITHOUT ROWID;
        INSERT INTO "${table}" (key_of_this, ${listed(columns)}) SELECT rowid, ${listed(columns)} FROM kept_rows`)
    },
  },
  {
    name: 'the largest and the smallest row numbers',
    make: (db, table) => {
      rebuilt(db, table, listed)
      db.exec(`UPDATE "${table}" SET rowid = 9223372036854775807 WHERE rowid = (SELECT max(rowid) FROM "${table}");
        UPDATE "${table}" SET rowid = -9223372036854775808 WHERE rowid = (SELECT min(rowid) FROM "${table}")`)
    },
  },
]

/** Makes the change without keys, checks and the file's own triggers, and closes the file. */
export function changeSchema(path: string, change: HostileChange, table: string): void {
  const db = new Database(path)
  try {
    db.unsafeMode(true)
    db.pragma('foreign_keys = OFF')
    db.pragma('legacy_alter_table = ON')
    for (const trigger of db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).pluck().all())
      db.exec(`DROP TRIGGER "${trigger}"`)
    change.make(db, table)
    db.pragma('journal_mode = DELETE')
  } finally {
    db.close()
  }
}

/** Returns the tables of a file that hold rows. */
export function tablesOf(path: string): string[] {
  const db = new Database(path, { readonly: true })
  try {
    return db
      .prepare(
        `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'`,
      )
      .pluck()
      .all() as string[]
  } finally {
    db.close()
  }
}
