import type { ReadDb } from './read-db.ts'

/** Names of tables and columns of a file: all that a signature may look at, since versions lie and structure does not. */
export type SchemaProbe = {
  /** Ordinary tables only: a view of a table's name proves nothing. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>
  has(table: string, column?: string): boolean
  /** False for a table made WITHOUT ROWID. https://www.sqlite.org/withoutrowid.html */
  hasRowids(table: string): boolean
  /** Rows can be found by this column: an index of the whole table begins with it. */
  isIndexed(table: string, column: string): boolean
}

const queries = {
  columns: /* sql */ `
    SELECT t.name AS tableName, c.name AS columnName
    FROM pragma_table_list AS t
    JOIN pragma_table_xinfo(t.name, 'main') AS c
    WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      AND c.hidden <> 1`,
  withoutRowids: /* sql */ `SELECT name FROM pragma_table_list WHERE schema = 'main' AND wr = 1`,
  indexed: /* sql */ `
    SELECT t.name AS tableName, c.name AS columnName
    FROM pragma_table_list AS t
    JOIN pragma_index_list(t.name, 'main') AS i
    JOIN pragma_index_info(i.name, 'main') AS c
    WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      AND c.seqno = 0 AND i.partial = 0 AND c.name IS NOT NULL`,
}

/** Reads the structure of the main database. Works before any TEMP view exists. */
export function probeSchema(db: ReadDb): SchemaProbe {
  const tables = new Map<string, Set<string>>()
  for (const { tableName, columnName } of db.all<{ tableName: string; columnName: string }>(queries.columns)) {
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
