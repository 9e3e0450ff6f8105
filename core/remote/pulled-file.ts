import type { ChangedTables } from '../contract/remote.ts'
import { sha256 } from '../hashing.ts'
import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'
import { endWholeComparison, isNoted, keepNoted, noteChanges, notedUnits, unitsNoted } from './noted-changes.ts'
import { HEAD_COLUMNS, STORED_TABLES, type StoredRow, type StoredTable, type StoredValue } from './postgres/tables.ts'

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
  order: 'session_id',
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
  recordedOf: /* sql */ `
    SELECT unit, hash FROM pulled_rows
    WHERE table_name = :table AND unit IN (SELECT value FROM json_each(:units))`,
  head: /* sql */ `
    SELECT ${HEAD_COLUMNS.map(({ name }) => name).join(', ')} FROM conversations
    WHERE conversation_id = CAST(:conversation AS INTEGER)`,
  rows: (table: StoredTable, owner: string, where: string) => /* sql */ `
    SELECT ${table.columns.map(({ name }) => `t.${name}`).join(', ')} FROM ${table.name} AS t ${owner}
    WHERE ${where} = CAST(:conversation AS INTEGER)
    ORDER BY ${[...new Set([table.unit, table.order])].map((name) => `t.${name}`).join(', ')}`,
}

/** Rows of these tables belong to the conversation of their owner. */
const OWNERS: Readonly<Record<string, string>> = {
  message_parts: 'JOIN messages AS o ON o.message_id = t.message_id',
  summary_messages: 'JOIN summaries AS o ON o.summary_id = t.summary_id',
  summary_sources: 'JOIN summaries AS o ON o.summary_id = t.summary_id',
}

/** Reads the rows of a conversation in a native file, in the order of their units. */
export function nativeRows(
  db: ReadDb,
  table: StoredTable,
  conversation: number,
  condition = '',
): IterableIterator<StoredRow> {
  const owner = OWNERS[table.name]
  const sql = queries.rows(table, owner ?? '', `${condition} ${owner === undefined ? 't' : 'o'}.conversation_id`)
  return db.iterate<StoredRow>(sql, { conversation })
}

export const nativeHead = (db: ReadDb, conversation: number): StoredRow | undefined =>
  db.get<StoredRow>(queries.head, { conversation })

const INSERTS: ReadonlyMap<string, string> = new Map(
  STORED_TABLES.map(({ name, columns }) => {
    const all = [...columns.map((column) => column.name), ...(name in OWNERS ? [] : ['conversation_id'])]
    return [name, /* sql */ `INSERT INTO ${name} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})`]
  }),
)

/** Stores a row of a conversation in a native file. */
export function insertRow(db: WriteDb, { name, columns }: StoredTable, row: StoredRow, conversation: number): void {
  const values = columns.map((column) => row[column.name] ?? null)
  db.runRaw(INSERTS.get(name) ?? '', name in OWNERS ? values : [...values, conversation])
}

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

/**
 * Everything in which the file differs from what was pulled. Reads the units that were written since they were last
 * compared; where they are not noted, the whole file.
 */
export function* changesIn(db: ReadDb, conversation: number): Generator<TableChanges> {
  const isPart = isNoted(db)
  for (const table of STORED_TABLES) {
    const changes = isPart ? notedChanges(db, table, conversation) : everyChange(db, table, conversation)
    if (changes.units.length > 0) yield changes
  }
}

const everyChange = (db: ReadDb, table: StoredTable, conversation: number): TableChanges =>
  comparedUnits(table, nativeRows(db, table, conversation), recordedUnits(db, table))

function notedChanges(db: ReadDb, table: StoredTable, conversation: number): TableChanges {
  const noted = unitsNoted(db, table)
  if (noted.length === 0) return { table, units: [] }
  const units = JSON.stringify(noted.map((unit) => JSON.stringify(unit)))
  const recorded = db.all<{ unit: string; hash: string }>(queries.recordedOf, { table: table.name, units })
  const rows = nativeRows(db, table, conversation, `t.${table.unit} IN (${notedUnits(table)}) AND`)
  return comparedUnits(table, rows, new Map(recorded.map(({ unit, hash }) => [unit, hash])))
}

function comparedUnits(table: StoredTable, rows: Iterable<StoredRow>, recorded: Map<string, string>): TableChanges {
  const units: ChangedUnit[] = []
  for (const unit of unitsOf(table, rows)) {
    const key = JSON.stringify(unit.unit)
    const before = recorded.get(key) ?? null
    recorded.delete(key)
    if (before !== unit.hash) units.push({ ...unit, before })
  }
  for (const [key, before] of recorded) units.push({ unit: JSON.parse(key), rows: [], hash: NO_ROWS, before })
  return { table, units }
}

/**
 * Reads again what was written, and compares it with what was pulled: the whole file when that was never done, and
 * otherwise the units that are noted. What is equal needs no further comparison.
 * @returns the first table with differences, or null
 */
export function compareWritten(db: WriteDb, conversation: number): TableChanges | null {
  noteChanges(db)
  if (!isNoted(db)) {
    for (const table of STORED_TABLES) {
      const different = everyChange(db, table, conversation)
      if (different.units.length > 0) return different
    }
    endWholeComparison(db)
  }
  return settleNoted(db, conversation)[0] ?? null
}

/** Forgets which units were written where they are as they were pulled or pushed. Returns the others. */
export function settleNoted(db: WriteDb, conversation: number): TableChanges[] {
  return db.transaction(() => {
    if (!isNoted(db)) return []
    const changes = [...changesIn(db, conversation)]
    keepNoted(db, changes)
    return changes
  })
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

/** Counts changes as a push writes them. */
export function changedTables(changes: readonly TableChanges[], head: ReturnType<typeof changedHead>): ChangedTables {
  const tables = changes.map(({ table, units }) => ({
    table: table.name,
    added: units.filter(({ before }) => before === null).length,
    replaced: units.filter(({ before, rows }) => before !== null && rows.length > 0).length,
    removed: units.filter(({ rows }) => rows.length === 0).length,
  }))
  return head === null ? tables : [{ table: HEAD.name, added: 0, replaced: 1, removed: 0 }, ...tables]
}

/** What was changed in the file and not pushed; null where only a comparison of all rows would tell. */
export function ownChanges(db: ReadDb, conversation: number): ChangedTables | null {
  return isNoted(db) ? changedTables([...changesIn(db, conversation)], changedHead(db, conversation)) : null
}

export function recordedUnits(db: ReadDb, table: StoredTable): Map<string, string> {
  const rows = db.all<{ unit: string; hash: string }>(queries.recorded, { table: table.name })
  return new Map(rows.map(({ unit, hash }) => [unit, hash]))
}

export function makePulledRows(db: WriteDb): void {
  db.exec(queries.make)
}
