import type { CopyAdjustment } from '#core/contract/working-copy.ts'
import { insertRow, TABLES, type Table, toNative, withOwnSession } from '#core/ingest/native-rows.ts'
import type { ReadDb, SqlParams, SqlValue, WriteDb } from '#core/sqlite/read-db.ts'

const MAX_EXAMPLES = 5

/** A column of a native table: what it holds, and whether it may be empty. */
type Column = {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
}

const queries = {
  columns: (table: Table) => /* sql */ `SELECT name, type, "notnull", dflt_value FROM pragma_table_info('${table}')`,
  /** Conversations in which two messages have the same `seq`. A sound file has none. */
  crowded: /* sql */ `
    SELECT DISTINCT conversation_id FROM (
      SELECT conversation_id FROM messages GROUP BY conversation_id, seq HAVING count(*) > 1
    )`,
  seqs: /* sql */ `
    SELECT message_id AS id, seq FROM messages
    WHERE conversation_id = CAST(:conversation AS INTEGER) ORDER BY seq, message_id`,
  nextPart: /* sql */ `SELECT coalesce(max(ordinal) + 1, 0) FROM message_parts WHERE message_id = CAST(:message AS INTEGER)`,
  makeTimeless: /* sql */ `CREATE TEMP TABLE timeless (id INTEGER PRIMARY KEY)`,
  addTimeless: /* sql */ `INSERT OR IGNORE INTO temp.timeless SELECT value FROM json_each(:ids)`,
  dropTimeless: /* sql */ `DROP TABLE temp.timeless`,
  timeBefore: /* sql */ `
    UPDATE messages SET created_at = coalesce(
      (SELECT p.created_at FROM messages AS p
        WHERE p.conversation_id = messages.conversation_id AND p.seq < messages.seq AND p.message_id NOT IN (SELECT id FROM temp.timeless)
        ORDER BY p.seq DESC LIMIT 1),
      (SELECT p.created_at FROM messages AS p
        WHERE p.conversation_id = messages.conversation_id AND p.seq > messages.seq AND p.message_id NOT IN (SELECT id FROM temp.timeless)
        ORDER BY p.seq LIMIT 1),
      nullif((SELECT c.created_at FROM conversations AS c WHERE c.conversation_id = messages.conversation_id), 0),
      0)
    WHERE message_id IN (SELECT id FROM temp.timeless)`,
  // Other systems do not record when an item entered the window. It cannot have been before the item existed.
  windowTimes: /* sql */ `
    UPDATE context_items SET created_at = coalesce(
      (SELECT m.created_at FROM messages AS m WHERE m.message_id = context_items.message_id),
      (SELECT s.created_at FROM summaries AS s WHERE s.summary_id = context_items.summary_id), 0)
    WHERE created_at = 0`,
}

/**
 * Inserts rows of another system into native tables, whose keys refuse what a damaged file may hold. Of rows with the
 * same id the first one is kept; of rows with the same ordinal the later ones get another. It counts what was changed
 * or left out.
 */
export class RowFitter {
  readonly #to: WriteDb
  readonly #columns: ReadonlyMap<Table, readonly Column[]>
  readonly #sessions = new Set<string>()
  /** The new `seq` of messages that share theirs with another. */
  readonly #seqs: ReadonlyMap<number, number>
  readonly #adjustments = new Map<string, { rows: number; examples: string[] }>()
  readonly #adjustedRows = new Map<Table, number>()
  #windowOf: SqlValue = null
  #lastOrdinal = -1
  /** Conversations whose messages have another `seq` than in the original. */
  readonly renumbered: ReadonlySet<number>
  readonly timeless: number[] = []

  constructor(from: ReadDb, to: WriteDb) {
    this.#to = to
    this.#columns = new Map(TABLES.map((table) => [table, to.all<Column>(queries.columns(table))]))
    this.renumbered = new Set(from.column<number>(queries.crowded))
    this.#seqs = distinctSeqs(from, this.renumbered)
  }

  /** Returns a sentence for each kind of change or omission. */
  get adjusted(): CopyAdjustment[] {
    return [...this.#adjustments].map(([what, { rows, examples }]) => ({ what, rows, examples }))
  }

  /** Counts the rows of a table that differ from the original in the copy. */
  adjustedRows(table: Table): number {
    return this.#adjustedRows.get(table) ?? 0
  }

  add(table: Table, original: Readonly<Record<string, SqlValue>>): void {
    const said: string[] = []
    const row = this.#fitted(table, original, said)
    const isKept = this.#run(table, row) || this.#keepOtherwise(table, row, said)
    if (isKept && table === 'context_items') {
      this.#windowOf = row.conversation_id ?? null
      this.#lastOrdinal = Number(row.ordinal)
    }
    this.#count(table, original, isKept ? said : [leftOut(table, row)])
  }

  #run(table: Table, row: SqlParams): boolean {
    return insertRow(this.#to, table, row)
  }

  #fitted(table: Table, original: Readonly<Record<string, SqlValue>>, said: string[]): Record<string, SqlValue> {
    const native: Record<string, SqlValue> = { ...toNative(table, original) }
    for (const column of this.#columns.get(table) ?? []) {
      const value = native[column.name]
      if (value === undefined || value === null) continue
      const fitting = inColumn(column, value)
      if (fitting === value) continue
      native[column.name] = fitting
      said.push(
        `A value that is no ${column.type === 'TEXT' ? 'text' : 'number'} in ${table}.${column.name} is kept as one, or as none.`,
      )
    }
    switch (table) {
      case 'conversations':
        return { ...withOwnSession(native, this.#sessions) }
      case 'messages': {
        const id = Number(native.message_id)
        const seq = this.#seqs.get(id)
        if (seq !== undefined) {
          native.seq = seq
          said.push('Two messages have the same position in their conversation: the later ones are moved behind.')
        }
        if (original.created_at === null) {
          this.timeless.push(id)
          said.push('A message without a time has that of the message before it.')
        }
        return native
      }
      case 'context_items':
        return this.#numbered(native, said)
      default:
        return native
    }
  }

  /** Rows come in the order of their window. */
  #numbered(row: Record<string, SqlValue>, said: string[]): Record<string, SqlValue> {
    if (row.conversation_id !== this.#windowOf) return row
    const ordinal = Number(row.ordinal)
    if (ordinal <= this.#lastOrdinal) {
      row.ordinal = this.#lastOrdinal + 1
      said.push('Two entries have the same position in a window: the later ones are moved behind.')
    }
    return row
  }

  /** Changes values until the keys accept the row. Returns whether it was stored. */
  #keepOtherwise(table: Table, row: Record<string, SqlValue>, said: string[]): boolean {
    if (table === 'messages') {
      if (!this.#run(table, { ...row, external_id: null })) return false
      said.push("Two messages come from the same entry of the agent's transcript: the later ones do not name it.")
      return true
    }
    if (table !== 'message_parts') return false
    const ordinal = this.#to.value<number>(queries.nextPart, { message: row.message_id ?? null }) ?? 0
    const id = `${row.part_id}~${row.message_id}/${ordinal}`
    if (this.#run(table, { ...row, ordinal }))
      said.push('Two parts have the same position in their message: the later ones are moved behind.')
    else if (this.#run(table, { ...row, part_id: id }))
      said.push('Two parts have the same id: the later ones have another.')
    else if (this.#run(table, { ...row, part_id: id, ordinal }))
      said.push('Two parts have the same id and position: the later ones get others.')
    else return false
    return true
  }

  #count(table: Table, row: Readonly<Record<string, SqlValue>>, said: readonly string[]): void {
    if (said.length === 0) return
    this.#adjustedRows.set(table, this.adjustedRows(table) + 1)
    for (const what of new Set(said)) {
      const adjustment = this.#adjustments.get(what) ?? { rows: 0, examples: [] }
      adjustment.rows += 1
      if (adjustment.examples.length < MAX_EXAMPLES) adjustment.examples.push(nameOf(table, row))
      this.#adjustments.set(what, adjustment)
    }
  }
}

/** Gives times to rows without one. Call it when all rows are stored and their triggers are dropped. */
export function finishTimes(db: WriteDb, { timeless }: RowFitter): void {
  if (timeless.length > 0) {
    db.exec(queries.makeTimeless)
    db.run(queries.addTimeless, { ids: JSON.stringify(timeless) })
    db.run(queries.timeBefore)
    db.exec(queries.dropTimeless)
  }
  db.run(queries.windowTimes)
}

/** New `seq` numbers for messages of conversations in which two have the same, as near to the old ones as possible. */
function distinctSeqs(from: ReadDb, conversations: ReadonlySet<number>): Map<number, number> {
  const seqs = new Map<number, number>()
  for (const conversation of conversations) {
    let last = Number.NEGATIVE_INFINITY
    for (const { id, seq } of from.iterate<{ id: number; seq: number }>(queries.seqs, { conversation })) {
      const distinct = Math.max(seq, last + 1)
      if (distinct !== seq) seqs.set(id, distinct)
      last = distinct
    }
  }
  return seqs
}

/** A strict table refuses values of another type. https://www.sqlite.org/stricttables.html */
function inColumn({ type, notnull }: Column, value: SqlValue): SqlValue {
  if (type === 'TEXT')
    return typeof value === 'string'
      ? value
      : value instanceof Uint8Array
        ? Buffer.from(value).toString('utf8')
        : String(value)
  if (typeof value === 'bigint') return value
  const number = typeof value === 'number' ? value : Number.NaN
  if (Number.isFinite(number) && (type !== 'INTEGER' || Number.isInteger(number))) return value
  return notnull ? (Number.isFinite(number) ? Math.trunc(number) : 0) : null
}

const NOT_KEPT = 'not in the copy.'

function leftOut(table: Table, row: Readonly<Record<string, SqlValue>>): string {
  switch (table) {
    case 'summary_messages':
    case 'summary_sources':
      return `A source that a summary names twice is named once; the second is ${NOT_KEPT}`
    case 'context_items':
      return `What stands in windows twice stands there once; the second position is ${NOT_KEPT}`
    case 'summaries':
      return row.conversation_id === null
        ? `A summary of no conversation is ${NOT_KEPT}`
        : `Of summaries with the same id the first is kept; the others are ${NOT_KEPT}`
    case 'large_files':
      return row.conversation_id === null
        ? `A large file of no conversation is ${NOT_KEPT}`
        : `Of large files with the same id the first is kept; the others are ${NOT_KEPT}`
    case 'conversations':
    case 'messages':
    case 'message_parts':
      return `Of ${table.replace('_', ' ')} with the same number the first is kept; the others are ${NOT_KEPT}`
  }
}

function nameOf(table: Table, row: Readonly<Record<string, SqlValue>>): string {
  switch (table) {
    case 'conversations':
      return `conversation ${row.conversation_id}`
    case 'messages':
      return `msg_${row.message_id}`
    case 'message_parts':
      return `part ${row.ordinal} of msg_${row.message_id}`
    case 'summaries':
      return String(row.summary_id)
    case 'summary_messages':
      return `${row.summary_id} → msg_${row.message_id}`
    case 'summary_sources':
      return `${row.summary_id} → ${row.source_summary_id}`
    case 'context_items':
      return `position ${row.ordinal} of conversation ${row.conversation_id}`
    case 'large_files':
      return String(row.file_id)
  }
}
