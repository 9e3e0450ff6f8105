import type { PulledFrom } from '../contract/memory.ts'
import type { ConversationKey } from '../database.ts'
import { LcmError } from '../errors.ts'
import { recordEstimator } from '../ingest/recorded-estimator.ts'
import { indexAtOnce } from '../sqlite/ingest-index.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import { storePulledFrom } from '../systems/opening/pulled-from.ts'
import { yieldToOthers } from '../yielding.ts'
import type { Query } from './postgres/connect.ts'
import type { ConversationHead } from './postgres/conversation-rows.ts'
import { STORED_TABLES, type StoredRow, type StoredTable, type StoredValue } from './postgres/tables.ts'
import { insertRow, recordedUnits, recordHead, recordUnits, type Unit, unitOf, unitsOf } from './pulled-file.ts'
import type { Store } from './remote-stores.ts'

const CANCELLED = 'Pulling was cancelled; what was pulled is kept, and the same command goes on with it.'

const PARTS_AT_ONCE = 1000
/** Rows that are named where many differ. */
const NAMED = 100
/** Messages at the end whose parts may have come after them. */
const UNSETTLED = 3

const queries = {
  putHead: /* sql */ `
    INSERT OR REPLACE INTO conversations (conversation_id, session_id, logical_key, importer, source_uri, title,
      archived_at, created_at, updated_at)
    VALUES (:conversation_id, :session_id, :logical_key, :importer, :source_uri, :title,
      CAST(:archived_at AS INTEGER), CAST(:created_at AS INTEGER), CAST(:updated_at AS INTEGER))`,
  lastMessage: /* sql */ `SELECT max(message_id) FROM messages`,
  newest: /* sql */ `SELECT message_id FROM messages ORDER BY message_id DESC LIMIT ${UNSETTLED}`,
  partsOf: /* sql */ `SELECT part_id FROM message_parts WHERE message_id IN (SELECT value FROM json_each(:ids))`,
  lastItem: /* sql */ `SELECT max(ordinal) FROM context_items`,
  tokens: /* sql */ `SELECT token_count FROM messages WHERE message_id = CAST(:id AS INTEGER)`,
  setTokens: /* sql */ `UPDATE messages SET token_count = CAST(:tokens AS INTEGER) WHERE message_id = CAST(:id AS INTEGER)`,
  message: (table: StoredTable) => /* sql */ `
    SELECT ${table.columns.map(({ name }) => name).join(', ')} FROM messages WHERE message_id = CAST(:id AS INTEGER)`,
  remove: ({ name, unit }: StoredTable) => /* sql */ `DELETE FROM ${name} WHERE ${unit} = ?`,
}

const tableOf = (name: string): StoredTable => {
  const table = STORED_TABLES.find((one) => one.name === name)
  if (table === undefined) throw new Error(`no table ${name}`)
  return table
}
const MESSAGES = tableOf('messages')
const PARTS = tableOf('message_parts')
const DERIVED = STORED_TABLES.filter((table) => !table.isCanonical)

type Changed = { readonly table: string; readonly unit: StoredValue; readonly what: 'changed' | 'gone' }

export type Copying = {
  readonly db: WriteDb
  readonly query: Query
  readonly key: ConversationKey
  readonly head: ConversationHead
  readonly origin: PulledFrom
  readonly rows: Store['rows']
  readonly signal: AbortSignal
  readonly onStep: (messages: number) => void
  /** Messages and parts that are here are read there again. */
  readonly isComparing: boolean
}

/**
 * Copies what is new in one state of the database.
 * @throws LcmError conflict when a message or a part that never changes is another one there than was pulled
 */
export async function copyState(copying: Copying): Promise<void> {
  const { db, query, key, head, origin, rows, signal, onStep } = copying
  const { revision } = head
  if (revision.appends === origin.appends && revision.changes === origin.changes) return
  if (copying.isComparing) await requireUnchanged(copying)
  const knew = db.value<number | null>(queries.lastMessage) ?? null
  db.transaction(() => putHead(db, key, head))
  if (knew !== null) await copyLateParts(copying)
  let done = 0
  for await (const messages of rows.table(query, key, MESSAGES, db, knew ?? Number.MIN_SAFE_INTEGER)) {
    const ids = messages.map(({ message_id: id }) => id ?? null)
    const parts = await rows.parts(query, key, PARTS, ids, 'message_id')
    db.transaction(() => {
      indexAtOnce(db, () => {
        putRows(db, MESSAGES, key, messages)
        putRows(db, PARTS, key, parts)
      })
    })
    done += messages.length
    onStep(done)
    await yieldToOthers(signal, CANCELLED)
  }
  const isAppended = origin.changes === revision.changes
  if (!isAppended && knew !== null) {
    await copyTokens(copying)
    await copyAddedParts(copying)
  }
  if (isAppended) {
    const last = db.value<number | null>(queries.lastItem) ?? Number.MIN_SAFE_INTEGER
    const items = tableOf('context_items')
    for await (const batch of rows.table(query, key, items, db, last)) {
      db.transaction(() => putRows(db, items, key, batch))
    }
  } else {
    for (const table of DERIVED) await replaceTable(copying, table)
  }
  db.transaction(() => {
    storePulledFrom(db, { ...origin, parentId: head.parentId, ...revision })
    if (head.tokenEstimator !== null) recordEstimator(db, head.tokenEstimator)
  })
}

/**
 * Reads every message and part that was pulled again, and compares it with what was noted then. Both are kept as they
 * were said, in the file as well, so that a difference is reported and not taken over.
 */
async function requireUnchanged({ db, query, key, rows, signal, onStep }: Copying): Promise<void> {
  const [messages, parts] = [recordedUnits(db, MESSAGES), recordedUnits(db, PARTS)]
  const changed: Changed[] = []
  const compare = (table: StoredTable, recorded: Map<string, string>, { unit, hash }: Unit): void => {
    const name = JSON.stringify(unit)
    const before = recorded.get(name)
    recorded.delete(name)
    if (before !== undefined && before !== hash) changed.push({ table: table.name, unit, what: 'changed' })
  }
  let done = 0
  for await (const batch of rows.table(query, key, MESSAGES, db, Number.MIN_SAFE_INTEGER)) {
    for (const row of batch) {
      // Tokens may be counted anew.
      const tokens = db.value<number>(queries.tokens, { id: row.message_id ?? null }) ?? row.token_count ?? null
      compare(MESSAGES, messages, unitOf(MESSAGES, [{ ...row, token_count: tokens }]))
    }
    const ids = batch.map(({ message_id: id }) => id ?? null)
    for (const row of await rows.parts(query, key, PARTS, ids, 'message_id')) {
      compare(PARTS, parts, unitOf(PARTS, [row]))
    }
    done += batch.length
    onStep(done)
    await yieldToOthers(signal, CANCELLED)
  }
  for (const [table, recorded] of [[MESSAGES, messages] as const, [PARTS, parts] as const]) {
    for (const name of recorded.keys()) changed.push({ table: table.name, unit: JSON.parse(name), what: 'gone' })
  }
  const [first] = changed
  if (first === undefined) return
  throw new LcmError(
    'conflict',
    `${changed.length} messages and parts of conversation ${key.conversationId} of ${key.tenant} are not on the server what was pulled (the first: ${first.unit} of ${first.table} is ${first.what}). They were written past LCM Inspector. The file is left as it is; pull into another one to see what is there now.`,
    { differences: changed.slice(0, NAMED), total: changed.length },
  )
}

/** A parent conversation is not in the file, so the file names none; `pulled_from` does. */
function putHead(db: WriteDb, key: ConversationKey, { row }: ConversationHead): void {
  db.run(queries.putHead, { ...row, conversation_id: BigInt(key.conversationId) })
  recordHead(db, row)
}

function putRows(db: WriteDb, table: StoredTable, key: ConversationKey, rows: readonly StoredRow[]): void {
  putUnits(db, table, key, unitsOf(table, rows))
}

function putUnits(db: WriteDb, table: StoredTable, key: ConversationKey, units: Iterable<Unit>): void {
  for (const unit of units) {
    for (const row of unit.rows) insertRow(db, table, row, key.conversationId)
    recordUnits(db, table, [unit])
  }
}

/** Writes the units of a table that differ from what is there. */
async function replaceTable({ db, query, key, rows: source, signal }: Copying, table: StoredTable): Promise<void> {
  const gone = recordedUnits(db, table)
  if (table.name === 'context_items' && gone.size > 0) {
    await removeChanged({ db, query, key, rows: source, signal }, table, gone)
  }
  let open: StoredRow[] = []
  const store = (rows: readonly StoredRow[]): void => {
    db.transaction(() => {
      for (const unit of unitsOf(table, rows)) {
        const unitKey = JSON.stringify(unit.unit)
        const before = gone.get(unitKey)
        gone.delete(unitKey)
        if (before === unit.hash) continue
        if (before !== undefined) db.runRaw(queries.remove(table), [unit.unit])
        putUnits(db, table, key, [unit])
      }
    })
  }
  for await (const rows of source.table(query, key, table, db)) {
    open.push(...rows)
    // The last unit may go on in the next batch.
    const last = open.at(-1)?.[table.unit]
    const whole = open.findIndex((row) => row[table.unit] === last)
    store(open.slice(0, whole))
    open = open.slice(whole)
    await yieldToOthers(signal, CANCELLED)
  }
  store(open)
  db.transaction(() => {
    for (const unitKey of gone.keys()) {
      const unit = JSON.parse(unitKey)
      db.runRaw(queries.remove(table), [unit])
      recordUnits(db, table, [{ unit, rows: [], hash: '' }])
    }
  })
}

/**
 * Removes the entries of a window that are not what they were, before any is written: a system may number its window
 * anew, and a message stands in a window once.
 */
async function removeChanged(
  { db, query, key, rows, signal }: Pick<Copying, 'db' | 'query' | 'key' | 'rows' | 'signal'>,
  table: StoredTable,
  recorded: Map<string, string>,
): Promise<void> {
  const stale = new Map(recorded)
  for await (const batch of rows.table(query, key, table, db)) {
    for (const { unit, hash } of unitsOf(table, batch)) {
      const unitKey = JSON.stringify(unit)
      if (stale.get(unitKey) === hash) stale.delete(unitKey)
    }
    await yieldToOthers(signal, CANCELLED)
  }
  db.transaction(() => {
    for (const unitKey of stale.keys()) {
      const unit = JSON.parse(unitKey)
      db.runRaw(queries.remove(table), [unit])
      recordUnits(db, table, [{ unit, rows: [], hash: '' }])
      recorded.delete(unitKey)
    }
  })
}

/** Writes the token counts that changed, and messages that came between those that are here. */
async function copyTokens({ db, query, key, rows, signal }: Copying): Promise<void> {
  const missed = new Set<number>()
  for await (const batch of rows.tokens(query, key)) {
    db.transaction(() => {
      for (const { message_id: id, token_count: tokens } of batch) {
        if (id === null || id === undefined) continue
        const here = db.value<number>(queries.tokens, { id })
        if (here === undefined) missed.add(Number(id))
        if (here === undefined || here === tokens) continue
        db.run(queries.setTokens, { id, tokens: tokens ?? 0 })
        const row = db.get<StoredRow>(queries.message(MESSAGES), { id })
        if (row) recordUnits(db, MESSAGES, [unitOf(MESSAGES, [row])])
      }
    })
    await yieldToOthers(signal, CANCELLED)
  }
  if (missed.size === 0) return
  for await (const batch of rows.table(query, key, MESSAGES, db, Math.min(...missed) - 1)) {
    const found = batch.filter(({ message_id: id }) => missed.has(Number(id)))
    db.transaction(() => putRows(db, MESSAGES, key, found))
    await yieldToOthers(signal, CANCELLED)
  }
}

/** A system may store the parts of a message after it, without any other change. */
async function copyLateParts({ db, query, key, rows }: Copying): Promise<void> {
  const newest = db.column<number>(queries.newest)
  const known = new Set(db.column<string>(queries.partsOf, { ids: JSON.stringify(newest) }))
  const parts = await rows.parts(query, key, PARTS, newest, 'message_id')
  const late = parts.filter(({ part_id: id }) => !known.has(String(id)))
  db.transaction(() => putRows(db, PARTS, key, late))
}

async function copyAddedParts({ db, query, key, rows: source, signal }: Copying): Promise<void> {
  const known = recordedUnits(db, PARTS)
  const added: string[] = []
  for await (const ids of source.partIds(query, key)) added.push(...ids.filter((id) => !known.has(JSON.stringify(id))))
  for (let from = 0; from < added.length; from += PARTS_AT_ONCE) {
    const rows = await source.parts(query, key, PARTS, added.slice(from, from + PARTS_AT_ONCE), 'part_id')
    db.transaction(() => putRows(db, PARTS, key, rows))
    await yieldToOthers(signal, CANCELLED)
  }
}
