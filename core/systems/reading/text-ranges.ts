import type { ReadDb } from '#core/sqlite/read-db.ts'

/** What has texts, told by row numbers: message numbers, and the row numbers of summaries. */
export type TextKind = 'message' | 'summary'

/** Row numbers from one to another, both included. */
type RowRange = { readonly from: number; readonly to: number }

type Statements = {
  readonly numbers: string
  readonly rows: string
  /** Length of the texts, without reading them; one statement a table. */
  readonly bytes: readonly string[]
  /**
   * All that contents and `textsOfParts` are read from, as bytes: a change that is not in them goes unnoticed. Parts come
   * in any order, since their ordinals are among it.
   */
  readonly inputs: readonly string[]
}

/** A text after its length, so that it is told apart from its neighbours. */
const measured = (column: string): string => `coalesce(octet_length(${column}), -1) || ' ' || coalesce(${column}, '')`
const inRange = (row: string): string => `${row} BETWEEN CAST(:from AS INTEGER) AND CAST(:to AS INTEGER)`

const statementsOf = (table: string, row: string): Statements => ({
  numbers: /* sql */ `
    SELECT ${row} FROM ${table} WHERE ${row} > :last ORDER BY ${row} LIMIT CAST(:limit AS INTEGER)`,
  rows: /* sql */ `SELECT ${row} FROM ${table} WHERE ${inRange(row)}`,
  bytes: [/* sql */ `SELECT total(octet_length(content)) FROM ${table} WHERE ${inRange(row)}`],
  inputs: [
    /* sql */ `
    SELECT CAST(group_concat(${row} || ' ' || ${measured('content')}, '' ORDER BY ${row}) AS BLOB)
    FROM ${table} WHERE ${inRange(row)}`,
  ],
})
const messages = statementsOf('messages', 'message_id')

const queries: Readonly<Record<TextKind, Statements>> = {
  message: {
    ...messages,
    bytes: [
      ...messages.bytes,
      /* sql */ `
      SELECT total(octet_length(tool_input)) + total(octet_length(tool_output)) + total(octet_length(text_content))
      FROM message_parts WHERE ${inRange('message_id')}`,
    ],
    inputs: [
      ...messages.inputs,
      /* sql */ `
      SELECT CAST(group_concat(
        message_id || ' ' || ordinal || ' ' || ${['tool_input', 'tool_output', 'thought'].map(measured).join(' || ')},
        '') AS BLOB)
      FROM (
        SELECT message_id, ordinal, tool_input, tool_output,
          CASE part_type WHEN 'reasoning' THEN text_content END AS thought
        FROM message_parts
        WHERE ${inRange('message_id')} AND is_synthetic = 0
          AND (tool_input IS NOT NULL OR tool_output IS NOT NULL OR part_type = 'reasoning')
      )`,
    ],
  },
  summary: statementsOf('summaries', 'summary_rowid'),
}

/** Row numbers above a given one, ascending, at most as many as asked for. */
export const rowsAfter = (db: ReadDb, kind: TextKind, last: number, limit: number): number[] =>
  db.column<number>(queries[kind].numbers, { last, limit })

export const rowsWithin = (db: ReadDb, kind: TextKind, range: RowRange): number[] =>
  db.column<number>(queries[kind].rows, range)

/** How long the texts of some rows are, without reading them. */
export const textBytesWithin = (db: ReadDb, kind: TextKind, range: RowRange): number =>
  queries[kind].bytes.reduce((sum, sql) => sum + (db.value<number>(sql, range) ?? 0), 0)

/** All texts of some rows as they are stored, run together: they are the same bytes only when every text is the same. */
export const storedTextsWithin = (db: ReadDb, kind: TextKind, range: RowRange): (Uint8Array | string)[] =>
  queries[kind].inputs.map((sql) => db.value<Uint8Array>(sql, range) ?? '')
