import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { JobProgress } from '../contract/job.ts'
import { type PullReport, TenantReport } from '../contract/remote.ts'
import { LcmError } from '../errors.ts'
import { storeBeside } from '../files/file-store.ts'
import { readRecordedEstimator, recordEstimator } from '../ingest/recorded-estimator.ts'
import { holdLock } from '../sqlite/cache-db.ts'
import { fileError, pathExists } from '../sqlite/memory-file.ts'
import { openNative } from '../sqlite/native.ts'
import { giveName, removeDatabase, requireFolderOf, takenError } from '../sqlite/new-file.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import { metaValue, storeMetaValue } from '../systems/records/meta-values.ts'
import { yieldToOthers } from '../yielding.ts'
import { CANCELLED, mergeConversation } from './merge-conversation.ts'
import { noteDesign, noteSystem } from './note-system.ts'
import type { Objects } from './objects/configured.ts'
import type { Postgres } from './postgres/connect.ts'
import { pullConversation } from './pull.ts'
import { storeIn } from './remote-stores.ts'

const queries = {
  forgetCopying: /* sql */ `DELETE FROM lcm_meta WHERE key GLOB 'copying_*'`,
  /** A conversation whose parent is not in the file names none. */
  forgetParents: /* sql */ `
    UPDATE conversations SET parent_conversation_id = NULL
    WHERE parent_conversation_id NOT IN (SELECT conversation_id FROM conversations)`,
}

export type TenantCopy = {
  readonly from: Postgres
  readonly tenant: string
  /** One conversation, or null for all of the tenant. */
  readonly conversationId: number | null
  readonly to: string
  readonly objects: Objects | null
}

/** The file that is locked. SQLite keeps files beside it whose names begin with this one. */
const LOCK = 'lock'

/** What became of a conversation. It stands in the file until all are copied, for the report of a copy that goes on. */
const Copied = TenantReport.shape.conversations.element.extend({
  /** Rows of large files. */
  leftOut: z.int(),
  note: z.string().nullable(),
})
type Copied = z.infer<typeof Copied>

/**
 * Copies the conversations of a tenant into one native file. Each is pulled into a file of its own beside it, which is
 * compared with the server, and then stored in one transaction, in which it is compared with that file. What is complete
 * is kept when the copy is interrupted, and the next one goes on with it. The file gets its name at the end.
 * @throws LcmError invalid_argument when something is at `to`, file_missing, not_found, locked while another program does the same,
 * cancelled, and what reading and writing may throw
 */
export async function* copyFromTenant(
  copy: TenantCopy,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, TenantReport> {
  const { to } = copy
  if (pathExists(to)) throw takenError(to)
  requireFolderOf(to)
  const folder = `${to}.copying`
  try {
    if (!pathExists(folder)) mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    throw fileError(error, to)
  }
  const release = holdLock(join(folder, LOCK))
  if (release === null) {
    throw new LcmError('locked', `Another program copies into ${to} at this moment: try again when it has ended.`)
  }
  try {
    const report = yield* copyInto(folder, copy, signal)
    placeFiles(folder, to)
    giveName(join(folder, 'whole.db'), to)
    return report
  } finally {
    release()
    if (pathExists(to)) rmSync(folder, { recursive: true, force: true })
  }
}

async function* copyInto(
  folder: string,
  { from, tenant, conversationId, to, objects }: TenantCopy,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, TenantReport> {
  const store = await storeIn(from)
  const all = await from.read(tenant, (query) => store.rows.conversations(query, tenant))
  const ids = conversationId === null ? all : all.filter((id) => id === conversationId)
  if (ids.length === 0) throw nothingThere(from, tenant, conversationId)
  const db = openWhole(folder, JSON.stringify([from.shown, tenant, conversationId]))
  try {
    const copies: Copied[] = []
    for (const [index, id] of ids.entries()) {
      yield { done: index, total: ids.length, unit: 'steps', note: `conversation ${id}` }
      const part = join(folder, `${id}.db`)
      const known = metaValue(db, `copying_${id}`)
      if (known === undefined) {
        const request = { from, key: { tenant, conversationId: id }, to: part, objects }
        const pulled = yield* pullConversation(request, signal)
        copies.push(await take(db, part, pulled, signal))
      } else {
        copies.push({ ...Copied.parse(JSON.parse(known)), isThere: true })
      }
      removeDatabase(part)
      await yieldToOthers(signal, CANCELLED)
    }
    db.transaction(() => {
      db.run(queries.forgetParents)
      if (store.foreign !== null) noteSystem(db, store.foreign, { tenant, conversationId })
    })
    if (store.foreign !== null) await noteDesign(db, store.foreign, signal)
    db.run(queries.forgetCopying)
    const leftOut = copies.reduce((sum, one) => sum + one.leftOut, 0)
    return {
      address: from.shown,
      tenant,
      path: to,
      conversations: copies.map(({ leftOut: _, note, ...one }) => one),
      leftOut: leftOut === 0 ? [] : [{ table: 'large_files', rows: leftOut }],
      notes: [...new Set(copies.flatMap(({ note }) => note ?? []))],
      verified: true,
    }
  } finally {
    db.exec('PRAGMA foreign_keys = ON; PRAGMA ignore_check_constraints = OFF')
    db.close()
  }
}

/** Opens the file that is being filled. Whatever was begun for something else is thrown away. */
function openWhole(folder: string, origin: string): WriteDb {
  const path = join(folder, 'whole.db')
  let db = openNative(path)
  if (metaValue(db, 'copying_from') !== origin) {
    db.close()
    for (const name of readdirSync(folder)) {
      if (name !== LOCK && !name.startsWith(`${LOCK}-`)) rmSync(join(folder, name), { recursive: true, force: true })
    }
    db = openNative(path)
    storeMetaValue(db, 'copying_from', origin)
  }
  // Damaged rows are kept as they are, and a parent may come after the conversations that branched off from it.
  db.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON')
  return db
}

/** Stores a pulled conversation in the file of all. */
async function take(db: WriteDb, path: string, pulled: PullReport, signal: AbortSignal): Promise<Copied> {
  const { conversationId, parentConversationId: parentId, messages, summaries, unavailableFiles } = pulled
  const part = openNative(path)
  try {
    const counted = readRecordedEstimator(part)
    return await mergeConversation(db, part, { conversationId, parentId }, signal, (merged) => {
      if (typeof counted === 'string') recordEstimator(db, counted)
      const kept = readRecordedEstimator(db)
      const note =
        counted === kept || typeof counted !== 'string'
          ? null
          : `Tokens of conversation ${conversationId} were counted by ${counted}; the file counts on with ${kept}.`
      const copied = { conversationId, messages, summaries, isThere: false, unavailableFiles, ...merged, note }
      storeMetaValue(db, `copying_${conversationId}`, JSON.stringify(copied))
      return copied
    })
  } finally {
    part.close()
  }
}

/** Moves large files to where the finished memory looks for them. */
function placeFiles(folder: string, to: string): void {
  const [from, target] = [storeBeside(join(folder, 'whole.db')), storeBeside(to)]
  if (!existsSync(from)) return
  try {
    for (const conversation of readdirSync(from).filter((name) => /^\d+$/.test(name))) {
      mkdirSync(join(target, conversation), { recursive: true, mode: 0o700 })
      for (const name of readdirSync(join(from, conversation))) {
        renameSync(join(from, conversation, name), join(target, conversation, name))
      }
    }
  } catch (error) {
    throw fileError(error, target)
  }
}

function nothingThere({ shown }: Postgres, tenant: string, conversationId: number | null): LcmError {
  const what = conversationId === null ? 'no conversation' : `no conversation ${conversationId}`
  return new LcmError(
    'not_found',
    `${tenant} has ${what} in ${shown}, or the role may not see it: check the tenant and lcm.tenant_access.`,
  )
}
