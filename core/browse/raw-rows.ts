import type { RawRows } from '../contract/sql.ts'
import { cellOf } from '../query/sql-cell.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { readSnapshot } from '../sqlite/read-snapshot.ts'
import { findNode } from '../systems/reading/node-id.ts'
import { storedRows } from '../systems/records/stored-rows.ts'

/** Of each value, at most this much is returned. */
const MOST_CHARS = 20_000

/**
 * Returns the rows behind a message, a summary or a file as the file stores them.
 * @throws LcmError not_found
 */
export function rawRows(db: ReadDb, id: string): RawRows {
  return readSnapshot(db, () => {
    let cutValues = 0
    const rows = storedRows(db, findNode(db, id)).map(({ table, isStored, names, values }) => ({
      table,
      isStored,
      columns: values.map((value, index) => {
        const { cell, isCut } = cellOf(value, MOST_CHARS)
        if (isCut) cutValues += 1
        return { name: names[index] ?? String(index), value: cell }
      }),
    }))
    return { id, rows, cutValues }
  })
}
