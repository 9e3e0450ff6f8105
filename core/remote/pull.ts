import { renameSync } from 'node:fs'
import type { JobProgress } from '../contract/job.ts'
import type { PulledFrom } from '../contract/memory.ts'
import type { PullReport } from '../contract/remote.ts'
import type { ConversationKey } from '../database.ts'
import { LcmError } from '../errors.ts'
import { fileError, pathExists } from '../sqlite/memory-file.ts'
import { openNative } from '../sqlite/native.ts'
import { removeDatabase, requireFolderOf } from '../sqlite/new-file.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import { readPulledFrom, storePulledFrom } from '../systems/opening/pulled-from.ts'
import { fileRows } from '../systems/records/files.ts'
import { copyState } from './copy-state.ts'
import { noteDesign, noteSystem } from './note-system.ts'
import { distrust } from './noted-changes.ts'
import type { Objects } from './objects/configured.ts'
import type { Postgres } from './postgres/connect.ts'
import { fetchContents } from './pull-files.ts'
import { changedHead, changesIn, compareWritten, makePulledRows } from './pulled-file.ts'
import { type Store, storeIn } from './remote-stores.ts'
import { reported } from './reported-steps.ts'

const queries = {
  count: (table: string) => /* sql */ `SELECT count(*) FROM ${table}`,
}

/** The revision of a file into which nothing was pulled, or of one that is not to be relied on. */
const NOTHING = -1

export type PullRequest = {
  readonly from: Postgres
  readonly key: ConversationKey
  readonly to: string
  /** Where large files of our own conversations lie. */
  readonly objects?: Objects | null
  /** Of a file that was pulled before: what was written since, or every row here and there. */
  readonly compare?: 'written' | 'everything'
  /** Contents of large files: all of them now, or each when it is asked for (`fetchFile`). */
  readonly contents?: 'all' | 'on_demand'
}

/**
 * Copies a conversation into a native file of its own, or brings a file that was pulled before up to date. Messages are
 * committed batch by batch, so that a pull that was interrupted goes on where it ended; the file gets its name when it
 * is complete, and equal to what was read.
 * @throws LcmError not_found, conflict when a pulled file has changes of its own or messages that were pulled are others
 * now, invalid_argument when another file is at `to`, file_missing when `to` has no folder, cancelled, and what reading
 * and writing may throw
 */
export async function* pullConversation(
  { from, key, to, objects = null, compare = 'written', contents = 'all' }: PullRequest,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, PullReport> {
  const store = await storeIn(from)
  const isUpdate = pathExists(to)
  const path = isUpdate ? to : `${to}.pulling`
  if (!isUpdate) requireFolderOf(to)
  const opening = { isUpdate, from, key, store }
  let db = openPulled(path, opening)
  if (db === null) {
    // What is there was begun for another conversation.
    removeDatabase(path)
    db = openPulled(path, opening)
  }
  if (db === null) throw new Error('a new file belongs to nobody')
  let report: PullReport | null = null
  let isThere = true
  try {
    report = yield* bringUpToDate(db, { from, key, to, store, objects, compare, contents }, signal)
  } catch (error) {
    isThere = !(error instanceof LcmError && error.code === 'not_found')
    throw error
  } finally {
    db.exec('PRAGMA foreign_keys = ON; PRAGMA ignore_check_constraints = OFF')
    db.close()
    // Nothing will ever go on with it.
    if (!isUpdate && !isThere) removeDatabase(path)
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
  }: Pick<PullRequest, 'from' | 'key'> & { readonly isUpdate: boolean; readonly store: Store },
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
      storePulledFrom(db, {
        address: from.shown,
        ...key,
        ...system,
        parentId: null,
        appends: NOTHING,
        changes: NOTHING,
      })
      if (store.foreign !== null) noteSystem(db, store.foreign, key)
    })
  }
  return db
}

async function* bringUpToDate(
  db: WriteDb,
  { from, key, to, store, objects = null, compare, contents = 'all' }: PullRequest & { readonly store: Store },
  signal: AbortSignal,
): AsyncGenerator<JobProgress, PullReport> {
  const origin = readPulledFrom(db)
  if (origin === null) throw new Error('a pulled file says from where')
  const isFirst = origin.changes < 0
  const isWhole = isFirst || compare === 'everything'
  if (!isFirst && isWhole) distrust(db)
  if (!isFirst) refuseOwnChanges(db, origin, to)
  const rows = (table: string): number => db.value<number>(queries.count(table)) ?? 0
  const before = rows('messages')
  const head = yield* reported((report) =>
    from.read(key.tenant, async (query) => {
      const found = await store.rows.head(query, key)
      if (found === null) throw notThere(from, key)
      // A replica may be behind what was pulled before, and has nothing new then. Other systems do not count writes.
      const { appends, changes } = found.revision
      const isBehind = store.foreign === null && (appends < origin.appends || changes < origin.changes)
      const known = isWhole ? { ...origin, appends: NOTHING, changes: NOTHING } : origin
      const onStep = (done: number): void => report({ done, total: 0, unit: 'messages', note: '' })
      const isComparing = isWhole && !isFirst
      const state = { db, query, key, head: found, origin: known, rows: store.rows, signal, onStep, isComparing }
      if (!isBehind) await copyState(state)
      return { ...found, isBehind }
    }),
  )
  verify(db, key, to)
  const unavailableFiles = yield* takeContents(db, { from, key, to, store, objects, contents }, signal)
  if (store.foreign !== null && head.revision.changes !== origin.changes) {
    yield { done: 1, total: 1, unit: 'steps', note: 'looking at it' }
    await noteDesign(db, store.foreign, signal)
  }
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
    comparedAll: isWhole && !head.isBehind,
  }
}

/** Contents are fetched now, or the file says that they are to be fetched when somebody asks for them. */
async function* takeContents(
  db: WriteDb,
  { contents, objects = null, ...asked }: PullRequest & { readonly store: Store },
  signal: AbortSignal,
): AsyncGenerator<JobProgress, PullReport['unavailableFiles']> {
  const unavailable =
    contents === 'on_demand'
      ? []
      : yield* reported((report) => fetchContents({ db, objects, ...asked }, fileRows(db), signal, report))
  const origin = readPulledFrom(db)
  const now = contents === 'on_demand' ? contents : undefined
  if (origin !== null && origin.contents !== now) {
    const { contents: _, ...rest } = origin
    db.transaction(() => storePulledFrom(db, now === undefined ? rest : { ...rest, contents: now }))
  }
  return unavailable
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

/** Reads what was written again, and compares it with what came from the server: at first the whole file. */
function verify(db: WriteDb, key: ConversationKey, to: string): void {
  const different = compareWritten(db, key.conversationId)
  if (different === null) return
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
