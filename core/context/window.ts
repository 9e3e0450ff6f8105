import { ROLES, type Role } from '../contract/ids.ts'
import type { ReadDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'
import { type Entries, entryParams, forEntries, type Placements } from './placements.ts'
import type { TokenEstimator } from './token-estimator.ts'
import { type Pairing, pairTools, type ToolMark } from './tool-pairs.ts'

export const queries = {
  conversation: `
    SELECT 1 FROM conversations WHERE conversation_id = :conversationId`,
} as const

const entryQueries = forEntries((table) => ({
  items: `
    SELECT c.ordinal AS ordinal, c.item_type AS type, c.message_id AS messageId, c.summary_id AS summaryId,
      c.created_at AS placedAtMs, m.message_id IS NOT NULL AS hasMessage, m.seq AS seq, m.role AS role,
      m.token_count AS messageTokens, m.created_at AS messageAtMs, s.kind AS kind, s.depth AS depth,
      s.token_count AS summaryTokens, s.earliest_at AS earliestAtMs, s.latest_at AS latestAtMs
    FROM ${table} AS c
    LEFT JOIN messages AS m ON m.message_id = c.message_id
    LEFT JOIN summaries AS s ON s.summary_id = c.summary_id
    WHERE c.conversation_id = :conversationId
    ORDER BY c.ordinal`,
  toolMarks: `
    SELECT p.message_id AS messageId, p.tool_call_id AS callId,
      p.tool_output IS NOT NULL OR p.tool_error IS NOT NULL AS hasOutput
    FROM ${table} AS c
    JOIN message_parts AS p ON p.message_id = c.message_id
    WHERE c.conversation_id = :conversationId AND p.tool_call_id IS NOT NULL
    ORDER BY c.ordinal, p.ordinal`,
  uncounted: `
    SELECT c.message_id AS messageId, c.summary_id AS summaryId, coalesce(m.content, s.content) AS content
    FROM ${table} AS c
    LEFT JOIN messages AS m ON m.message_id = c.message_id
    LEFT JOIN summaries AS s ON s.summary_id = c.summary_id
    WHERE c.conversation_id = :conversationId
      AND coalesce(m.token_count, s.token_count, 0) <= 0 AND coalesce(m.content, s.content, '') <> ''`,
  extents: `
    WITH RECURSIVE beneath (root, summary_id) AS (
      SELECT summary_id, summary_id FROM ${table}
      WHERE conversation_id = :conversationId AND summary_id IS NOT NULL
      UNION
      SELECT b.root, e.source_summary_id FROM beneath AS b JOIN summary_sources AS e ON e.summary_id = b.summary_id
    )
    SELECT b.root AS summaryId, count(DISTINCT l.message_id) AS messages, min(m.seq) AS firstSeq, max(m.seq) AS lastSeq
    FROM beneath AS b
    JOIN summary_messages AS l ON l.summary_id = b.summary_id
    JOIN messages AS m ON m.message_id = l.message_id
    GROUP BY b.root`,
}))

/** One entry of the window, without its text. */
export type WindowItem = {
  /** As stored; orders the window, with gaps. */
  readonly ordinal: number
  /** `msg_<n>` or the summary's id; `item_<ordinal>` when the entry names nothing. */
  readonly id: string
  readonly kind: 'message' | 'leaf' | 'condensed' | 'missing'
  readonly messageId: number | null
  readonly summaryId: string | null
  readonly role: Role | null
  /** Of a summary. */
  readonly depth: number | null
  readonly seq: number | null
  readonly tokens: number
  readonly createdAtMs: number | null
  /** When the entry was put into the window. */
  readonly placedAtMs: number | null
}

export type Window = {
  readonly conversationId: number
  readonly items: readonly WindowItem[]
  readonly pairs: Pairing
  /** Of all items. */
  readonly tokens: number
  /** What it was read from when that is not the file's own window. */
  readonly placed?: Placements
}

/** Which messages a summary stands for. */
export type Extent = { readonly messages: number; readonly firstSeq: number; readonly lastSeq: number }

type ItemRow = {
  ordinal: number
  type: string
  messageId: number | null
  summaryId: string | null
  placedAtMs: number | null
  hasMessage: number
  seq: number | null
  role: string | null
  messageTokens: number | null
  messageAtMs: number | null
  kind: string | null
  depth: number | null
  summaryTokens: number | null
  earliestAtMs: number | null
  latestAtMs: number | null
}

/**
 * The window of a conversation, in order, with its tool calls paired: the stored one, or what stood where `placed` says.
 * Rows that carry no token count although they have text (some systems never count) are estimated.
 * @throws LcmError not_found
 */
export function readWindow(db: ReadDb, conversationId: number, estimator: TokenEstimator, placed?: Placements): Window {
  if (db.value(queries.conversation, { conversationId }) === undefined) {
    throw new LcmError('not_found', `There is no conversation ${conversationId} in ${db.path}.`, { conversationId })
  }
  const entries: Entries = { conversationId, placed }
  const estimated = estimateUncounted(db, entries, estimator)
  const rows = db.all<ItemRow>(entryQueries(entries).items, entryParams(entries))
  const items = rows.map((row): WindowItem => toItem(row, estimated))
  const tokens = items.reduce((sum, item) => sum + item.tokens, 0)
  const pairs = pairTools(items.length, readMarks(db, entries, items))
  return { conversationId, items, pairs, tokens, ...(placed ? { placed } : {}) }
}

/** What each summary of the window stands for; one that reaches no message is absent. */
export function readExtents(db: ReadDb, conversationId: number, placed?: Placements): ReadonlyMap<string, Extent> {
  const entries: Entries = { conversationId, placed }
  const rows = db.all<Extent & { summaryId: string }>(entryQueries(entries).extents, entryParams(entries))
  return new Map(rows.map((row) => [row.summaryId, row]))
}

function toItem(row: ItemRow, estimated: ReadonlyMap<string, number>): WindowItem {
  const place = { ordinal: row.ordinal, placedAtMs: row.placedAtMs }
  const nothing = { role: null, depth: null, seq: null, messageId: null, summaryId: null }
  if (row.hasMessage === 1 && row.messageId !== null) {
    const id = `msg_${row.messageId}`
    return {
      ...place,
      ...nothing,
      id,
      kind: 'message',
      messageId: row.messageId,
      role: ROLES.find((role) => role === row.role) ?? null,
      seq: row.seq,
      tokens: count(row.messageTokens) || (estimated.get(id) ?? 0),
      createdAtMs: row.messageAtMs,
    }
  }
  if (row.kind !== null && row.summaryId !== null) {
    return {
      ...place,
      ...nothing,
      id: row.summaryId,
      kind: row.kind === 'leaf' ? 'leaf' : 'condensed',
      summaryId: row.summaryId,
      depth: count(row.depth),
      tokens: count(row.summaryTokens) || (estimated.get(row.summaryId) ?? 0),
      createdAtMs: row.latestAtMs ?? row.earliestAtMs,
    }
  }
  const id = row.messageId !== null ? `msg_${row.messageId}` : (row.summaryId ?? `item_${row.ordinal}`)
  return { ...place, ...nothing, id, kind: 'missing', tokens: 0, createdAtMs: null }
}

function estimateUncounted(db: ReadDb, entries: Entries, estimator: TokenEstimator): ReadonlyMap<string, number> {
  type Row = { messageId: number | null; summaryId: string | null; content: string }
  const estimated = new Map<string, number>()
  for (const row of db.iterate<Row>(entryQueries(entries).uncounted, entryParams(entries))) {
    estimated.set(row.summaryId ?? `msg_${row.messageId}`, estimator.count(row.content))
  }
  return estimated
}

function readMarks(db: ReadDb, entries: Entries, items: readonly WindowItem[]): ToolMark[] {
  const places = new Map<number, number>()
  items.forEach((item, index) => {
    if (item.messageId !== null) places.set(item.messageId, index)
  })
  const marks: ToolMark[] = []
  type Row = { messageId: number; callId: string; hasOutput: number }
  const rows = db.iterate<Row>(entryQueries(entries).toolMarks, entryParams(entries))
  for (const { messageId, callId, hasOutput } of rows) {
    const index = places.get(messageId)
    if (index === undefined) continue
    const isCall = items[index]?.role === 'assistant'
    marks.push({ index, callId, kind: isCall ? (hasOutput === 1 ? 'answered_call' : 'call') : 'result' })
  }
  return marks
}

/** A stored count as a whole number that is not negative, whatever a file claims. */
function count(value: number | null): number {
  return value === null || !Number.isFinite(value)
    ? 0
    : Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.trunc(value)))
}
