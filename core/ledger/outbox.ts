import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'
import { columnsOf, keyOf, OWN_META_PREFIX, TABLES } from './tables.ts'
import type { Change } from './to-events.ts'

/**
 * Triggers add a row here for every change of a recorded table, in the same transaction and for every program that
 * writes. `entry` is the key of a message or part, which never change, and otherwise the row.
 */
const OUTBOX = /* sql */ `
CREATE TABLE ledger_outbox (
  outbox_id  INTEGER PRIMARY KEY AUTOINCREMENT,
  table_name TEXT NOT NULL,
  op         TEXT NOT NULL CHECK (op IN ('insert', 'update', 'delete')),
  key        TEXT NOT NULL,
  entry      TEXT
) STRICT;
`

/** These rows are written once. Their text is read when it goes into the ledger, and not kept twice. */
const WRITTEN_ONCE: ReadonlySet<string> = new Set(['messages', 'message_parts'])

export const hasOutbox = (db: ReadDb): boolean => db.value(queries.hasOutbox) !== undefined

const queries = {
  hasOutbox: /* sql */ `SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = 'ledger_outbox'`,
  batch: /* sql */ `
    SELECT table_name AS "table", op, key, entry FROM ledger_outbox
    WHERE outbox_id <= CAST(:last AS INTEGER) ORDER BY outbox_id`,
  messages: /* sql */ `SELECT key FROM ledger_outbox WHERE table_name = 'messages' AND op = 'insert'`,
}

type OutboxRow = { table: string; op: Change['op']; key: string; entry: string | null }

/** Returns the pending changes up to a row of the outbox. */
export const readBatch = (db: ReadDb, last: number): Change[] =>
  db.all<OutboxRow>(queries.batch, { last }).map(
    ({ table, op, key, entry }): Change => ({
      table,
      op,
      key: JSON.parse(key) as Change['key'],
      row: entry === null ? null : (JSON.parse(entry) as Change['row']),
    }),
  )

/** Returns the messages that wait for the ledger. */
export const pendingMessageIds = (db: ReadDb): ReadonlySet<number | undefined> =>
  new Set(db.column<string>(queries.messages).map((key) => (JSON.parse(key) as number[])[0]))

/** Starts recording, beginning with everything that is there already. It has to be called inside a transaction. */
export function installOutbox(db: WriteDb): void {
  db.exec(OUTBOX)
  for (const table of TABLES) {
    const columns = columnsOf(db, table)
    if (columns.length === 0) continue
    const guard = table === 'lcm_meta' ? `WHERE key NOT LIKE '${OWN_META_PREFIX}%'` : ''
    db.exec(/* sql */ `INSERT INTO ledger_outbox (table_name, op, key, entry)
      SELECT '${table}', 'insert', ${keyJson(table)}, ${rowJson(table, columns)} FROM ${table} ${guard}
      ORDER BY ${keyOf(table).join(', ')}`)
    db.exec(triggers(table, columns))
  }
}

/** Stops recording. Pending changes are lost for the ledger. It has to be called inside a transaction. */
export function removeOutbox(db: WriteDb): void {
  for (const table of TABLES) {
    for (const op of ['insert', 'update', 'delete']) db.exec(/* sql */ `DROP TRIGGER IF EXISTS ledger_${table}_${op}`)
  }
  db.exec(/* sql */ 'DROP TABLE IF EXISTS ledger_outbox')
}

function triggers(table: string, columns: readonly string[]): string {
  const guard = (row: string): string => (table === 'lcm_meta' ? `WHEN ${row}.key NOT LIKE '${OWN_META_PREFIX}%'` : '')
  const record = (op: string, keyRow: string, entry: string): string =>
    /* sql */ `INSERT INTO ledger_outbox (table_name, op, key, entry) VALUES ('${table}', '${op}', ${keyJson(table, keyRow)}, ${entry});`
  return /* sql */ `
CREATE TRIGGER ledger_${table}_insert AFTER INSERT ON ${table} ${guard('new')} BEGIN
  ${record('insert', 'new', rowJson(table, columns, 'new'))}
END;
CREATE TRIGGER ledger_${table}_update AFTER UPDATE ON ${table} ${guard('new')} BEGIN
  ${record('update', 'old', changeJson(table, columns))}
END;
CREATE TRIGGER ledger_${table}_delete AFTER DELETE ON ${table} ${guard('old')} BEGIN
  ${record('delete', 'old', 'NULL')}
END;`
}

const keyJson = (table: string, row?: string): string =>
  `json_array(${keyOf(table)
    .map((column) => (row ? `${row}.${column}` : column))
    .join(', ')})`

function rowJson(table: string, columns: readonly string[], row?: string): string {
  if (WRITTEN_ONCE.has(table)) return 'NULL'
  return jsonObject(columns, row)
}

/** Only the token count of a message may change. */
const changeJson = (table: string, columns: readonly string[]): string =>
  jsonObject(WRITTEN_ONCE.has(table) ? columns.filter((column) => column === 'token_count') : columns, 'new')

const jsonObject = (columns: readonly string[], row?: string): string =>
  `json_object(${columns.map((column) => `'${column}', ${row ? `${row}.` : ''}${column}`).join(', ')})`
