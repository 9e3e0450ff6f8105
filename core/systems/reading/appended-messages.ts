import type { ReadDb } from '#core/sqlite/read-db.ts'
import { changeStamp } from './change-stamp.ts'

const queries = {
  hasTable: /* sql */ `
    SELECT count(*) FROM pragma_table_info('messages', 'main') AS c
    WHERE c.name = 'message_id' AND c.pk = 1 AND upper(c.type) = 'INTEGER'
      AND (SELECT count(*) FROM pragma_table_info('messages', 'main') AS k WHERE k.pk > 0) = 1`,
  /** SQLite counts all rows of a table from its pages, and finds the last one at once. */
  state: /* sql */ `
    SELECT
      (SELECT count(*) FROM main.messages) AS rows,
      (SELECT max(message_id) FROM main.messages) AS lastId,
      (SELECT max(message_id) FROM messages) AS lastShownId,
      (SELECT max(surgery_id) FROM surgery_events) AS surgeryId`,
  /** The number of the last message may be given again after that is deleted. */
  row: /* sql */ `
    SELECT concat_ws(' ', quote(conversation_id), quote(seq), quote(token_count), quote(created_at))
    FROM messages
    WHERE message_id = :id`,
  after: /* sql */ `SELECT count(*) FROM main.messages WHERE message_id > :id`,
  /** Orders rows by number, so that SQLite begins at the first new one. */
  rowsAfter: /* sql */ `
    SELECT message_id AS messageId, conversation_id AS conversationId, seq, token_count AS tokens
    FROM messages
    WHERE message_id > :id
    ORDER BY message_id`,
}

/** When more than this were appended, everything is read again. */
const MOST_APPENDED = 10_000

/** A state of the table of messages, which shows later whether it only grew. */
export type MessageTable = {
  readonly rows: number
  readonly lastId: number | null
  /** The values of the last message, which differ from those of a later one with its number. */
  readonly last: string
  /** The last change by hand or by a repair. Nothing else changes rows of native files in their place. */
  readonly surgeryId: number | null
}

export type AppendedMessage = {
  readonly messageId: number
  readonly conversationId: number
  readonly seq: unknown
  readonly tokens: unknown
}

/**
 * Which messages were appended to a file since an earlier state. A row that went, or came between others, is noticed by
 * the number of rows and by the last of them. One that another program changed in its place is not, so whoever relies on
 * this checks all rows again from time to time (`nextRecheckMs`).
 */
export class AppendedMessages {
  readonly #db: ReadDb
  #hasTable: boolean | undefined
  #now: { readonly stamp: string; readonly table: MessageTable | null } | null = null

  constructor(db: ReadDb) {
    this.#db = db
  }

  /**
   * Returns the present state, or null for a file whose messages are not the rows of one table by their numbers. Call it
   * inside the snapshot in which you use it.
   */
  now(): MessageTable | null {
    const stamp = changeStamp(this.#db)
    if (this.#now?.stamp !== stamp) this.#now = { stamp, table: this.#read() }
    return this.#now.table
  }

  /** Returns the messages that came since, or null when not only that happened, or it is not known. */
  since(before: MessageTable | null): readonly AppendedMessage[] | null {
    const now = this.now()
    if (before === null || now === null || now.surgeryId !== before.surgeryId) return null
    const appended = now.rows - before.rows
    if (appended < 0 || appended > MOST_APPENDED) return null
    const params = { id: before.lastId ?? Number.NEGATIVE_INFINITY }
    if (this.#rowOf(before.lastId) !== before.last || this.#db.value<number>(queries.after, params) !== appended)
      return null
    return appended === 0 ? NOTHING : this.#db.all<AppendedMessage>(queries.rowsAfter, params)
  }

  #read(): MessageTable | null {
    this.#hasTable ??= this.#db.value<number>(queries.hasTable) === 1
    const state = this.#hasTable
      ? this.#db.get<Omit<MessageTable, 'last'> & { readonly lastShownId: number | null }>(queries.state)
      : undefined
    if (state === undefined || state.lastId !== state.lastShownId) return null
    const { rows, lastId, surgeryId } = state
    return { rows, lastId, last: this.#rowOf(lastId), surgeryId }
  }

  #rowOf(id: number | null): string {
    return id === null ? '' : (this.#db.value<string>(queries.row, { id }) ?? '')
  }
}

const NOTHING: readonly AppendedMessage[] = []
