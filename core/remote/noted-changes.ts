import { oneLine } from '../sqlite/native-schema.ts'
import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'
import { STORED_TABLES, type StoredTable, type StoredValue } from './postgres/tables.ts'

/** In the place of a table: every unit may have changed, because the file was not compared as a whole yet. */
const EVERYTHING = '*'

const queries = {
  make: /* sql */ `
    DROP TABLE IF EXISTS pulled_changes;
    CREATE TABLE pulled_changes (
      table_name TEXT NOT NULL, unit ANY NOT NULL, PRIMARY KEY (table_name, unit)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO pulled_changes (table_name, unit) VALUES ('${EVERYTHING}', 0);`,
  noteRow: (table: string, unit: string) =>
    /* sql */ `INSERT OR IGNORE INTO pulled_changes (table_name, unit) VALUES ('${table}', ${unit});`,
  /** One line, as it is compared with what is in a file. */
  trigger: (table: string, op: string, statements: string) =>
    /* sql */ `CREATE TRIGGER pull_${table}_${op} AFTER ${op.toUpperCase()} ON ${table} BEGIN ${statements} END`,
  triggers: /* sql */ `SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger' AND name GLOB 'pull_*'`,
  drop: (trigger: string) => /* sql */ `DROP TRIGGER IF EXISTS main."${trigger}"`,
  isEverything: /* sql */ `SELECT 1 FROM pulled_changes WHERE table_name = '${EVERYTHING}'`,
  units: /* sql */ `SELECT unit FROM pulled_changes WHERE table_name = :table`,
  note: /* sql */ `INSERT OR IGNORE INTO pulled_changes (table_name, unit) VALUES (?, ?)`,
  forgetAll: /* sql */ `DELETE FROM pulled_changes`,
  forgetEverything: /* sql */ `DELETE FROM pulled_changes WHERE table_name = '${EVERYTHING}'`,
}

/** Units of a table that may have changed, as an operand of IN. */
export const notedUnits = ({ name }: StoredTable): string =>
  /* sql */ `SELECT unit FROM pulled_changes WHERE table_name = '${name}'`

/** Links are rows of a conversation as long as their summary is. */
const LINKS: readonly string[] = ['summary_messages', 'summary_sources']

const TRIGGERS: ReadonlyMap<string, string> = new Map(
  STORED_TABLES.flatMap(({ name, unit }) => {
    const tables = [name, ...(name === 'summaries' ? LINKS : [])]
    const noting = (row: 'new' | 'old'): string[] => tables.map((table) => queries.noteRow(table, `${row}.${unit}`))
    const trigger = (op: 'insert' | 'update' | 'delete', statements: readonly string[]): [string, string] => [
      `pull_${name}_${op}`,
      queries.trigger(name, op, statements.join(' ')),
    ]
    return [
      trigger('insert', noting('new')),
      trigger('update', [...noting('old'), ...noting('new')]),
      trigger('delete', noting('old')),
    ]
  }),
)

function hasTriggers(db: ReadDb): boolean {
  const there = db.all<{ name: string; sql: string }>(queries.triggers)
  return there.length === TRIGGERS.size && there.every(({ name, sql }) => TRIGGERS.get(name) === oneLine(sql))
}

/** Everything that differs from what was pulled is among the noted units. Otherwise only a comparison of all rows tells. */
export const isNoted = (db: ReadDb): boolean => hasTriggers(db) && db.value(queries.isEverything) === undefined

/** From now on triggers note each unit that anybody writes. The file has to be compared as a whole once. */
export function noteChanges(db: WriteDb): void {
  db.transaction(() => {
    if (hasTriggers(db)) return
    for (const { name } of db.all<{ name: string }>(queries.triggers)) db.exec(queries.drop(name.replaceAll('"', '""')))
    db.exec(queries.make)
    for (const sql of TRIGGERS.values()) db.exec(sql)
  })
}

/** Has the whole file compared once more. */
export function distrust(db: WriteDb): void {
  noteChanges(db)
  db.runRaw(queries.note, [EVERYTHING, 0])
}

/** The whole file was compared, and holds what was pulled but for the noted units. */
export function endWholeComparison(db: WriteDb): void {
  db.run(queries.forgetEverything)
}

export const unitsNoted = (db: ReadDb, table: StoredTable): StoredValue[] =>
  db.column<string | number>(queries.units, { table: table.name })

/** Of all noted units only these differ from what was pulled. Call it in the transaction that compared them. */
export function keepNoted(
  db: WriteDb,
  changed: Iterable<{ readonly table: StoredTable; readonly units: readonly { readonly unit: StoredValue }[] }>,
): void {
  db.run(queries.forgetAll)
  for (const { table, units } of changed) for (const { unit } of units) db.runRaw(queries.note, [table.name, unit])
}
