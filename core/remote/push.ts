import type { PushReport } from '../contract/remote.ts'
import type { ConversationKey, Revision } from '../database.ts'
import { LcmError } from '../errors.ts'
import { pathExists } from '../sqlite/memory-file.ts'
import { openNative } from '../sqlite/native.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import { readPulledFrom, storePulledFrom } from '../systems/opening/pulled-from.ts'
import type { Objects } from './objects/configured.ts'
import { storeContents } from './objects/store-contents.ts'
import type { Postgres, Query } from './postgres/connect.ts'
import {
  advance,
  insertRows,
  lockConversation,
  readHead,
  readUnits,
  removeUnits,
  setHead,
  setTokens,
} from './postgres/conversation-rows.ts'
import type { StoredRow } from './postgres/tables.ts'
import {
  changedHead,
  changedTables,
  changesIn,
  headHash,
  NO_ROWS,
  recordHead,
  recordUnits,
  settleNoted,
  type TableChanges,
  unitsOf,
} from './pulled-file.ts'
import { readOnlySystem, requireOurs } from './remote-stores.ts'

const queries = {
  hold: /* sql */ 'SELECT rootpage FROM main.sqlite_schema',
  others: /* sql */ 'SELECT count(*) FROM conversations WHERE conversation_id <> :conversationId',
}

/** Units that are compared with one statement. */
const COMPARED_AT_ONCE = 2000
/** Conflicts that an error names. */
const NAMED = 20

/** A row that is not any more what was pulled. */
type Conflict = { readonly table: string; readonly id: string; readonly what: 'changed' | 'removed' | 'added' }

/** Opens a pulled file and pushes what was changed in it. */
export async function pushFile(to: Postgres, path: string, objects: Objects | null = null): Promise<PushReport> {
  if (!pathExists(path)) throw new LcmError('file_missing', `There is no file at ${path}.`, { path })
  const db = openNative(path)
  try {
    return await pushChanges(to, db, { objects })
  } finally {
    db.close()
  }
}

type HeadChange = ReturnType<typeof changedHead>

/**
 * Writes what was changed in a pulled file back, in one transaction. Each row that is replaced is compared with what
 * was pulled; what was pushed before, by a push whose answer was lost, counts as done.
 * @throws LcmError conflict with the rows that differ; nothing is written then. invalid_argument for any other file
 */
export async function pushChanges(
  to: Postgres,
  db: WriteDb,
  { objects = null }: { objects?: Objects | null } = {},
): Promise<PushReport> {
  const origin = readPulledFrom(db)
  if (origin === null) {
    throw new LcmError(
      'invalid_argument',
      `${db.path} was not pulled from PostgreSQL, so it cannot be pushed: copy it there with "lcm copy --to postgres://…".`,
      { path: db.path },
    )
  }
  if (origin.system) throw readOnlySystem(origin.system)
  await requireOurs(to, 'A push writes to the database')
  const { tenant, conversationId } = origin
  const key = { tenant, conversationId }
  const { changes, head } = readChanges(db, conversationId)
  refuseCanonicalChanges(db, changes)
  const added = changes
    .filter(({ table }) => table.name === 'large_files')
    .flatMap(({ units }) => units.flatMap(({ rows }) => rows))
  // A row never names content that is not stored.
  const filesWithoutContent =
    objects === null
      ? []
      : await storeContents(objects, { database: db.path, conversationId, rows: added }, new AbortController().signal)
  const isNothing = changes.length === 0 && head === null
  const done = isNothing ? null : await to.write(tenant, (query) => apply(query, key, { changes, head }))
  db.transaction(() => {
    for (const { table, units } of changes) recordUnits(db, table, units)
    if (head !== null) recordHead(db, head.row)
    // When somebody else wrote meanwhile, the next pull has to read again.
    if (done !== null && isNext(done, origin)) storePulledFrom(db, { ...origin, ...done })
  })
  settleNoted(db, conversationId)
  return {
    path: db.path,
    tenant,
    conversationId,
    tables: changedTables(changes, head),
    compared: changes.reduce((sum, { units }) => sum + units.length, head === null ? 0 : 1),
    filesWithoutContent,
    otherConversations: Number(db.value(queries.others, { conversationId })),
  }
}

/** Reads one state of the file, which a compaction may be writing to. */
function readChanges(db: WriteDb, conversationId: number) {
  const held = db.iterate(queries.hold)
  try {
    held.next()
    return { changes: [...changesIn(db, conversationId)], head: changedHead(db, conversationId) }
  } finally {
    held.return?.()
  }
}

const isNext = (now: Revision, before: Revision): boolean =>
  now.appends + now.changes === before.appends + before.changes + 1

/** Messages and their parts are added; of a stored message only the token count may differ. */
function refuseCanonicalChanges(db: WriteDb, changes: readonly TableChanges[]): void {
  for (const { table, units } of changes) {
    const changed = units.find(
      ({ before, rows }) => before !== null && (rows.length === 0 || table.name !== 'messages'),
    )
    if (table.isCanonical && changed) {
      throw new LcmError(
        'invalid_argument',
        `${db.path} differs from what was pulled in ${table.name} ${changed.unit}: messages and their parts are never changed. Pull the conversation into a new file.`,
        { path: db.path },
      )
    }
  }
}

async function apply(
  query: Query,
  key: ConversationKey,
  { changes, head }: { readonly changes: readonly TableChanges[]; readonly head: HeadChange },
): Promise<Revision | null> {
  await lockConversation(query, key)
  const stored = await readHead(query, key)
  if (stored === null) {
    throw new LcmError(
      'not_found',
      `${key.tenant} has no conversation ${key.conversationId}, or the role may not see it.`,
    )
  }
  const conflicts: Conflict[] = []
  const open: TableChanges[] = []
  for (const change of changes) {
    const left = await stillOpen(query, key, change, conflicts)
    if (left.units.length > 0) open.push(left)
  }
  if (head !== null && headHash(stored.row) !== head.before && headHash(stored.row) !== headHash(head.row)) {
    conflicts.push({ table: 'conversations', id: String(key.conversationId), what: 'changed' })
  }
  if (conflicts.length > 0) throw conflictError(key, conflicts)
  if (open.length === 0 && (head === null || headHash(stored.row) === headHash(head.row))) return null
  // Window entries go before the summaries that they name, and come after them, so that sums of tokens stay right.
  for (const { table, units } of open.toReversed()) {
    const replaced = units.filter(({ before }) => before !== null)
    if (!table.isCanonical && replaced.length > 0) {
      await removeUnits(
        query,
        key,
        table,
        replaced.map(({ unit }) => unit),
      )
    }
  }
  for (const { table, units } of open) {
    const [recounted, added]: [StoredRow[], StoredRow[]] = [[], []]
    for (const { before, rows } of units) (table.isCanonical && before !== null ? recounted : added).push(...rows)
    if (recounted.length > 0) await setTokens(query, key, await onlyRecounted(query, key, table, recounted))
    await insertRows(query, key, table, added)
  }
  if (head !== null) await setHead(query, key, head.row)
  return advance(query, key, isAppend(open) && head === null ? 'append' : 'change')
}

/** Leaves out what is there already. Adds to `conflicts` what is neither as it was pulled nor as it is to be. */
async function stillOpen(
  query: Query,
  key: ConversationKey,
  { table, units }: TableChanges,
  conflicts: Conflict[],
): Promise<TableChanges> {
  const open: TableChanges['units'][number][] = []
  for (let from = 0; from < units.length; from += COMPARED_AT_ONCE) {
    const asked = units.slice(from, from + COMPARED_AT_ONCE)
    const rows = await readUnits(
      query,
      key,
      table,
      asked.map(({ unit }) => unit),
    )
    const byUnit = rows.toSorted((a, b) => compared(a[table.unit], b[table.unit]))
    const now = new Map([...unitsOf(table, byUnit)].map(({ unit, hash }) => [unit, hash]))
    for (const unit of asked) {
      const hash = now.get(unit.unit) ?? NO_ROWS
      if (hash === unit.hash) continue
      open.push(unit)
      if (hash === (unit.before ?? NO_ROWS)) continue
      const what = hash === NO_ROWS ? 'removed' : unit.before === null ? 'added' : 'changed'
      conflicts.push({ table: table.name, id: String(unit.unit), what })
    }
  }
  return { table, units: open }
}

/** The order of rows within a unit stays. */
const compared = (a: StoredRow[string] | undefined, b: StoredRow[string] | undefined): number =>
  a === b ? 0 : String(a) < String(b) ? -1 : 1

/** @throws LcmError invalid_argument when more than the token count of a message differs */
async function onlyRecounted(
  query: Query,
  key: ConversationKey,
  table: TableChanges['table'],
  rows: readonly StoredRow[],
): Promise<readonly StoredRow[]> {
  const stored = await readUnits(
    query,
    key,
    table,
    rows.map(({ message_id: id }) => id ?? null),
  )
  const byId = new Map(stored.map((row) => [row.message_id, row]))
  for (const row of rows) {
    const now = byId.get(row.message_id ?? null)
    const differs = table.columns.some(({ name }) => name !== 'token_count' && now?.[name] !== row[name])
    if (!differs) continue
    throw new LcmError(
      'invalid_argument',
      `Message ${row.message_id} differs from what is stored: messages are never changed. Pull the conversation into a new file.`,
    )
  }
  return rows
}

/**
 * Only messages with their parts and window entries were added, so that who holds a copy has to read nothing again. A
 * part or an entry of an older message is not found at the end.
 */
function isAppend(changes: readonly TableChanges[]): boolean {
  const messages = changes.find(({ table }) => table.name === 'messages')?.units ?? []
  const added = new Set(messages.flatMap(({ before, unit }) => (before === null ? [unit] : [])))
  return changes.every(
    ({ table, units }) =>
      APPENDED.has(table.name) &&
      units.every(({ before, rows }) => before === null && rows.every((row) => added.has(row.message_id ?? null))),
  )
}

const APPENDED: ReadonlySet<string> = new Set(['messages', 'message_parts', 'context_items'])

function conflictError({ tenant, conversationId }: ConversationKey, conflicts: readonly Conflict[]): LcmError {
  const named = conflicts.slice(0, NAMED)
  const lines = named.slice(0, 5).map(({ table, id, what }) => `${table} ${id} was ${what}`)
  const more = conflicts.length > lines.length ? ` and ${conflicts.length - lines.length} more` : ''
  return new LcmError(
    'conflict',
    `Conversation ${conversationId} of ${tenant} was changed since it was pulled: ${lines.join('; ')}${more}. Nothing was written. Pull it into a new file and make the change there.`,
    { conflicts: named, count: conflicts.length },
  )
}
