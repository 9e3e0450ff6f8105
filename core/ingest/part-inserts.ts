import type { BoundStatement, SqlValue, WriteDb } from '../sqlite/read-db.ts'
import type { PartRow } from './ingest-rows.ts'

const queries = {
  // The column names come from `toPartRow` and never from input.
  insert: (columns: readonly string[], rows = 1, key = '?, ?, ?, ?') => {
    const row = `(${key}${', ?'.repeat(columns.length)})`
    return /* sql */ `
    INSERT INTO message_parts (part_id, message_id, session_id, ordinal, ${columns.join(', ')})
    VALUES ${Array.from({ length: rows }, () => row).join(', ')}`
  },
}

/** The columns that most parts fill, with the default of each. */
const common: ReadonlyMap<string, SqlValue> = new Map<string, SqlValue>([
  ['part_type', null],
  ['is_content', 0],
  ['tool_call_id', null],
  ['tool_name', null],
  ['tool_status', null],
  ['step_reason', null],
  ['step_tokens_in', null],
  ['step_tokens_out', null],
  ['step_cost', null],
  ['text_content', null],
  ['tool_input', null],
  ['tool_output', null],
  ['metadata', null],
])
const columnsOfMost = [...common.keys()]
const placeOf: ReadonlyMap<string, number> = new Map(columnsOfMost.map((column, place) => [column, place]))
const emptyRow = [...common.values()]

/** Running a statement costs as much as writing two rows. */
const ROWS_AT_ONCE = 8
const insertSome = Array.from({ length: ROWS_AT_ONCE }, (_, more) => queries.insert(columnsOfMost, more + 1))

/** Returns a statement for a part whose texts are bound already. Only its key is missing. */
export const bindPart = (db: WriteDb, { columns, values }: PartRow): BoundStatement =>
  db.bindAhead(queries.insert(columns, 1, 'given(0), given(1), given(2), given(3)'), values)

/** Writes parts in the order in which they come, several at once. They are in the file when `flush` has returned. */
export class PartInserts {
  readonly #db: WriteDb
  #rows: (readonly SqlValue[])[] = []

  constructor(db: WriteDb) {
    this.#db = db
  }

  /** `key` is part id, message, session and ordinal. */
  add(key: readonly SqlValue[], { columns, values, bound }: PartRow): void {
    if (bound) {
      this.flush()
      bound(key)
      return
    }
    const row = [...key, ...emptyRow]
    for (const [index, column] of columns.entries()) {
      const place = placeOf.get(column)
      if (place === undefined) {
        // Binding all columns that are rarely filled would cost more than the rest of the row, so such a part is
        // written alone.
        this.flush()
        this.#db.runRaw(queries.insert(columns), [...key, ...values])
        return
      }
      row[key.length + place] = values[index] ?? null
    }
    this.#rows.push(row)
    if (this.#rows.length === ROWS_AT_ONCE) this.flush()
  }

  flush(): void {
    const insert = insertSome[this.#rows.length - 1]
    if (insert !== undefined) this.#db.runRaw(insert, this.#rows.flat())
    this.#rows = []
  }
}
