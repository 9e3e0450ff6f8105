import type { ConversationKey, Revision } from '#core/database.ts'
import { sha256Bytes } from '#core/hashing.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'
import type { Query } from '../postgres/connect.ts'
import { type ConversationHead, streamRows } from '../postgres/conversation-rows.ts'
import type { StoredRow, StoredTable, StoredValue } from '../postgres/tables.ts'
import { fileOf, messageOf, numberOf, partOf, type Row, rowNumbers, skeletonOf, textOf } from './as-ours.ts'
import { Lineage, type SummaryLink } from './lineage.ts'
import { msOf, VoltTables } from './tables.ts'

type Rows = AsyncIterable<readonly StoredRow[]>

/** Summaries whose texts are fetched at once. */
const TEXTS_AT_ONCE = 200
const TOKENS_AT_ONCE = 20_000
/** Of large files, this many characters or bytes are fetched at once. */
const PIECE = 1 << 20
/** Parts of a message are stored one after another, after the message: those of the newest ones may still be coming. */
const UNSETTLED = 3
/** Room for the number of parts of the newest messages in the number of appends. */
const PARTS_ROOM = 1000
/** Volt begins the titles of its conversations with the session. */
const TITLE = /^\[VoltCode Session: ([^\]]+)\]\s*/

const queries = {
  conversations: (volt: VoltTables) =>
    /* sql */ `SELECT conversation_id AS id FROM ${volt.at('conversations')} ORDER BY 1`,
  head: (volt: VoltTables) => /* sql */ `
    SELECT t.conversation_id AS id, t.title, ${volt.column('conversations', 'parent_conversation_id')} AS parent,
      ${msOf('t.created_at')} AS at,
      (SELECT max(${msOf('m.created_at')}) FROM (
        SELECT created_at FROM ${volt.at('messages')} WHERE conversation_id = $1 ORDER BY seq DESC LIMIT 1) AS m
      ) AS "messageAt",
      (SELECT max(${msOf('s.created_at')}) FROM ${volt.at('summaries')} AS s WHERE s.conversation_id = $1) AS "summaryAt"
    FROM ${volt.at('conversations')} AS t WHERE t.conversation_id = $1`,
  /** All that changes but messages at the end and their window entries. */
  state: (volt: VoltTables) => /* sql */ `
    SELECT
      (SELECT coalesce(max(message_id), 0) FROM ${newest(volt, UNSETTLED)} AS n) AS newest,
      ${
        volt.has('message_parts')
          ? `(SELECT count(*)::int FROM ${volt.at('message_parts')} WHERE message_id IN (SELECT message_id FROM ${newest(volt, UNSETTLED)} AS n))`
          : '0'
      } AS parts,
      md5(concat_ws('|',
        (SELECT title FROM ${volt.at('conversations')} WHERE conversation_id = $1),
        (SELECT coalesce(max(seq), 0) FROM ${newest(volt, 1)} AS n)
          - (SELECT count(*) FROM ${volt.at('context_items')} WHERE conversation_id = $1 AND message_id IS NOT NULL),
        (SELECT md5(string_agg(t.position || ' ' || t.summary_id, ',' ORDER BY t.position))
          FROM ${volt.at('context_items')} AS t WHERE t.conversation_id = $1 AND t.summary_id IS NOT NULL),
        (SELECT count(*) || ' ' || max(t.created_at) || ' ' || md5(string_agg(
            t.summary_id || ${volt.column('summaries', 'summary_type', `''`)}, ',' ORDER BY t.summary_id))
          FROM ${volt.at('summaries')} AS t WHERE t.conversation_id = $1),
        ${
          volt.has('summary_lineage_pointers')
            ? `(SELECT count(*) FROM ${volt.at('summary_lineage_pointers')} WHERE ${ofConversation(volt)})`
            : '0'
        },
        ${
          volt.has('large_files')
            ? `(SELECT count(*) || ' ' || count(${volt.column('large_files', 'exploration_summary')})
              FROM ${volt.at('large_files')} AS t WHERE t.conversation_id = $1)`
            : '0'
        }
      )) AS changes`,
  messages: (volt: VoltTables) => /* sql */ `
    SELECT t.message_id, t.seq, t.role::text AS role, t.token_count, ${msOf('t.created_at')} AS created_at, t.content
    FROM ${volt.at('messages')} AS t WHERE t.conversation_id = $1 AND t.message_id > $2 ORDER BY t.message_id`,
  tokens: (volt: VoltTables) => /* sql */ `
    SELECT message_id, coalesce(token_count, 0) AS token_count FROM ${volt.at('messages')}
    WHERE conversation_id = $1 AND message_id > $2 ORDER BY message_id LIMIT ${TOKENS_AT_ONCE}`,
  partIds: (volt: VoltTables) => /* sql */ `
    SELECT p.part_id FROM ${volt.at('message_parts')} AS p
    JOIN ${volt.at('messages')} AS m ON m.message_id = p.message_id
    WHERE m.conversation_id = $1 AND ($2::text IS NULL OR p.part_id > $2) ORDER BY p.part_id LIMIT ${TOKENS_AT_ONCE}`,
  parts: (volt: VoltTables, column: string) => /* sql */ `
    SELECT t.*, t.part_type::text AS part_type, t.tool_input::text AS tool_input, t.metadata::text AS metadata,
      to_json(t.patch_files)::text AS patch_files, t.step_cost::float8 AS step_cost
    FROM ${volt.at('message_parts')} AS t JOIN ${volt.at('messages')} AS m ON m.message_id = t.message_id
    WHERE m.conversation_id = $1 AND t.${column} = ANY ($2) ORDER BY t.part_id COLLATE "C"`,
  skeleton: (volt: VoltTables) => /* sql */ `
    SELECT t.summary_id AS id, t.kind::text AS kind, ${volt.column('summaries', 'condensation_order')} AS "order",
      ${volt.column('summaries', 'summary_type')} AS type, ${msOf('t.created_at')} AS at
    FROM ${volt.at('summaries')} AS t WHERE t.conversation_id = $1
    ORDER BY t.created_at, t.summary_id COLLATE "C"`,
  texts: (volt: VoltTables) => /* sql */ `
    SELECT t.summary_id, t.token_count, t.content, ${volt.column('summaries', 'file_ids')}::text AS file_ids
    FROM ${volt.at('summaries')} AS t WHERE t.conversation_id = $1 AND t.summary_id = ANY ($2)`,
  messageLinks: (volt: VoltTables) => /* sql */ `
    SELECT summary_id AS summary, message_id AS source, coalesce(ord, 0) AS ordinal
    FROM ${volt.at('summary_messages')} WHERE ${ofConversation(volt)}
    ORDER BY summary_id COLLATE "C", ord, message_id`,
  /** Where a stub points stands behind that of which a summary was made; Volt follows both. */
  sourceLinks: (volt: VoltTables) => /* sql */ `
    SELECT summary_id AS summary, parent_summary_id AS source, 0 AS pointer, coalesce(ord, 0) AS ord
    FROM ${volt.at('summary_parents')} WHERE ${ofConversation(volt)}
    ${
      volt.has('summary_lineage_pointers')
        ? `UNION ALL SELECT summary_id, points_to_summary_id, 1, coalesce(ord, 0)
          FROM ${volt.at('summary_lineage_pointers')} WHERE ${ofConversation(volt)}`
        : ''
    }
    ORDER BY summary, pointer, ord, source`,
  window: (volt: VoltTables) => /* sql */ `
    SELECT t.position AS ordinal, t.item_type::text AS item_type, t.message_id, t.summary_id,
      ${msOf('coalesce(m.created_at, s.created_at)')} AS created_at
    FROM ${volt.at('context_items')} AS t
    LEFT JOIN ${volt.at('messages')} AS m ON m.message_id = t.message_id
    LEFT JOIN ${volt.at('summaries')} AS s ON s.summary_id = t.summary_id
    WHERE t.conversation_id = $1 AND t.position > $2 ORDER BY t.position`,
  files: (volt: VoltTables) => /* sql */ `
    SELECT t.file_id, t.original_path, t.mime_type, ${msOf('t.created_at')} AS created_at,
      ${volt.column('large_files', 'exploration_summary')} AS exploration_summary,
      t.content IS NOT NULL AS "isText",
      octet_length(${bytesOf}) AS bytes, encode(sha256(${bytesOf}), 'hex') AS hash
    FROM ${volt.at('large_files')} AS t WHERE t.conversation_id = $1 ORDER BY t.file_id COLLATE "C"`,
  piece: (volt: VoltTables) => /* sql */ `
    SELECT substring(t.content FROM $3 FOR ${PIECE}) AS text,
      encode(substring(t.binary_content FROM $3 FOR ${PIECE}), 'base64') AS bytes
    FROM ${volt.at('large_files')} AS t WHERE t.conversation_id = $1 AND t.file_id = $2`,
}

const bytesOf = `coalesce(convert_to(t.content, 'UTF8'), t.binary_content)`

const newest = (volt: VoltTables, messages: number): string =>
  `(SELECT message_id, seq FROM ${volt.at('messages')} WHERE conversation_id = $1 ORDER BY seq DESC LIMIT ${messages})`

const ofConversation = (volt: VoltTables): string =>
  `summary_id IN (SELECT s.summary_id FROM ${volt.at('summaries')} AS s WHERE s.conversation_id = $1)`

export async function readConversations(query: Query, tenant: string): Promise<number[]> {
  const volt = await VoltTables.of(query, tenant)
  return volt === null ? [] : (await query<{ id: number }>(queries.conversations(volt))).map(({ id }) => Number(id))
}

/** Reads a conversation of one user. The schema of the user stands for the tenant. */
export async function readHead(
  query: Query,
  { tenant, conversationId }: ConversationKey,
): Promise<ConversationHead | null> {
  const volt = await VoltTables.of(query, tenant)
  const [found] = volt === null ? [] : await query(queries.head(volt), [conversationId])
  if (volt === null || found === undefined) return null
  const title = textOf(found.title)
  const [, session] = TITLE.exec(title ?? '') ?? []
  const rest = title?.replace(TITLE, '').trim() ?? ''
  const createdAtMs = numberOf(found.at) ?? 0
  return {
    conversationId: Number(found.id),
    parentId: numberOf(found.parent),
    tokenEstimator: null,
    revision: await revisionOf(query, volt, conversationId),
    row: {
      session_id: session ?? `${tenant}/${conversationId}`,
      logical_key: null,
      importer: 'volt',
      source_uri: null,
      title: rest === '' ? null : rest,
      archived_at: null,
      created_at: createdAtMs,
      updated_at: Math.max(createdAtMs, numberOf(found.messageAt) ?? 0, numberOf(found.summaryAt) ?? 0),
    },
  }
}

/** Volt counts no writes: numbers that change with what is stored stand for it. */
async function revisionOf(query: Query, volt: VoltTables, conversationId: number): Promise<Revision> {
  const [state] = await query(queries.state(volt), [conversationId])
  const parts = Math.min(Number(state?.parts), PARTS_ROOM - 1)
  const changes = sha256Bytes(String(state?.changes)).readUIntBE(0, 6)
  return { appends: Number(state?.newest) * PARTS_ROOM + parts, changes }
}

export async function* readTable(
  query: Query,
  key: ConversationKey,
  table: StoredTable,
  local: ReadDb,
  after: number | null = null,
): Rows {
  const volt = await VoltTables.of(query, key.tenant)
  if (volt === null) return
  switch (table.name) {
    case 'messages':
      yield* mapped(streamRows(query, queries.messages(volt), [key.conversationId, after ?? 0]), messageOf)
      return
    case 'summaries':
      yield* summaries(query, volt, key, local)
      return
    case 'summary_messages':
      yield* mapped(
        once(streamRows(query, queries.messageLinks(volt), [key.conversationId]), ({ summary, source }) =>
          JSON.stringify([summary, Number(source)]),
        ),
        (row) => ({
          summary_id: textOf(row.summary),
          message_id: numberOf(row.source),
          ordinal: numberOf(row.ordinal),
        }),
      )
      return
    case 'summary_sources':
      yield (await sourceLinks(query, volt, key)).map(({ summary, source, ordinal }) => ({
        summary_id: summary,
        source_summary_id: source,
        ordinal,
      }))
      return
    case 'context_items':
      yield* mapped(
        once(
          streamRows(query, queries.window(volt), [key.conversationId, after ?? -1]),
          (row) => `${row.item_type} ${row.message_id ?? row.summary_id}`,
        ),
        (row) => ({
          ordinal: numberOf(row.ordinal),
          item_type: textOf(row.item_type),
          message_id: numberOf(row.message_id),
          summary_id: textOf(row.summary_id),
          created_at: numberOf(row.created_at) ?? 0,
        }),
      )
      return
    case 'large_files':
      if (volt.has('large_files')) {
        yield* mapped(streamRows(query, queries.files(volt), [key.conversationId]), (row) =>
          fileOf(row, key.conversationId),
        )
      }
      return
    default:
      // Volt records no runs of compactions and no repairs.
      return
  }
}

export async function readParts(
  query: Query,
  { tenant, conversationId }: ConversationKey,
  values: readonly StoredValue[],
  column: 'part_id' | 'message_id',
): Promise<StoredRow[]> {
  const volt = await VoltTables.of(query, tenant)
  if (!volt?.has('message_parts')) return []
  return (await query(queries.parts(volt, column), [conversationId, values])).map(partOf)
}

export async function* readTokens(query: Query, { tenant, conversationId }: ConversationKey): Rows {
  const volt = await VoltTables.of(query, tenant)
  for (let after = 0; volt !== null; ) {
    const rows = await query(queries.tokens(volt), [conversationId, after])
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map((row) => ({ message_id: Number(row.message_id), token_count: Number(row.token_count) }))
    after = Number(last.message_id)
  }
}

export async function* readPartIds(
  query: Query,
  { tenant, conversationId }: ConversationKey,
): AsyncGenerator<readonly string[]> {
  const volt = await VoltTables.of(query, tenant)
  if (!volt?.has('message_parts')) return
  for (let after: string | null = null; ; ) {
    const rows: { part_id: string }[] = await query(queries.partIds(volt), [conversationId, after])
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map((row) => row.part_id)
    after = last.part_id
  }
}

/** The content that Volt keeps in the row of a large file. */
export async function* readContents(
  query: Query,
  { tenant, conversationId }: ConversationKey,
  fileId: string,
): AsyncGenerator<Uint8Array> {
  const volt = await VoltTables.of(query, tenant)
  for (let from = 1; volt !== null; from += PIECE) {
    const [row] = await query(queries.piece(volt), [conversationId, fileId, from])
    const piece =
      typeof row?.text === 'string' ? Buffer.from(row.text) : Buffer.from(textOf(row?.bytes) ?? '', 'base64')
    if (piece.length === 0) return
    yield piece
  }
}

/** Texts follow sources first, because the hash of a summary stands on those of its sources. */
async function* summaries(query: Query, volt: VoltTables, key: ConversationKey, local: ReadDb): Rows {
  const found = await query(queries.skeleton(volt), [key.conversationId])
  const skeletons = found.map(skeletonOf)
  const links = [...(await messageLinks(query, volt, key)), ...(await sourceLinks(query, volt, key))]
  const lineage = new Lineage(local, skeletons, links)
  const rowIds = rowNumbers(skeletons)
  for (let from = 0; from < lineage.ordered.length; from += TEXTS_AT_ONCE) {
    const batch = lineage.ordered.slice(from, from + TEXTS_AT_ONCE)
    const rows = await query(queries.texts(volt), [key.conversationId, batch.map(({ id }) => id)])
    const byId = new Map(rows.map((row) => [row.summary_id, row]))
    yield batch.map((skeleton): StoredRow => {
      const row = byId.get(skeleton.id) ?? {}
      const content = textOf(row.content) ?? ''
      const derived = lineage.derived(skeleton.id)
      return {
        summary_rowid: rowIds.get(skeleton.id) ?? null,
        summary_id: skeleton.id,
        kind: skeleton.isLeaf ? 'leaf' : 'condensed',
        depth: derived.depth,
        token_count: numberOf(row.token_count) ?? 0,
        source_token_count: derived.sourceTokens,
        descendant_count: derived.descendants,
        earliest_at: derived.earliestAtMs,
        latest_at: derived.latestAtMs,
        created_at: skeleton.createdAtMs,
        level: 'unknown',
        model: null,
        prompt_version: null,
        summary_hash: lineage.hash(skeleton.id, content),
        file_ids: textOf(row.file_ids) ?? '[]',
        content,
      }
    })
  }
}

async function messageLinks(query: Query, volt: VoltTables, key: ConversationKey): Promise<SummaryLink[]> {
  const links: SummaryLink[] = []
  for await (const rows of streamRows(query, queries.messageLinks(volt), [key.conversationId])) {
    for (const row of rows) {
      links.push({ summary: String(row.summary), source: Number(row.source), ordinal: Number(row.ordinal) })
    }
  }
  return links
}

async function sourceLinks(
  query: Query,
  volt: VoltTables,
  key: ConversationKey,
): Promise<(SummaryLink & { readonly source: string })[]> {
  const links = new Map<string, SummaryLink & { readonly source: string }>()
  let [before, ordinal] = ['', 0]
  for (const row of await query(queries.sourceLinks(volt), [key.conversationId])) {
    const [summary, source] = [String(row.summary), String(row.source)]
    ordinal = summary === before ? ordinal + 1 : 1
    before = summary
    const name = JSON.stringify([summary, source])
    if (!links.has(name)) links.set(name, { summary, source, ordinal })
  }
  return [...links.values()].toSorted((a, b) => (a.summary < b.summary ? -1 : a.summary > b.summary ? 1 : 0))
}

async function* mapped(rows: AsyncIterable<readonly Row[]>, body: (row: Row) => StoredRow): Rows {
  for await (const batch of rows) yield batch.map(body)
}

/** Of rows with the same key, the first. */
async function* once(rows: AsyncIterable<readonly Row[]>, keyOf: (row: Row) => string): AsyncGenerator<readonly Row[]> {
  const seen = new Set<string>()
  for await (const batch of rows) {
    yield batch.filter((row) => {
      const key = keyOf(row)
      if (seen.has(key)) return false
      seen.add(key)
      return true
    })
  }
}
