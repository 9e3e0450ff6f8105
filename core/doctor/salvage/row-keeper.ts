import { columnsOf, insertRow, type Table, toNative, withOwnSession } from '#core/ingest/native-rows.ts'
import type { SqlValue, WriteDb } from '#core/sqlite/read-db.ts'
import { isNative } from '#core/systems/native/native.ts'
import type { DamagedMemory } from './open-damaged.ts'
import type { Row } from './readable-rows.ts'

const queries = {
  isThere: /* sql */ `SELECT 1 FROM messages WHERE message_id = CAST(:id AS INTEGER)`,
  behind: /* sql */ `
    SELECT coalesce(max(seq) + 1, 0) FROM messages WHERE conversation_id = CAST(:conversation AS INTEGER)`,
}

/** Inserts the rows of one table into the copy, whose keys may refuse the content of a damaged file. */
export class RowKeeper {
  readonly #to: WriteDb
  readonly #table: Table
  readonly #isOurs: boolean
  readonly #columns: readonly string[]
  readonly #sessions = new Set<string>()

  constructor({ info }: DamagedMemory, to: WriteDb, table: Table) {
    this.#to = to
    this.#table = table
    this.#isOurs = isNative(info)
    this.#columns = columnsOf(table)
  }

  /**
   * Returns false for a row that the copy has already.
   * @throws LcmError sqlite_failed for a row that the table refuses, disk_full
   */
  add(original: Row): boolean {
    const kept = Object.fromEntries(this.#columns.map((column) => [column, original[column] ?? null]))
    // A row of a native file is kept unchanged, with its hashes, so that the integrity checks compare them.
    if (this.#isOurs) return this.#run(kept)
    const row = toNative(this.#table, kept) as Row
    if (this.#table === 'conversations') return this.#run(withOwnSession(row, this.#sessions) as Row)
    return this.#run(row) || (this.#table === 'messages' && this.#addBehind(row))
  }

  /** Stores a message whose `seq` is in use at the end of its conversation. */
  #addBehind(row: Row): boolean {
    if (this.#to.value(queries.isThere, { id: row.message_id ?? null }) !== undefined) return false
    const seq = this.#to.value<number>(queries.behind, { conversation: row.conversation_id ?? null }) ?? 0
    return this.#run({ ...row, seq })
  }

  #run(row: Readonly<Record<string, SqlValue>>): boolean {
    return insertRow(this.#to, this.#table, row)
  }
}
