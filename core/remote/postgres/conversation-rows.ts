import type { ConversationKey, Revision } from '#core/database.ts'
import { sha256 } from '#core/hashing.ts'
import type { Query } from './connect.ts'
import { fromStored, toStored } from './exact-texts.ts'
import { HEAD_COLUMNS, type StoredRow, type StoredTable, type StoredValue } from './tables.ts'

export type ConversationHead = {
  readonly conversationId: number
  readonly parentId: number | null
  readonly tokenEstimator: string | null
  readonly revision: Revision
  /** The columns of a native row beside the two ids. */
  readonly row: StoredRow
}

/** Rows that are fetched at once, at first. Long rows make it fewer, so that a batch has some megabytes. */
const FIRST_BATCH = 200
const MAX_BATCH = 4000
const BATCH_CHARS = 4_000_000

type ColumnList = readonly { readonly name: string; readonly type: string }[]

const names = (columns: ColumnList): string => columns.map(({ name }) => name).join(', ')
const typed = (columns: ColumnList): string =>
  [...columns.map(({ name, type }) => `${name} ${type}`), 'exact_texts jsonb'].join(', ')
/** Texts are compared by code point, as in SQLite. */
const orderOf = ({ columns, order, unit }: StoredTable): string =>
  [...new Set([unit, order])]
    .map((name) => (typeOf(columns, name) === 'text' ? `${name} COLLATE "C"` : name))
    .join(', ')
const typeOf = (columns: ColumnList, name: string): string => columns.find((column) => column.name === name)?.type ?? ''

const queries = {
  newTenant: /* sql */ `INSERT INTO lcm.tenants (tenant_id) VALUES ($1) ON CONFLICT DO NOTHING`,
  newId: /* sql */ `SELECT nextval('lcm.conversation_ids') AS id`,
  claim: /* sql */ `
    INSERT INTO lcm.sessions (tenant_id, session_hash, conversation_id) VALUES ($1, $2, $3)
    ON CONFLICT DO NOTHING RETURNING conversation_id`,
  session: /* sql */ `SELECT conversation_id AS id FROM lcm.sessions WHERE tenant_id = $1 AND session_hash = $2`,
  insertHead: /* sql */ `
    INSERT INTO lcm.conversations
      (tenant_id, conversation_id, parent_conversation_id, token_estimator, ${names(HEAD_COLUMNS)}, exact_texts)
    SELECT $1, $2, $3, $4, r.* FROM json_to_recordset($5::json) AS r (${typed(HEAD_COLUMNS)})`,
  /**
   * The partition with the messages of a conversation, if the server has never counted its rows, or all partitions if it
   * has counted none.
   */
  uncounted: /* sql */ `
    SELECT CASE WHEN EXISTS (
      SELECT 1 FROM pg_inherits AS i JOIN pg_class AS other ON other.oid = i.inhrelid
      WHERE i.inhparent = 'lcm.messages'::regclass AND other.reltuples >= 1
    ) THEN c.oid::regclass::text ELSE 'lcm.messages' END AS name
    FROM lcm.messages AS m JOIN pg_class AS c ON c.oid = m.tableoid
    WHERE m.tenant_id = $1 AND m.conversation_id = $2 AND c.reltuples < 1 LIMIT 1`,
  conversations: /* sql */ `SELECT conversation_id AS id FROM lcm.conversations WHERE tenant_id = $1 ORDER BY 1`,
  head: /* sql */ `
    SELECT conversation_id AS "conversationId", parent_conversation_id AS "parentId",
      token_estimator AS "tokenEstimator", appends, changes, ${names(HEAD_COLUMNS)}, exact_texts
    FROM lcm.conversations WHERE tenant_id = $1 AND conversation_id = $2`,
  lockByNumber: /* sql */ `SELECT pg_advisory_xact_lock(hashtextextended($1, $2))`,
  setHead: /* sql */ `
    UPDATE lcm.conversations SET title = r.title, archived_at = r.archived_at,
      updated_at = greatest(conversations.updated_at, r.updated_at)
    FROM json_to_recordset($3::json) AS r (${typed(HEAD_COLUMNS)})
    WHERE conversations.tenant_id = $1 AND conversations.conversation_id = $2`,
  advance: /* sql */ `
    UPDATE lcm.conversations SET appends = appends + $3, changes = changes + $4
    WHERE tenant_id = $1 AND conversation_id = $2 RETURNING appends, changes`,
  tokens: /* sql */ `
    SELECT message_id, token_count FROM lcm.messages
    WHERE tenant_id = $1 AND conversation_id = $2 AND message_id > $3 ORDER BY message_id LIMIT ${20_000}`,
  partIds: /* sql */ `
    SELECT part_id FROM lcm.message_parts
    WHERE tenant_id = $1 AND conversation_id = $2 AND ($3::text IS NULL OR part_id > $3) ORDER BY part_id LIMIT ${20_000}`,
  setTokens: /* sql */ `
    UPDATE lcm.messages SET token_count = r.token_count
    FROM json_to_recordset($3::json) AS r (message_id bigint, token_count bigint)
    WHERE messages.tenant_id = $1 AND messages.conversation_id = $2 AND messages.message_id = r.message_id`,
  fetch: (rows: number) => /* sql */ `FETCH ${rows} FROM rows_of_table`,
  closeCursor: /* sql */ `CLOSE rows_of_table`,
  open: (select: string) => /* sql */ `DECLARE rows_of_table NO SCROLL CURSOR FOR ${select}`,
  select: (table: StoredTable, where: string) => /* sql */ `
    SELECT ${names(table.columns)}, exact_texts FROM lcm.${table.name}
    WHERE tenant_id = $1 AND conversation_id = $2 ${where} ORDER BY ${orderOf(table)}`,
  units: (table: StoredTable, column: string) => /* sql */ `
    SELECT ${names(table.columns)}, exact_texts FROM lcm.${table.name}
    WHERE tenant_id = $1 AND conversation_id = $2
      AND ${column} = ANY ($3::${typeOf(table.columns, column)}[])
    ORDER BY ${orderOf(table)}`,
  insert: (table: StoredTable) => /* sql */ `
    INSERT INTO lcm.${table.name} (tenant_id, conversation_id, ${names(table.columns)}, exact_texts)
    SELECT $1, $2, r.* FROM json_to_recordset($3::json) AS r (${typed(table.columns)})`,
  remove: (table: StoredTable) => /* sql */ `
    DELETE FROM lcm.${table.name} WHERE tenant_id = $1 AND conversation_id = $2
      AND ${table.unit} = ANY ($3::${typeOf(table.columns, table.unit)}[])`,
}

/**
 * Makes a conversation, unless the tenant has one of the same session already.
 * @returns its id, and whether it is new
 */
export async function claimConversation(
  query: Query,
  tenant: string,
  { row, parentId, tokenEstimator }: Pick<ConversationHead, 'row' | 'parentId' | 'tokenEstimator'>,
): Promise<{ readonly conversationId: number; readonly isNew: boolean }> {
  await query(queries.newTenant, [tenant])
  const known = await conversationOfSession(query, tenant, row)
  if (known !== null) return { conversationId: known, isNew: false }
  const session = sessionHash(row)
  const [made] = await query<{ id: number }>(queries.newId)
  const conversationId = Number(made?.id)
  // Another writer may have made it since; it is waited for, and nothing is inserted then.
  const claimed = await query(queries.claim, [tenant, session, conversationId])
  if (claimed.length === 0) {
    const [other] = await query<{ id: number }>(queries.session, [tenant, session])
    return { conversationId: Number(other?.id), isNew: false }
  }
  await query(queries.insertHead, [tenant, conversationId, parentId, tokenEstimator, JSON.stringify([toStored(row)])])
  return { conversationId, isNew: true }
}

/** Identifies a session. Importer and session id may both be longer than an index allows. */
const sessionHash = ({ importer = null, session_id = null }: StoredRow): string =>
  sha256(JSON.stringify([importer, session_id]))

/** The conversation of a session, or null. */
export async function conversationOfSession(query: Query, tenant: string, row: StoredRow): Promise<number | null> {
  const [known] = await query<{ id: number }>(queries.session, [tenant, sessionHash(row)])
  return known ? Number(known.id) : null
}

export async function readConversations(query: Query, tenant: string): Promise<number[]> {
  return (await query<{ id: number }>(queries.conversations, [tenant])).map(({ id }) => Number(id))
}

export async function readHead(
  query: Query,
  { tenant, conversationId }: ConversationKey,
): Promise<ConversationHead | null> {
  const [found] = await query(queries.head, [tenant, conversationId])
  if (!found) return null
  const { conversationId: id, parentId, tokenEstimator, appends, changes, ...row } = found
  return {
    conversationId: Number(id),
    parentId: parentId === null ? null : Number(parentId),
    tokenEstimator: tokenEstimator === null ? null : String(tokenEstimator),
    revision: { appends: Number(appends), changes: Number(changes) },
    row: fromStored(row),
  }
}

/** Writers of the same conversation come one after another until their transaction ends. */
export async function lockConversation(query: Query, { tenant, conversationId }: ConversationKey): Promise<void> {
  await query(queries.lockByNumber, [tenant, conversationId])
}

/** Counts a write, at its end. */
export async function advance(
  query: Query,
  { tenant, conversationId }: ConversationKey,
  kind: 'append' | 'change',
): Promise<Revision> {
  const by = kind === 'append' ? [1, 0] : [0, 1]
  const [now] = await query<Revision>(queries.advance, [tenant, conversationId, ...by])
  return { appends: Number(now?.appends), changes: Number(now?.changes) }
}

/** Streams ids and token counts of messages, which are the only values of a message that change. */
export async function* readTokens(
  query: Query,
  { tenant, conversationId }: ConversationKey,
): AsyncGenerator<readonly StoredRow[]> {
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = await query<StoredRow>(queries.tokens, [tenant, conversationId, after])
    if (rows.length === 0) return
    yield rows
    after = Number(rows.at(-1)?.message_id)
  }
}

/** Streams the ids of all parts: a compaction adds parts to older messages. */
export async function* readPartIds(
  query: Query,
  { tenant, conversationId }: ConversationKey,
): AsyncGenerator<readonly string[]> {
  for (let after: string | null = null; ; ) {
    const rows: { part_id: string }[] = await query(queries.partIds, [tenant, conversationId, after])
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map((row) => row.part_id)
    after = last.part_id
  }
}

export async function setHead(query: Query, key: ConversationKey, row: StoredRow): Promise<void> {
  await query(queries.setHead, [key.tenant, key.conversationId, JSON.stringify([toStored(row)])])
}

export async function setTokens(query: Query, key: ConversationKey, rows: readonly StoredRow[]): Promise<void> {
  const tokens = rows.map(({ message_id, token_count }) => ({ message_id, token_count }))
  await query(queries.setTokens, [key.tenant, key.conversationId, JSON.stringify(tokens)])
}

/** Streams the rows of a table in order of their units. One table is read at a time in a transaction. */
export async function* readTable(
  query: Query,
  { tenant, conversationId }: ConversationKey,
  table: StoredTable,
  afterUnit: number | null = null,
): AsyncGenerator<readonly StoredRow[]> {
  const after = afterUnit === null ? [] : [afterUnit]
  const where = afterUnit === null ? '' : `AND ${table.unit} > $3`
  for await (const rows of streamRows(query, queries.select(table, where), [tenant, conversationId, ...after])) {
    yield rows.map(fromStored)
  }
}

/** Streams the rows of a SELECT through a cursor, some megabytes at a time. A transaction has one such stream. */
export async function* streamRows(
  query: Query,
  select: string,
  values: readonly unknown[],
): AsyncGenerator<readonly Readonly<Record<string, unknown>>[]> {
  await query(queries.open(select), values)
  let size = FIRST_BATCH
  for (;;) {
    const rows = await query(queries.fetch(size))
    if (rows.length > 0) yield rows
    if (rows.length < size) break
    const chars = rows.reduce((sum, row) => sum + charsOf(row), 0)
    size = Math.max(1, Math.min(MAX_BATCH, Math.floor((size * BATCH_CHARS) / Math.max(1, chars))))
  }
  await query(queries.closeCursor)
}

/** Returns the stored rows of these units, or of these values of another column. */
export async function readUnits(
  query: Query,
  { tenant, conversationId }: ConversationKey,
  table: StoredTable,
  units: readonly StoredValue[],
  column = table.unit,
): Promise<StoredRow[]> {
  const rows = await query(queries.units(table, column), [tenant, conversationId, units.map(storedUnit)])
  return rows.map(fromStored)
}

export async function insertRows(
  query: Query,
  { tenant, conversationId }: ConversationKey,
  table: StoredTable,
  rows: readonly StoredRow[],
): Promise<void> {
  let batch: StoredRow[] = []
  let chars = 0
  const flush = async () => {
    if (batch.length > 0) {
      await query(queries.insert(table), [tenant, conversationId, JSON.stringify(batch.map(toStored))])
    }
    batch = []
    chars = 0
  }
  for (const row of rows) {
    batch.push(row)
    chars += charsOf(row)
    if (batch.length >= MAX_BATCH || chars >= BATCH_CHARS) await flush()
  }
  await flush()
}

/**
 * Has the server count the messages where it never did. Until then it takes every conversation for a short one, and reads
 * all of its messages for each part and each entry of its window: 84 s for 20,000 messages. A role that does not own the
 * table is only warned (https://www.postgresql.org/docs/current/sql-analyze.html).
 */
export async function countMessages(query: Query, { tenant, conversationId }: ConversationKey): Promise<void> {
  const [table] = await query<{ readonly name: string }>(queries.uncounted, [tenant, conversationId])
  if (table) await query(/* sql */ `ANALYZE ${table.name}`)
}

export async function removeUnits(
  query: Query,
  { tenant, conversationId }: ConversationKey,
  table: StoredTable,
  units: readonly StoredValue[],
): Promise<void> {
  await query(queries.remove(table), [tenant, conversationId, units.map(storedUnit)])
}

/** A unit as its key is stored: `exact-texts.ts`. */
const storedUnit = (unit: StoredValue): unknown => toStored({ unit }).unit

const charsOf = (row: Readonly<Record<string, unknown>>): number => {
  let chars = 0
  for (const value of Object.values(row)) if (typeof value === 'string') chars += value.length
  return chars
}
