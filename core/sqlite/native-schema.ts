import Database from 'better-sqlite3'
import { LcmError } from '../errors.ts'
import type { ReadDb } from './read-db.ts'
import { computedObjects, keyOf } from './schema-objects.ts'

const queries = {
  objects: /* sql */ `SELECT type, name, sql FROM main.sqlite_schema WHERE type IN ('table', 'view', 'trigger')`,
  columns: /* sql */ `SELECT name FROM pragma_table_info(:table, 'main')`,
  definition: /* sql */ `
    SELECT name, type, "notnull" OR pk > 0 AS isRequired FROM pragma_table_info(:table, 'main') ORDER BY cid`,
}

type SchemaObject = { readonly type: string; readonly name: string; readonly sql: string }

export type NativeColumn = { readonly name: string; readonly type: string; readonly isRequired: boolean }

/** The parts of a native file of one version. */
type NativeSchema = {
  readonly tables: ReadonlyMap<string, { readonly columns: readonly NativeColumn[]; readonly sql: string }>
  /** The texts of views, full-text indexes and triggers, by name. They execute code, so they must be exactly ours. */
  readonly texts: ReadonlyMap<string, string>
}

/** The views of native files. */
export const NATIVE_VIEWS: ReadonlySet<string> = new Set(['message_text', 'summary_parents'])

/**
 * The form of a ledger's triggers, whatever columns the tables had when the ledger began. They only record what
 * changed.
 */
const LEDGER_TRIGGER = new RegExp(
  String.raw`^CREATE TRIGGER ledger_(\w+)_(insert|update|delete) AFTER (?:INSERT|UPDATE|DELETE) ON \1 ` +
    String.raw`(?:WHEN (?:new|old)\.key NOT LIKE 'ledger_%' )?BEGIN INSERT INTO ledger_outbox \(table_name, op, key, entry\) VALUES \('\1', '\2', ` +
    String.raw`json_array\((?:(?:new|old)\.\w+(?:, )?)+\), ` +
    String.raw`(?:NULL|json_object\((?:'\w+', (?:new|old)\.\w+(?:, )?)*\))\); END$`,
)

/** Triggers of a file that was pulled from PostgreSQL. They only note which rows were written. */
const PULL_TRIGGER = new RegExp(
  String.raw`^CREATE TRIGGER pull_(\w+)_(?:insert|update|delete) AFTER (?:INSERT|UPDATE|DELETE) ON \1 ` +
    String.raw`BEGIN (?:INSERT OR IGNORE INTO pulled_changes \(table_name, unit\) VALUES \('\w+', (?:new|old)\.\w+\); )+END$`,
)

const known = new Map<string, NativeSchema>()

/** Derived from the migrations, once in a process. */
export function nativeSchema(migrations: readonly string[]): NativeSchema {
  const key = String(migrations.length)
  const made = known.get(key)
  if (made) return made
  const connection = new Database(':memory:')
  try {
    for (const sql of migrations) connection.exec(sql)
    const objects = connection.prepare(queries.objects).all() as SchemaObject[]
    const columnsOf = (table: string): NativeColumn[] => {
      const columns = connection.prepare(queries.definition).all({ table }) as (NativeColumn & {
        isRequired: unknown
      })[]
      return columns.map((column) => ({ ...column, isRequired: Boolean(column.isRequired) }))
    }
    const isPlain = ({ type, sql }: SchemaObject): boolean => type === 'table' && !/^CREATE VIRTUAL/.test(sql)
    const virtual = objects.filter((object) => object.type === 'table' && !isPlain(object)).map(({ name }) => name)
    const isShadow = (name: string): boolean => virtual.some((index) => name.startsWith(`${index}_`))
    const schema: NativeSchema = {
      tables: new Map(
        objects
          .filter((object) => isPlain(object) && !isShadow(object.name))
          .map(({ name, sql }) => [name, { columns: columnsOf(name), sql: oneLine(sql) }]),
      ),
      texts: new Map(objects.filter((object) => !isPlain(object)).map(({ name, sql }) => [name, oneLine(sql)])),
    }
    known.set(key, schema)
    return schema
  } finally {
    connection.close()
  }
}

export const oneLine = (sql: string): string => String(sql).replace(/\s+/g, ' ').trim()

/**
 * Verifies that every table of a native file is a table with our columns, and that its views and full-text indexes are
 * ours. The file may come from anyone, and SQLite would execute a foreign view in place of a table.
 * @param migrations the migrations up to the version of the file
 * @throws LcmError file_corrupt
 */
export function requireNativeSchema(db: ReadDb, path: string, migrations: readonly string[]): void {
  const { tables, texts } = nativeSchema(migrations)
  const objects = db.all<SchemaObject>(queries.objects)
  if (migrations.length === 0 && objects.length > 0) throw wrongVersion(path, 0)
  const computed = computedObjects(db, NATIVE_VIEWS)
  for (const [table, { columns }] of tables) {
    const what = computed.get(keyOf(table))
    if (what !== undefined) throw damaged(path, `its ${table} is ${what} where a plain table belongs`, table)
    const there = new Set(db.column<string>(queries.columns, { table }))
    if (there.size === 0) throw damaged(path, `it has lost the table ${table}`, table)
    const lost = columns.find(({ name }) => !there.has(name))?.name
    if (lost !== undefined) throw damaged(path, `its table ${table} has lost the column ${lost}`, `${table}.${lost}`)
  }
  for (const { type, name, sql } of objects) {
    const ours = texts.get(name)
    if (type === 'trigger' || ours === undefined) continue
    if (oneLine(sql) !== ours) throw damaged(path, `its ${name} is not the one that LCM Inspector makes`, name)
    if (computed.has(keyOf(name))) throw damaged(path, `the tables of its index ${name} are none`, name)
  }
}

/** Returns the triggers that are not ours. They would run with each of our writes. */
export function strangeTriggers(db: ReadDb, migrations: readonly string[]): string[] {
  const { texts } = nativeSchema(migrations)
  const isOurs = (name: string, sql: string): boolean =>
    texts.get(name) === sql || LEDGER_TRIGGER.test(sql) || PULL_TRIGGER.test(sql)
  return db
    .all<SchemaObject>(queries.objects)
    .filter(({ type, name, sql }) => type === 'trigger' && !isOurs(name, oneLine(sql)))
    .map(({ name }) => name)
}

/** The error for a header that does not match the tables. */
export const wrongVersion = (path: string, version: number): LcmError =>
  damaged(path, `its header says schema ${version}, which its tables are not of`, 'user_version')

function damaged(path: string, what: string, object: string): LcmError {
  return new LcmError(
    'file_corrupt',
    `${path} is damaged or was changed by another program: ${what}. Restore it from a backup, or save what can still be read with "lcm salvage".`,
    { path, object },
  )
}
