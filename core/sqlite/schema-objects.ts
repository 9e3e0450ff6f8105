import type { ReadDb } from './read-db.ts'

/** SQLite stores the definition of an ordinary table with this beginning. */
export const IS_ORDINARY_TABLE = (sql: string): string => `lower(substr(${sql}, 1, 13)) = 'create table '`

const queries = {
  objects: /* sql */ `SELECT type, name, sql FROM main.sqlite_schema WHERE type IN ('table', 'view')`,
  computed: /* sql */ `
    SELECT DISTINCT s.name
    FROM main.sqlite_schema AS s JOIN pragma_table_xinfo(s.name, 'main') AS c
    WHERE s.type = 'table' AND ${IS_ORDINARY_TABLE('s.sql')} AND c.hidden IN (2, 3)`,
  /** A column with this name hides the number of the row, unless it is an alias of that number. */
  hiding: /* sql */ `
    SELECT s.name
    FROM main.sqlite_schema AS s JOIN pragma_table_xinfo(s.name, 'main') AS c
    WHERE s.type = 'table' AND ${IS_ORDINARY_TABLE('s.sql')} AND lower(c.name) = 'rowid'
      AND NOT (upper(c.type) = 'INTEGER' AND (SELECT sum(k.pk) FROM pragma_table_xinfo(s.name, 'main') AS k) = c.pk AND c.pk = 1)`,
}

type SchemaObject = { readonly type: string; readonly name: string; readonly sql: string | null }

/**
 * Objects of a file that execute expressions of its author when they are read: lower-case name to what the object is.
 */
export type ComputedObjects = ReadonlyMap<string, string>

const FTS5 = /^create virtual table .*? using fts5\s*\(/is
const FTS5_CONTENT = /[(,]\s*content\s*=\s*(?:'([^']*)'|"([^"]*)"|`([^`]*)`|\[([^\]]*)\]|([^\s,)]*))/i
const SHADOWS = ['data', 'idx', 'content', 'docsize', 'config'] as const

/**
 * Returns views, tables with generated columns, and virtual tables whose content is not in ordinary tables. A statement
 * over one of them executes what the file says, for any time, and SQLite cannot be stopped inside a statement. A table
 * with a column named rowid is refused as well, because reading its rows by number would follow what the author chose.
 * Nothing is executed here: only names and definitions are read, not even columns, because deeply nested views take
 * forever to resolve.
 * @param ours views that are known to be our own
 */
export function computedObjects(db: ReadDb, ours: ReadonlySet<string> = new Set()): ComputedObjects {
  const objects = db.all<SchemaObject>(queries.objects)
  const found = new Map<string, string>()
  const virtual: SchemaObject[] = []
  for (const object of objects) {
    const sql = String(object.sql ?? '')
    if (object.type === 'view' && ours.has(object.name)) continue
    if (object.type === 'view') found.set(keyOf(object.name), 'a view')
    else if (/^create virtual /i.test(sql)) virtual.push(object)
    // SQLite's own tables of statistics and sequences have definitions of this form too.
    else if (!/^create table /i.test(sql)) found.set(keyOf(object.name), 'no ordinary table')
  }
  for (const name of db.column<string>(queries.computed)) found.set(keyOf(name), 'a table with generated columns')
  for (const name of db.column<string>(queries.hiding)) {
    found.set(keyOf(name), 'a table whose column rowid hides the numbers of its rows')
  }
  for (const { name, sql } of virtual) {
    if (!isPlainFts5(name, String(sql), found)) found.set(keyOf(name), 'a virtual table of another kind')
  }
  return found
}

/** True when its texts and its index are in ordinary tables. */
function isPlainFts5(name: string, sql: string, computed: ComputedObjects): boolean {
  if (!FTS5.test(sql)) return false
  if (SHADOWS.some((shadow) => computed.has(keyOf(`${name}_${shadow}`)))) return false
  const content = contentOption(sql) ?? ''
  return !computed.has(keyOf(content))
}

const contentOption = (sql: string): string | undefined =>
  FTS5_CONTENT.exec(sql)
    ?.slice(1)
    .find((text) => text !== undefined)

type NamedObject = { readonly name: string; readonly sql: string | null }

/** Names of the tables in which a full-text table keeps its index, without the copy of its texts. */
export const ftsShadowsOf = ({ name, sql }: NamedObject): string[] =>
  FTS5.test(String(sql)) ? SHADOWS.filter((shadow) => shadow !== 'content').map((shadow) => `${name}_${shadow}`) : []

/** Returns the table whose texts a full-text table indexes, or null where they are stored nowhere. */
export function ftsContentOf({ name, sql }: NamedObject): string | null {
  const content = contentOption(String(sql))
  return content === undefined ? `${name}_content` : content === '' ? null : content
}

export const keyOf = (name: string): string => String(name).toLowerCase()
