import { renameSync } from 'node:fs'
import type { JobProgress } from '../contract/job.ts'
import type { PulledFrom } from '../contract/memory.ts'
import type { PullReport } from '../contract/remote.ts'
import { LcmError } from '../errors.ts'
import { recordEstimator } from '../ingest/recorded-estimator.ts'
import type { Postgres, Query } from '../postgres/connect.ts'
import type { ConversationHead, ConversationKey } from '../postgres/conversation-rows.ts'
import { STORED_TABLES, type StoredRow, type StoredTable } from '../postgres/tables.ts'
import { indexAtOnce } from '../sqlite/ingest-index.ts'
import { fileError, pathExists } from '../sqlite/memory-file.ts'
import { openNative } from '../sqlite/native.ts'
import { removeDatabase } from '../sqlite/new-file.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import { readPulledFrom, storePulledFrom } from '../systems/pulled-from.ts'
import { yieldToOthers } from '../yielding.ts'
import { noteDesign, noteSystem } from './note-system.ts'
import type { Objects } from './objects/configured.ts'
import { pullFiles } from './pull-files.ts'
import {
  changedHead,
  changesIn,
  makePulledRows,
  recordedUnits,
  recordHead,
  recordUnits,
  unitOf,
  unitsOf,
} from './pulled-file.ts'
import { type Store, storeIn } from './remote-stores.ts'

const CANCELLED = 'Pulling was cancelled; what was pulled is kept, and the next pull goes on with it.'

const PARTS_AT_ONCE = 1000
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
  insert: ({ name, columns }: StoredTable, isOwned: boolean) => /* sql */ `
    INSERT INTO ${name} (${[...columns.map((column) => column.name), ...(isOwned ? ['conversation_id'] : [])].join(', ')})
    VALUES (${[...columns, ...(isOwned ? [null] : [])].map(() => '?').join(', ')})`,
  remove: ({ name, unit }: StoredTable) => /* sql */ `DELETE FROM ${name} WHERE ${unit} = ?`,
  count: ({ name }: StoredTable) => /* sql */ `SELECT count(*) FROM ${name}`,
}

const tableOf = (name: string): StoredTable => {
  const table = STORED_TABLES.find((one) => one.name === name)
  if (table === undefined) throw new Error(`no table ${name}`)
  return table
}
const MESSAGES = tableOf('messages')
const PARTS = tableOf('message_parts')
const DERIVED = STORED_TABLES.filter((table) => !table.isCanonical)
const OWNED: ReadonlySet<string> = new Set(['message_parts', 'summary_messages', 'summary_sources'])

export type PullRequest = {
  readonly from: Postgres
  readonly key: ConversationKey
  readonly to: string
  /** Where large files of our own conversations lie. */
  readonly objects?: Objects | null
}

/**
 * Copies a conversation into a native file of its own, or brings a file that was pulled before up to date. Messages are
 * committed batch by batch, so that a pull that was interrupted goes on where it ended; the file gets its name when it
 * is complete, and equal to what was read.
 * @throws LcmError not_found, conflict when a pulled file has changes of its own, invalid_argument when another file is
 * at `to`, cancelled, and what reading and writing may throw
 */
export async function* pullConversation(
  { from, key, to, objects = null }: PullRequest,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, PullReport> {
  const store = await storeIn(from)
  const isUpdate = pathExists(to)
  const path = isUpdate ? to : `${to}.pulling`
  const opening = { isUpdate, from, key, store }
  let db = openPulled(path, opening)
  if (db === null) {
    // What is there was begun for another conversation.
    removeDatabase(path)
    db = openPulled(path, opening)
  }
  if (db === null) throw new Error('a new file belongs to nobody')
  let report: PullReport
  try {
    report = yield* bringUpToDate(db, { from, key, to, store, objects }, signal)
  } finally {
    db.exec('PRAGMA foreign_keys = ON; PRAGMA ignore_check_constraints = OFF')
    db.close()
  }
  if (!isUpdate) giveItsName(path, to)
  return report
}

function openPulled(
  path: string,
  {
    isUpdate,
    from,
    key,
    store,
  }: Omit<PullRequest, 'to' | 'objects'> & { readonly isUpdate: boolean; readonly store: Store },
): WriteDb | null {
  const isNew = !pathExists(path)
  const db = openNative(path)
  const origin = isNew ? null : readPulledFrom(db)
  const isSame = origin?.tenant === key.tenant && origin.conversationId === key.conversationId
  if (!isNew && !isSame) {
    db.close()
    if (!isUpdate) return null
    throw new LcmError(
      'invalid_argument',
      `${path} exists and was not pulled from conversation ${key.conversationId} of ${key.tenant}: choose a path where nothing is.`,
      { path },
    )
  }
  // A conversation may link to others, which are not pulled, and damaged rows are kept as they are.
  db.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON')
  if (isNew) {
    db.transaction(() => {
      makePulledRows(db)
      const system = store.foreign === null ? {} : { system: store.foreign.id }
      storePulledFrom(db, { address: from.shown, ...key, ...system, parentId: null, appends: -1, changes: -1 })
      if (store.foreign !== null) noteSystem(db, store.foreign, key)
    })
  }
  return db
}

async function* bringUpToDate(
  db: WriteDb,
  { from, key, to, store, objects = null }: PullRequest & { readonly store: Store },
  signal: AbortSignal,
): AsyncGenerator<JobProgress, PullReport> {
  const origin = readPulledFrom(db)
  if (origin === null) throw new Error('a pulled file says from where')
  const isFirst = origin.changes < 0
  if (!isFirst) refuseOwnChanges(db, origin, to)
  const steps = progress()
  const before = db.value<number>(queries.count(MESSAGES)) ?? 0
  const work = from.read(key.tenant, async (query) => {
    const head = await store.rows.head(query, key)
    if (head === null) throw notThere(from, key)
    // A replica may be behind what was pulled before, and has nothing new then. Other systems do not count writes.
    const { appends, changes } = head.revision
    const isBehind = store.foreign === null && appends <= origin.appends && changes <= origin.changes
    if (!isBehind) await copyState({ db, query, key, head, origin, rows: store.rows, signal, onStep: steps.add })
    const files = { db, to, query, key, rows: store.rows, objects: objects?.store ?? null }
    return { head, unavailableFiles: await pullFiles(files, signal) }
  })
  yield* steps.until(work)
  const { head, unavailableFiles } = await work
  verify(db, key, to)
  if (store.foreign !== null && head.revision.changes !== origin.changes) {
    yield { done: 1, total: 1, unit: 'steps', note: 'looking at it' }
    await noteDesign(db, store.foreign, signal)
  }
  const rows = (name: string): number => db.value<number>(queries.count(tableOf(name))) ?? 0
  return {
    path: to,
    tenant: key.tenant,
    conversationId: key.conversationId,
    messages: rows('messages'),
    summaries: rows('summaries'),
    edges: rows('summary_messages') + rows('summary_sources'),
    contextItems: rows('context_items'),
    newMessages: rows('messages') - before,
    isUpdate: !isFirst,
    parentConversationId: head.parentId,
    unavailableFiles,
    verified: true,
  }
}

type Copying = {
  readonly db: WriteDb
  readonly query: Query
  readonly key: ConversationKey
  readonly head: ConversationHead
  readonly origin: PulledFrom
  readonly rows: Store['rows']
  readonly signal: AbortSignal
  readonly onStep: (messages: number) => void
}

/** Copies what is new in one state of the database. */
async function copyState(copying: Copying): Promise<void> {
  const { db, query, key, head, origin, rows, signal, onStep } = copying
  const { revision } = head
  if (revision.appends === origin.appends && revision.changes === origin.changes) return
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

/** A parent conversation is not in the file, so the file names none; `pulled_from` does. */
function putHead(db: WriteDb, key: ConversationKey, { row }: ConversationHead): void {
  db.run(queries.putHead, { ...row, conversation_id: BigInt(key.conversationId) })
  recordHead(db, row)
}

function putRows(db: WriteDb, table: StoredTable, key: ConversationKey, rows: readonly StoredRow[]): void {
  const sql = queries.insert(table, !OWNED.has(table.name))
  const owner = OWNED.has(table.name) ? [] : [key.conversationId]
  for (const row of rows) db.runRaw(sql, [...table.columns.map(({ name }) => row[name] ?? null), ...owner])
  recordUnits(db, table, unitsOf(table, rows))
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
        putRows(db, table, key, unit.rows)
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

async function copyTokens({ db, query, key, rows, signal }: Copying): Promise<void> {
  for await (const batch of rows.tokens(query, key)) {
    db.transaction(() => {
      for (const { message_id: id, token_count: tokens } of batch) {
        if (id === null || id === undefined || db.value<number>(queries.tokens, { id }) === tokens) continue
        db.run(queries.setTokens, { id, tokens: tokens ?? 0 })
        const row = db.get<StoredRow>(queries.message(MESSAGES), { id })
        if (row) recordUnits(db, MESSAGES, [unitOf(MESSAGES, [row])])
      }
    })
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

function refuseOwnChanges(db: WriteDb, origin: PulledFrom, to: string): void {
  const [changed] = changesIn(db, origin.conversationId)
  if (changed === undefined && changedHead(db, origin.conversationId) === null) return
  throw new LcmError(
    'conflict',
    `${to} has changes that were not pushed${changed ? ` (${changed.units.length} in ${changed.table.name})` : ''}: push them first with "lcm push", or pull into another file.`,
    { path: to },
  )
}

/** Reads the file again and compares every row with what came from the server. */
function verify(db: WriteDb, key: ConversationKey, to: string): void {
  const [different] = changesIn(db, key.conversationId)
  if (different === undefined) return
  throw new LcmError(
    'sqlite_failed',
    `${to} does not hold what was read from the server (${different.units.length} differences in ${different.table.name}), and is not complete: pull again.`,
    { path: to },
  )
}

const notThere = ({ shown }: Postgres, { tenant, conversationId }: ConversationKey): LcmError =>
  new LcmError(
    'not_found',
    `${tenant} has no conversation ${conversationId} in ${shown}, or the role may not see it: check the tenant, the number and lcm.tenant_access.`,
  )

function giveItsName(path: string, to: string): void {
  try {
    renameSync(path, to)
  } catch (error) {
    throw fileError(error, to)
  }
}

/** Turns steps that are reported by a call into a stream. */
function progress() {
  let messages = 0
  let wake: () => void = () => undefined
  const add = (done: number): void => {
    messages = done
    wake()
  }
  async function* until(work: Promise<unknown>): AsyncGenerator<JobProgress, void> {
    const ended = work.then(
      () => true,
      () => true,
    )
    for (;;) {
      const step = new Promise<boolean>((resolve) => {
        wake = () => resolve(false)
      })
      if (await Promise.race([ended, step])) return
      yield { done: messages, total: 0, unit: 'messages', note: 'pulling' }
    }
  }
  return { add, until }
}
