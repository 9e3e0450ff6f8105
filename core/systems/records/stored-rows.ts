import { LcmError } from '#core/errors.ts'
import type { ReadDb, SqlValue } from '#core/sqlite/read-db.ts'
import type { FoundNode } from '../reading/node-id.ts'

const queries = {
  view: /* sql */ `SELECT sql FROM temp.sqlite_schema WHERE type = 'view' AND name = :name`,
}

/** A message may have many parts. */
const MOST_ROWS = 50

/** A row as it stands in a table of the file. */
export type StoredRow = {
  readonly table: string
  /** False for what the system does not store as a row of its own, so that it is shown as it is read. */
  readonly isStored: boolean
  readonly names: readonly string[]
  readonly values: readonly SqlValue[]
}

/** Returns the rows behind a node. */
export function storedRows(db: ReadDb, node: FoundNode): StoredRow[] {
  switch (node.kind) {
    case 'message':
      return [
        ...rowsOf(db, 'messages', 'message_id', node.messageId),
        ...rowsOf(db, 'message_parts', 'message_id', node.messageId),
      ]
    case 'summary':
      return rowsOf(db, 'summaries', 'summary_id', node.id)
    case 'file':
      return rowsOf(db, 'large_files', 'file_id', node.id)
  }
}

function rowsOf(db: ReadDb, name: string, key: string, value: SqlValue): StoredRow[] {
  const definition = db.value<string>(queries.view, { name })
  if (definition === undefined) return read(db, { table: name, isStored: true, from: `main.${name}`, key }, value)
  const behind = behindView(definition, key)
  if (behind !== null) {
    try {
      return read(db, { isStored: true, ...behind }, value)
    } catch (error) {
      // What the view computes may not be a condition. Then its own row says what is known.
      if (!(error instanceof LcmError) || error.code !== 'sqlite_failed') throw error
    }
  }
  return read(db, { table: name, isStored: false, from: name, key }, value)
}

type Place = { readonly table: string; readonly isStored: boolean; readonly from: string; readonly key: string }

function read(db: ReadDb, { table, isStored, from, key }: Place, value: SqlValue): StoredRow[] {
  const joint = /\bWHERE\b/i.test(from) ? 'AND' : 'WHERE'
  const sql = /* sql */ `SELECT * FROM ${from} ${joint} (${key}) = :value LIMIT ${MOST_ROWS}`
  const rows = [...db.iterateExact(sql, { value })]
  if (rows.length === 0) return []
  const names = db.columnNames(sql)
  return rows.map((values) => ({ table, isStored, names, values }))
}

/**
 * Returns where a view of `canonical.ts` takes its rows from, and what it makes its key of. Null when it groups rows, or
 * takes them from a table that was derived. The definition is that of a system, never of the file.
 */
function behindView(definition: string, key: string): Omit<Place, 'isStored'> | null {
  const [, list = '', from = ''] =
    /^CREATE (?:TEMP )?VIEW \w+ AS\nSELECT\n([\s\S]*?)\nFROM ([\s\S]*?);?\s*$/.exec(definition) ?? []
  const column = list.split(/,\n {2}(?! )/).find((one) => one.endsWith(` AS ${key}`))
  const table = /^(?:main\.)?"?(\w+)"?/.exec(from)?.[1]
  if (column === undefined || table === undefined || /\btemp\.|\bGROUP BY\b|\bUNION\b/i.test(from)) return null
  return { table, from, key: column.trim().slice(0, -` AS ${key}`.length) }
}
