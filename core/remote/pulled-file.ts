import { sha256 } from '../hashing.ts'
import { HEAD_COLUMNS, STORED_TABLES, type StoredRow, type StoredTable, type StoredValue } from '../postgres/tables.ts'
import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'

/** The rows of one unit, such as a summary or the links of a summary, and a hash of all of them. */
export type Unit = { readonly unit: StoredValue; readonly rows: readonly StoredRow[]; readonly hash: string }

/** What differs from what was pulled. `before` is the hash of what was pulled; null for what is new. */
type ChangedUnit = Unit & { readonly before: string | null }
export type TableChanges = { readonly table: StoredTable; readonly units: readonly ChangedUnit[] }

/** The conversation itself, as a table of one row. */
const HEAD: StoredTable = {
  name: 'conversations',
  columns: HEAD_COLUMNS,
  unit: 'session_id',
  order: ['session_id'],
}
const HEAD_UNIT = 'head'
/** The hash of a unit without rows. */
export const NO_ROWS = sha256('[]')

const queries = {
  make: /* sql */ `
    CREATE TABLE IF NOT EXISTS pulled_rows (
      table_name TEXT NOT NULL, unit TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (table_name, unit)
    ) STRICT, WITHOUT ROWID`,
  record: /* sql */ `INSERT OR REPLACE INTO pulled_rows (table_name, unit, hash) VALUES (?, ?, ?)`,
  forget: /* sql */ `DELETE FROM pulled_rows WHERE table_name = ? AND unit = ?`,
  recorded: /* sql */ `SELECT unit, hash FROM pulled_rows WHERE table_name = :table`,
  head: /* sql */ `
    SELECT ${HEAD_COLUMNS.map(({ name }) => name).join(', ')} FROM conversations
    WHERE conversation_id = CAST(:conversation AS INTEGER)`,
  lastMessage: /* sql */ `SELECT max(message_id) FROM messages WHERE conversation_id = CAST(:conversation AS INTEGER)`,
  lastItem: /* sql */ `SELECT max(ordinal) FROM context_items WHERE conversation_id = CAST(:conversation AS INTEGER)`,
  rows: (table: StoredTable, owner: string, where: string) => /* sql */ `
    SELECT ${table.columns.map(({ name }) => `t.${name}`).join(', ')} FROM ${table.name} AS t ${owner}
    WHERE ${where} = CAST(:conversation AS INTEGER)
    ORDER BY ${[...new Set([table.unit, ...table.order])].map((name) => `t.${name}`).join(', ')}`,
}

/** Rows of these tables belong to the conversation of their owner. */
const OWNERS: Readonly<Record<string, string>> = {
  message_parts: 'JOIN messages AS o ON o.message_id = t.message_id',
  summary_messages: 'JOIN summaries AS o ON o.summary_id = t.summary_id',
  summary_sources: 'JOIN summaries AS o ON o.summary_id = t.summary_id',
}

/** Reads the rows of a conversation in a native file, in the order of their units. */
export function nativeRows(db: ReadDb, table: StoredTable, conversation: number): IterableIterator<StoredRow> {
  const owner = OWNERS[table.name]
  const sql = queries.rows(table, owner ?? '', owner === undefined ? 't.conversation_id' : 'o.conversation_id')
  return db.iterate<StoredRow>(sql, { conversation })
}

export const nativeHead = (db: ReadDb, conversation: number): StoredRow | undefined =>
  db.get<StoredRow>(queries.head, { conversation })

/** Puts rows that follow each other together to units. */
export function* unitsOf(table: StoredTable, rows: Iterable<StoredRow>): Generator<Unit> {
  let unit: StoredValue | undefined
  let open: StoredRow[] = []
  for (const row of rows) {
    const next = row[table.unit] ?? null
    if (open.length > 0 && next !== unit) {
      yield unitOf(table, open)
      open = []
    }
    unit = next
    open.push(row)
  }
  if (open.length > 0) yield unitOf(table, open)
}

export function unitOf(table: StoredTable, rows: readonly StoredRow[]): Unit {
  return { unit: rows[0]?.[table.unit] ?? null, rows, hash: hashOf(table, rows) }
}

const hashOf = ({ columns }: StoredTable, rows: readonly StoredRow[]): string =>
  sha256(JSON.stringify(rows.map((row) => columns.map(({ name }) => row[name] ?? null))))

/** Notes what was pulled, so that a later change of it is noticed. Call it in the transaction that stores the rows. */
export function recordUnits(db: WriteDb, table: StoredTable, units: Iterable<Unit>): void {
  for (const { unit, hash, rows } of units) {
    const key = JSON.stringify(unit)
    if (rows.length === 0) db.runRaw(queries.forget, [table.name, key])
    else db.runRaw(queries.record, [table.name, key, hash])
  }
}

export function recordHead(db: WriteDb, row: StoredRow): void {
  recordUnits(db, HEAD, [{ unit: HEAD_UNIT, rows: [row], hash: headHash(row) }])
}

/** The time of the last change of a conversation is not compared: every writer moves it. */
export const headHash = (row: StoredRow): string => hashOf(HEAD, [{ ...row, updated_at: null }])

/** Everything in which the file differs from what was pulled. Reads the whole file. */
export function* changesIn(db: ReadDb, conversation: number): Generator<TableChanges> {
  for (const table of STORED_TABLES) {
    const recorded = recordedUnits(db, table)
    const units: ChangedUnit[] = []
    for (const unit of unitsOf(table, nativeRows(db, table, conversation))) {
      const key = JSON.stringify(unit.unit)
      const before = recorded.get(key) ?? null
      recorded.delete(key)
      if (before !== unit.hash) units.push({ ...unit, before })
    }
    for (const [key, before] of recorded) units.push({ unit: JSON.parse(key), rows: [], hash: NO_ROWS, before })
    if (units.length > 0) yield { table, units }
  }
}

/** The conversation itself, where it differs from what was pulled. */
export function changedHead(
  db: ReadDb,
  conversation: number,
): { readonly row: StoredRow; readonly before: string } | null {
  const row = nativeHead(db, conversation)
  const before = recordedUnits(db, HEAD).get(JSON.stringify(HEAD_UNIT))
  return row === undefined || before === undefined || before === headHash(row) ? null : { row, before }
}

export function recordedUnits(db: ReadDb, table: StoredTable): Map<string, string> {
  const rows = db.all<{ unit: string; hash: string }>(queries.recorded, { table: table.name })
  return new Map(rows.map(({ unit, hash }) => [unit, hash]))
}

export function makePulledRows(db: WriteDb): void {
  db.exec(queries.make)
}

/** How far the messages and the window of a conversation went at a moment. */
export type Marks = { readonly messageId: number; readonly ordinal: number }

export function marksOf(db: ReadDb, conversation: number): Marks {
  const last = (sql: string): number => db.value<number | null>(sql, { conversation }) ?? Number.MIN_SAFE_INTEGER
  return { messageId: last(queries.lastMessage), ordinal: last(queries.lastItem) }
}

/** The rows of messages that were appended since, as `changesIn` would find them. It reads no others. */
export function* appendedIn(db: ReadDb, conversation: number, after: Marks): Generator<TableChanges> {
  const limits: Readonly<Record<string, readonly [column: string, after: number]>> = {
    messages: ['t.message_id', after.messageId],
    message_parts: ['t.message_id', after.messageId],
    context_items: ['t.ordinal', after.ordinal],
  }
  for (const table of STORED_TABLES) {
    const limit = limits[table.name]
    if (limit === undefined) continue
    const owner = OWNERS[table.name]
    const where = `${limit[0]} > CAST(:after AS INTEGER) AND ${owner === undefined ? 't' : 'o'}.conversation_id`
    const rows = db.iterate<StoredRow>(queries.rows(table, owner ?? '', where), { conversation, after: limit[1] })
    const units = [...unitsOf(table, rows)].map((unit) => ({ ...unit, before: null }))
    if (units.length > 0) yield { table, units }
  }
}
