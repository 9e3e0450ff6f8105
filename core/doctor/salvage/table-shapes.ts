import type { Table } from '#core/ingest/native-rows.ts'
import { COLUMNS_BEFORE } from '#core/sqlite/later-versions.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { Cell, StoredType } from './page-cells.ts'

const queries = {
  withoutRowid: /* sql */ `SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = :table`,
  /** Selects columns in the order in which a row stores them. In a table without rowids the key comes first. */
  columns: /* sql */ `
    SELECT name, type, "notnull" AS isRequired, pk FROM pragma_table_info(:table)
    ORDER BY CASE WHEN :isIndex AND pk > 0 THEN pk - 1000 ELSE cid END`,
}

/** How a table stores its rows. */
export type Shape = {
  readonly table: Table
  readonly columns: readonly string[]
  /** The column that is an alias of the row number and is not stored; null in a table without rowids. */
  readonly rowid: string | null
  fits(cell: Cell): boolean
}

type Column = { readonly name: string; readonly type: string; readonly isRequired: number; readonly pk: number }

/** Returns how a native file stores the rows of a table. Strict tables hold values of the declared types only. */
export function shapeOf(db: ReadDb, table: Table): Shape {
  const isIndex = db.value<number>(queries.withoutRowid, { table }) ?? 0
  const columns = db.all<Column>(queries.columns, { table, isIndex })
  const key = columns.find(({ type, pk }) => isIndex === 0 && pk > 0 && type === 'INTEGER')
  const fitting = columns.map((column) => typesOf(column, column === key))
  return {
    table,
    columns: columns.map(({ name }) => name),
    rowid: key?.name ?? null,
    fits: ({ rowid, types }) =>
      (rowid === null) === (isIndex === 1) &&
      (types.length === fitting.length || types.length === COLUMNS_BEFORE[table]) &&
      types.every((type, at) => fitting[at]?.has(type)),
  }
}

function typesOf({ type, isRequired, pk }: Column, isRowid: boolean): ReadonlySet<StoredType> {
  if (isRowid) return new Set(['null'])
  const nothing: StoredType[] = isRequired === 1 || pk > 0 ? [] : ['null']
  if (type === 'REAL') return new Set(['real', 'integer', ...nothing])
  return new Set([type === 'TEXT' ? 'text' : 'integer', ...nothing])
}
