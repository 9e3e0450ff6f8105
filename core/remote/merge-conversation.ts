import { LcmError } from '../errors.ts'
import { goOnIndexing, indexMessages, stopIndexing } from '../sqlite/ingest-index.ts'
import type { ReadDb, WriteDb } from '../sqlite/read-db.ts'
import { yieldToOthers } from '../yielding.ts'
import { changesNothing, inverse, type Numbering, numberingIn, renumbered, takenIn } from './numbering.ts'
import { STORED_TABLES, type StoredRow, type StoredTable } from './postgres/tables.ts'
import { insertRow, nativeHead, nativeRows, recordedUnits, unitsOf } from './pulled-file.ts'

const BATCH_ROWS = 2000
const INDEXED_AT_ONCE = 1000
export const CANCELLED =
  'Copying was cancelled; conversations that were copied before are kept, and the next copy goes on with them.'

const queries = {
  head: (columns: readonly string[]) => /* sql */ `
    INSERT INTO conversations (conversation_id, parent_conversation_id, ${columns.join(', ')})
    VALUES (?, ?${', ?'.repeat(columns.length)})`,
  nextMessages: /* sql */ `
    SELECT max(message_id) FROM (
      SELECT message_id FROM messages
      WHERE conversation_id = CAST(:conversation AS INTEGER) AND message_id > CAST(:after AS INTEGER)
      ORDER BY message_id LIMIT ${INDEXED_AT_ONCE})`,
  count: (table: string) => /* sql */ `SELECT count(*) FROM ${table}`,
}

type Merged = {
  /** It has other numbers or ids than in PostgreSQL, where some of them were taken. */
  readonly isRenumbered: boolean
  /** Rows of large files whose id another conversation of the file has. */
  readonly leftOut: number
}

/**
 * Copies a conversation that was pulled into a file of its own into a file of several, and compares every row. Nobody
 * else uses the connection `whole` meanwhile.
 * @param finish is called in the same transaction, at its end
 * @throws LcmError sqlite_failed, cancelled, disk_full
 */
export async function mergeConversation<Finished>(
  whole: WriteDb,
  part: ReadDb,
  { conversationId, parentId }: { readonly conversationId: number; readonly parentId: number | null },
  signal: AbortSignal,
  finish: (merged: Merged) => Finished,
): Promise<Finished> {
  const numbering = numberingIn(whole, part, conversationId)
  const takenFiles = new Set(takenIn(whole, part, 'large_files', 'file_id'))
  const merging = { whole, part, conversationId, parentId, numbering, takenFiles, signal }
  whole.exec('BEGIN IMMEDIATE')
  try {
    await copyRows(merging)
    for (const table of STORED_TABLES) await compare(merging, table)
    const finished = finish({ isRenumbered: !changesNothing(numbering), leftOut: takenFiles.size })
    whole.exec('COMMIT')
    return finished
  } catch (error) {
    rollBack(whole)
    throw error
  }
}

/** Where the disk is full, SQLite may have rolled back by itself. The first error says what happened. */
function rollBack(db: WriteDb): void {
  try {
    db.exec('ROLLBACK')
  } catch {}
}

type Merging = {
  readonly whole: WriteDb
  readonly part: ReadDb
  readonly conversationId: number
  readonly parentId: number | null
  readonly numbering: Numbering
  readonly takenFiles: ReadonlySet<unknown>
  readonly signal: AbortSignal
}

async function copyRows(merging: Merging): Promise<void> {
  const { whole, part, conversationId, parentId, numbering, takenFiles, signal } = merging
  const head = nativeHead(part, conversationId)
  if (head === undefined) throw new Error('a pulled file holds its conversation')
  whole.runRaw(queries.head(Object.keys(head)), [conversationId, parentId, ...Object.values(head)])
  stopIndexing(whole)
  for (const table of STORED_TABLES) {
    let rows = 0
    for (const row of nativeRows(part, table, conversationId)) {
      if (table.name === 'large_files' && takenFiles.has(row.file_id)) continue
      insertRow(whole, table, renumbered(row, table, numbering), conversationId)
      rows += 1
      if (rows % BATCH_ROWS === 0) await yieldToOthers(signal, CANCELLED)
    }
  }
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const last = whole.value<number | null>(queries.nextMessages, { conversation: conversationId, after }) ?? null
    if (last === null) break
    indexMessages(whole, { after, last, conversationId })
    after = last
    await yieldToOthers(signal, CANCELLED)
  }
  goOnIndexing(whole)
}

/** Reads the rows back, with the numbers that they had, and compares them with those that were pulled. */
async function compare(
  { whole, part, conversationId, numbering, takenFiles, signal }: Merging,
  table: StoredTable,
): Promise<void> {
  const back = inverse(numbering)
  // The pull compared them with its rows.
  const hashes = recordedUnits(part, table)
  if (table.name === 'large_files') for (const id of takenFiles) hashes.delete(JSON.stringify(id))
  let isEqual = true
  let units = 0
  const stored = Iterator.from(nativeRows(whole, table, conversationId)).map((row) => renumbered(row, table, back))
  for (const { unit, hash } of unitsOf(table, inOrder(stored, table))) {
    const name = JSON.stringify(unit)
    isEqual &&= hashes.get(name) === hash
    hashes.delete(name)
    units += 1
    if (units % BATCH_ROWS === 0) await yieldToOthers(signal, CANCELLED)
  }
  if (isEqual && hashes.size === 0) return
  throw new LcmError(
    'sqlite_failed',
    `Conversation ${conversationId} is not the same in its ${table.name} in the file, and was not kept there.`,
  )
}

/** Rows of a unit, which follow each other, in the order in which they are hashed: new ids may have another order. */
function* inOrder(rows: Iterable<StoredRow>, table: StoredTable): Generator<StoredRow> {
  let open: StoredRow[] = []
  const sorted = (): StoredRow[] => open.toSorted((a, b) => compared(a, b, table.order))
  for (const row of rows) {
    if (open.length > 0 && open[0]?.[table.unit] !== row[table.unit]) {
      yield* sorted()
      open = []
    }
    open.push(row)
  }
  yield* sorted()
}

function compared(a: StoredRow, b: StoredRow, column: string): number {
  const [left, right] = [a[column] ?? null, b[column] ?? null]
  if (left === right) return 0
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)))
}
