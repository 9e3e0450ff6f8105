import type { StorageObject } from '#core/contract/storage.ts'
import { LcmError } from '#core/errors.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'

const queries = {
  schema: /* sql */ `
    SELECT name, type, tbl_name AS "table", rootpage AS rootPage, coalesce(sql, '') AS sql
    FROM main.sqlite_schema
    WHERE type IN ('table', 'index')
    ORDER BY rowid`,
  // https://www.sqlite.org/dbstat.html
  size: /* sql */ `
    SELECT pgsize AS bytes, payload AS payloadBytes, unused AS unusedBytes
    FROM dbstat('main', 1)
    WHERE name = :name`,
}

type SchemaRow = { name: string; type: 'table' | 'index'; table: string; rootPage: number; sql: string }
type Size = Pick<StorageObject, 'bytes' | 'payloadBytes' | 'unusedBytes'>

/**
 * The kinds of the tables behind a full-text table, by the suffix of their names.
 * https://www.sqlite.org/fts5.html#fts5_data_structures
 */
const SEARCH_PARTS: Readonly<Record<string, StorageObject['kind']>> = {
  _data: 'search_index',
  _idx: 'search_index',
  _docsize: 'search_index',
  _config: 'search_index',
  _content: 'search_text',
}

export type Measured = { readonly object: StorageObject } | { readonly unreadable: string }

/** Measures every b-tree of the file, one at a time, because each measurement reads all its pages. */
export function* measureObjects(db: ReadDb): Generator<Measured> {
  const rows = db.all<SchemaRow>(queries.schema)
  const virtual = new Set(rows.filter((row) => row.rootPage === 0).map((row) => row.name))
  yield measure(db, { name: 'sqlite_schema', type: 'table', table: 'sqlite_schema', rootPage: 1, sql: '' }, virtual)
  for (const row of rows) if (row.rootPage > 0) yield measure(db, row, virtual)
}

function measure(db: ReadDb, row: SchemaRow, virtual: ReadonlySet<string>): Measured {
  try {
    const size = db.get<Size>(queries.size, { name: row.name })
    if (!size) return { unreadable: row.name }
    const { kind, of } = kindOf(row, virtual)
    return { object: { name: row.name, kind, of, ...size, rows: kind === 'table' ? rowsOf(db, row.name) : null } }
  } catch (error) {
    if (error instanceof LcmError) return { unreadable: row.name }
    throw error
  }
}

function kindOf(row: SchemaRow, virtual: ReadonlySet<string>): Pick<StorageObject, 'kind' | 'of'> {
  for (const [suffix, kind] of Object.entries(SEARCH_PARTS)) {
    const of = row.table.slice(0, -suffix.length)
    if (row.table.endsWith(suffix) && virtual.has(of)) return { kind, of }
  }
  if (row.type === 'index') return { kind: 'index', of: row.table }
  return { kind: row.name.startsWith('sqlite_') ? 'system' : 'table', of: row.name }
}

function rowsOf(db: ReadDb, table: string): number | null {
  try {
    return db.value<number>(/* sql */ `SELECT count(*) FROM main."${table.replaceAll('"', '""')}"`) ?? null
  } catch (error) {
    if (error instanceof LcmError) return null
    throw error
  }
}
