import type { SqlValue } from '#core/sqlite/read-db.ts'
import type { PreparableDb } from '#core/sqlite/uri-db.ts'

/** Rows that one statement inserts. One statement for each row would take four times as long. */
const ROWS_AT_ONCE = 100

/** Writes many rows into a TEMP table, in the order in which they are added. Nothing may be read from it before `end`. */
export class RowInserter {
  readonly #db: PreparableDb
  readonly #width: number
  readonly #one: string
  readonly #many: string
  #values: SqlValue[] = []

  /** @param into for example `temp.t (a, b)`; columns of whole numbers must be declared INTEGER */
  constructor(db: PreparableDb, into: string, width: number) {
    const row = `(${Array(width).fill('?').join(', ')})`
    this.#db = db
    this.#width = width
    this.#one = /* sql */ `INSERT INTO ${into} VALUES ${row}`
    this.#many = /* sql */ `INSERT INTO ${into} VALUES ${Array(ROWS_AT_ONCE).fill(row).join(', ')}`
  }

  add(...row: readonly SqlValue[]): void {
    this.#values.push(...row)
    if (this.#values.length < this.#width * ROWS_AT_ONCE) return
    this.#db.runRaw(this.#many, this.#values)
    this.#values = []
  }

  end(): void {
    for (let from = 0; from < this.#values.length; from += this.#width) {
      this.#db.runRaw(this.#one, this.#values.slice(from, from + this.#width))
    }
    this.#values = []
  }
}
