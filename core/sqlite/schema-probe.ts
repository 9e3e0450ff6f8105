import type { ReadDb } from './read-db.ts'
import { type ComputedObjects, computedObjects, IS_ORDINARY_TABLE, keyOf } from './schema-objects.ts'

/**
 * Names of tables and columns of a file. Signatures look at nothing else, because version numbers may be wrong and the
 * structure is not.
 */
export type SchemaProbe = {
  /**
   * Tables that hold their own rows, without those of full-text indexes. A view with the name of a table proves
   * nothing.
   */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>
  /** Objects of the file that are not read. */
  readonly computed: ComputedObjects
  has(table: string, column?: string): boolean
  /** Returns false for a table made WITHOUT ROWID. https://www.sqlite.org/withoutrowid.html */
  hasRowids(table: string): boolean
  /** True when an index of the whole table begins with this column, so that rows are found by it. */
  isIndexed(table: string, column: string): boolean
}

const queries = {
  columns: /* sql */ `
    SELECT s.name AS tableName, c.name AS columnName
    FROM main.sqlite_schema AS s
    JOIN pragma_table_xinfo(s.name, 'main') AS c
    WHERE s.type = 'table' AND ${IS_ORDINARY_TABLE('s.sql')} AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
  virtual: /* sql */ `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND NOT ${IS_ORDINARY_TABLE('sql')}`,
  // Selects tables without rowid: their index information lists the key columns under the name of the table itself.
  // https://www.sqlite.org/pragma.html#pragma_index_info
  withoutRowids: /* sql */ `
    SELECT DISTINCT s.name FROM main.sqlite_schema AS s JOIN pragma_index_info(s.name, 'main')
    WHERE s.type = 'table' AND ${IS_ORDINARY_TABLE('s.sql')}`,
  indexed: /* sql */ `
    SELECT s.name AS tableName, c.name AS columnName
    FROM main.sqlite_schema AS s
    JOIN pragma_index_list(s.name, 'main') AS i
    JOIN pragma_index_info(i.name, 'main') AS c
    WHERE s.type = 'table' AND ${IS_ORDINARY_TABLE('s.sql')} AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      AND c.seqno = 0 AND i.partial = 0 AND c.name IS NOT NULL`,
}

/**
 * Reads the structure of the main database. It works before any TEMP view exists.
 * @param ours views of a native file that are known to be our own
 */
export function probeSchema(db: ReadDb, ours?: ReadonlySet<string>): SchemaProbe {
  const tables = new Map<string, Set<string>>()
  const computed = computedObjects(db, ours)
  const isShadow = shadowsOf(db.column<string>(queries.virtual))
  for (const { tableName, columnName } of db.all<{ tableName: string; columnName: string }>(queries.columns)) {
    if (computed.has(keyOf(tableName)) || isShadow.test(tableName)) continue
    const columns = tables.get(tableName)
    if (columns) columns.add(columnName)
    else tables.set(tableName, new Set([columnName]))
  }
  const withoutRowids = new Set(db.column<string>(queries.withoutRowids))
  let indexed: ReadonlySet<string> | null = null
  const indexedColumns = (): ReadonlySet<string> =>
    new Set(
      db
        .all<{ tableName: string; columnName: string }>(queries.indexed)
        .map(({ tableName, columnName }) => JSON.stringify([tableName, columnName])),
    )
  return {
    tables,
    computed,
    hasRowids: (table) => !withoutRowids.has(table),
    isIndexed: (table, column) => {
      indexed ??= indexedColumns()
      return indexed.has(JSON.stringify([table, column]))
    },
    has: (table, column) => {
      const columns = tables.get(table)
      return columns !== undefined && (column === undefined || columns.has(column))
    },
  }
}

/**
 * Matches the tables in which full-text indexes store their data. https://www.sqlite.org/fts5.html#fts5_data_structures
 */
function shadowsOf(virtual: readonly string[]): RegExp {
  const names = virtual.map((name) => name.replace(/[^\w]/g, '\\$&')).join('|')
  return new RegExp(`^(?:${names})_(?:data|idx|content|docsize|config)$`, 'i')
}
