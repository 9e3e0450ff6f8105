import type { JobProgress } from '../contract/job.ts'
import type { SendReport } from '../contract/remote.ts'
import type { ConversationKey } from '../database.ts'
import { LcmError } from '../errors.ts'
import { readRecordedEstimator } from '../ingest/recorded-estimator.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { yieldToOthers } from '../yielding.ts'
import type { Objects } from './objects/configured.ts'
import { storeContents } from './objects/store-contents.ts'
import type { Postgres, Query } from './postgres/connect.ts'
import { advance, claimConversation, countMessages, insertRows, readTable } from './postgres/conversation-rows.ts'
import { STORED_TABLES, type StoredRow } from './postgres/tables.ts'
import { nativeHead, nativeRows, unitsOf } from './pulled-file.ts'
import { requireOurs } from './remote-stores.ts'

const BATCH_ROWS = 2000
const CANCELLED = 'Copying was cancelled; conversations that were copied before stay.'

const queries = {
  /** Parents come before the conversations that branched off from them. */
  conversations: /* sql */ `
    SELECT conversation_id AS id, parent_conversation_id AS parent FROM conversations ORDER BY conversation_id`,
  hold: /* sql */ 'SELECT rootpage FROM main.sqlite_schema',
  withoutOwner: {
    message_parts: /* sql */ `
      SELECT count(*) FROM message_parts WHERE message_id NOT IN (SELECT message_id FROM messages)`,
    summary_messages: /* sql */ `
      SELECT count(*) FROM summary_messages WHERE summary_id NOT IN (SELECT summary_id FROM summaries)`,
    summary_sources: /* sql */ `
      SELECT count(*) FROM summary_sources WHERE summary_id NOT IN (SELECT summary_id FROM summaries)`,
  },
}

export type SendRequest = {
  readonly from: ReadDb
  readonly to: Postgres
  readonly tenant: string
  readonly objects?: Objects | null
  /** The memory beside which large files lie. */
  readonly filesOf?: string
}

type Sent = SendReport['conversations'][number]

/**
 * Copies every conversation of a native file into a tenant, each in one transaction in which it is read again and
 * compared. A conversation whose session the tenant has already is left as it is there, so a copy that was interrupted
 * goes on where it ended.
 * @throws LcmError sqlite_failed, cancelled, and what the server may refuse
 */
export async function* sendMemory(
  { from, to, tenant, objects = null, filesOf = from.path }: SendRequest,
  signal: AbortSignal,
): AsyncGenerator<JobProgress, SendReport> {
  await requireOurs(to, 'A copy into a tenant writes to the database')
  // While this statement is open, all reads see one state of the file.
  const held = from.iterate(queries.hold)
  try {
    held.next()
    const list = from.all<{ id: number; parent: number | null }>(queries.conversations)
    const estimator = readRecordedEstimator(from)
    const tokenEstimator = typeof estimator === 'string' ? estimator : null
    const sent = new Map<number, Sent>()
    for (const { id, parent } of parentsFirst(list)) {
      const row = nativeHead(from, id)
      if (row === undefined) continue
      const parentId = parent === null ? null : (sent.get(parent)?.to ?? null)
      const head = { row, parentId, tokenEstimator }
      const one = await to.write(tenant, (query) =>
        sendConversation({ from, query, tenant, id, head, objects, filesOf }, signal),
      )
      sent.set(id, one)
      yield { done: sent.size, total: list.length, unit: 'steps', note: `conversation ${id}` }
      await yieldToOthers(signal, CANCELLED)
    }
    const leftOut = Object.entries(queries.withoutOwner).flatMap(([table, sql]) => {
      const rows = from.value<number>(sql) ?? 0
      return rows > 0 ? [{ table, rows }] : []
    })
    return { address: to.shown, tenant, conversations: [...sent.values()], leftOut, verified: true }
  } finally {
    held.return?.()
  }
}

/** A conversation without a known parent, or on a circle, comes where it stands. */
function parentsFirst(list: readonly { readonly id: number; readonly parent: number | null }[]) {
  const byId = new Map(list.map((one) => [one.id, one]))
  const ordered = new Map<number, (typeof list)[number]>()
  for (const one of list) {
    const path: (typeof list)[number][] = []
    for (let at: typeof one | undefined = one; at && !ordered.has(at.id) && !path.includes(at); ) {
      path.push(at)
      at = at.parent === null ? undefined : byId.get(at.parent)
    }
    for (const step of path.toReversed()) ordered.set(step.id, step)
  }
  return [...ordered.values()]
}

type Sending = {
  readonly from: ReadDb
  readonly query: Query
  readonly tenant: string
  readonly id: number
  readonly head: Parameters<typeof claimConversation>[2]
  readonly objects: Objects | null
  readonly filesOf: string
}

async function sendConversation(
  { from, query, tenant, id, head, objects, filesOf }: Sending,
  signal: AbortSignal,
): Promise<Sent> {
  const filesWithoutContent: string[] = []
  const { conversationId, isNew } = await claimConversation(query, tenant, head)
  const counts = new Map<string, number>()
  if (isNew) {
    const key = { tenant, conversationId }
    for (const table of STORED_TABLES) {
      let rows = 0
      for (const batch of batches(nativeRows(from, table, id))) {
        if (table.name === 'large_files' && objects !== null) {
          const files = { database: filesOf, conversationId: id, rows: batch }
          filesWithoutContent.push(...(await storeContents(objects, files, signal)))
        }
        await insertRows(query, key, table, batch)
        if (table.name === 'messages' && rows === 0) await countMessages(query, key)
        rows += batch.length
        await yieldToOthers(signal, CANCELLED)
      }
      counts.set(table.name, rows)
    }
    await compare(from, query, key, id, signal)
    await advance(query, key, 'change')
  }
  const count = (table: string): number => counts.get(table) ?? 0
  return {
    from: id,
    to: conversationId,
    messages: count('messages'),
    summaries: count('summaries'),
    isThere: !isNew,
    filesWithoutContent,
  }
}

/** Reads every row back and compares it with the file. */
async function compare(
  from: ReadDb,
  query: Query,
  key: ConversationKey,
  id: number,
  signal: AbortSignal,
): Promise<void> {
  for (const table of STORED_TABLES) {
    const sent = hashesOf(unitsOf(table, nativeRows(from, table, id)))
    const rows: StoredRow[] = []
    let isEqual = true
    const take = (ready: readonly StoredRow[]): void => {
      for (const { unit, hash } of unitsOf(table, ready)) {
        const name = JSON.stringify(unit)
        isEqual &&= sent.get(name) === hash
        sent.delete(name)
      }
    }
    for await (const batch of readTable(query, key, table)) {
      rows.push(...batch)
      // The last unit may go on in the next batch.
      const last = rows.at(-1)?.[table.unit]
      take(
        rows.splice(
          0,
          rows.findIndex((row) => row[table.unit] === last),
        ),
      )
      await yieldToOthers(signal, CANCELLED)
    }
    take(rows)
    if (isEqual && sent.size === 0) continue
    throw new LcmError(
      'sqlite_failed',
      `Conversation ${id} is not the same in its ${table.name} on the server, and was not kept there. The file is untouched.`,
    )
  }
}

const hashesOf = (units: Iterable<{ readonly unit: unknown; readonly hash: string }>): Map<string, string> =>
  new Map(Iterator.from(units).map(({ unit, hash }) => [JSON.stringify(unit), hash]))

function* batches(rows: Iterable<StoredRow>): Generator<StoredRow[]> {
  let batch: StoredRow[] = []
  for (const row of rows) {
    batch.push(row)
    if (batch.length < BATCH_ROWS) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
