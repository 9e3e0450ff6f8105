import { ROLES, type Role } from '../contract/ids.ts'
import type { Pruned } from '../contract/message.ts'
import { LcmError } from '../errors.ts'
import type { TokenEstimator } from '../models/token-estimator.ts'
import { shownValue } from '../sqlite/native-values.ts'
import type { ReadDb } from '../sqlite/read-db.ts'
import { type PrunedOutput, type PrunedUntil, prunedByMessage, readPruned } from '../systems/pruned-outputs.ts'
import { type Entries, entryParams, forEntries, type Placements } from './placements.ts'
import { type Pairing, pairTools, type ToolMark } from './tool-pairs.ts'

const queries = {
  conversation: /* sql */ `
    SELECT 1 FROM conversations WHERE conversation_id = :conversationId`,
  summaries: /* sql */ `
    SELECT summary_id AS id, ${shownValue('summaries.kind', 'summaries')} AS kind, depth, token_count AS tokens,
      earliest_at AS earliestAtMs, latest_at AS latestAtMs
    FROM summaries WHERE summary_id IN (SELECT value FROM json_each(:ids))`,
  messageTexts: /* sql */ `
    SELECT message_id AS id, content FROM messages
    WHERE message_id IN (SELECT value FROM json_each(:ids)) AND content <> ''`,
  summaryTexts: /* sql */ `
    SELECT summary_id AS id, content FROM summaries
    WHERE summary_id IN (SELECT value FROM json_each(:ids)) AND content <> ''`,
} as const

const entryQueries = forEntries((table) => ({
  items: /* sql */ `
    SELECT c.ordinal AS ordinal, c.message_id AS namedId, c.summary_id AS summaryId, c.created_at AS placedAtMs,
      m.message_id AS messageId, m.seq AS seq, m.role AS role, m.token_count AS tokens, m.created_at AS atMs
    FROM ${table} AS c
    LEFT JOIN messages AS m ON m.message_id = c.message_id
    WHERE c.conversation_id = :conversationId
    ORDER BY c.ordinal`,
  toolMarks: /* sql */ `
    SELECT p.message_id AS messageId, p.tool_call_id AS callId
    FROM ${table} AS c
    JOIN message_parts AS p ON p.message_id = c.message_id
    WHERE c.conversation_id = :conversationId AND p.tool_call_id IS NOT NULL
    ORDER BY c.ordinal, p.ordinal`,
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
  /** What the model sees of it. */
  readonly tokens: number
  /** What its agent took out of it, which `tokens` leaves out. */
  readonly pruned?: Pruned
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
  /** Texts that the model sees instead of those of parts, by message and ordinal of the part. */
  readonly pruned: ReadonlyMap<number, ReadonlyMap<number, string>>
  /** The last compaction was cut off before it had made all its leaves. */
  readonly isLeafPassOpen?: boolean
  /** What it was read from when that is not the file's own window. */
  readonly placed?: Placements
}

type ItemRow = {
  readonly ordinal: number
  /** What the entry names; the message's own columns are null when there is no such message. */
  readonly namedId: number | null
  readonly summaryId: string | null
  readonly placedAtMs: number | null
  readonly messageId: number | null
  readonly seq: number | null
  readonly role: string | null
  readonly tokens: number | null
  readonly atMs: number | null
}

type SummaryRow = {
  readonly id: string
  readonly kind: 'leaf' | 'condensed'
  readonly depth: number | null
  readonly tokens: number | null
  readonly earliestAtMs: number | null
  readonly latestAtMs: number | null
}

/**
 * The window of a conversation, in order, with its tool calls paired: the stored one, or what stood where `placed` says.
 * Rows that carry no token count although they have text (some systems never count) are estimated. What its agent had
 * pruned by `until` (default: now) does not count.
 * @throws LcmError not_found
 */
export function readWindow(
  db: ReadDb,
  conversationId: number,
  estimator: TokenEstimator,
  placed?: Placements,
  until?: PrunedUntil,
): Window {
  if (db.value(queries.conversation, { conversationId }) === undefined) {
    throw new LcmError('not_found', `There is no conversation ${conversationId} in ${db.path}.`, { conversationId })
  }
  const entries: Entries = { conversationId, placed }
  const rows = db.all<ItemRow>(entryQueries(entries).items, entryParams(entries))
  const summaries = readSummaries(db, rows)
  const counted = rows.map((row): WindowItem => toItem(row, summaries))
  const outputs = readPruned(db, conversationId, until)
  const items = withoutPruned(estimateUncounted(db, counted, estimator), outputs)
  let tokens = 0
  for (const item of items) tokens += item.tokens
  const pairs = pairTools(items.length, readMarks(db, entries, items))
  return { conversationId, items, pairs, tokens, pruned: seenInstead(outputs), ...(placed ? { placed } : {}) }
}

function withoutPruned(items: readonly WindowItem[], outputs: readonly PrunedOutput[]): readonly WindowItem[] {
  if (outputs.length === 0) return items
  const byMessage = prunedByMessage(outputs)
  return items.map((item) => {
    const pruned = item.messageId === null ? undefined : byMessage.get(item.messageId)
    return pruned ? { ...item, tokens: Math.max(0, item.tokens - pruned.tokens), pruned } : item
  })
}

function seenInstead(outputs: readonly PrunedOutput[]): Window['pruned'] {
  const seen = new Map<number, Map<number, string>>()
  for (const { messageId, ordinal, seen: text } of outputs) {
    seen.set(messageId, (seen.get(messageId) ?? new Map<number, string>()).set(ordinal, text ?? ''))
  }
  return seen
}

/** By the entries' own ids: what another process has replaced meanwhile is still there under them. */
function readSummaries(db: ReadDb, rows: readonly ItemRow[]): ReadonlyMap<string, SummaryRow> {
  const ids: string[] = []
  for (const { messageId, summaryId } of rows) if (messageId === null && summaryId !== null) ids.push(summaryId)
  if (ids.length === 0) return new Map()
  const found = db.all<SummaryRow>(queries.summaries, { ids: JSON.stringify(ids) })
  return new Map(found.map((row) => [row.id, row]))
}

function toItem(row: ItemRow, summaries: ReadonlyMap<string, SummaryRow>): WindowItem {
  const { ordinal, placedAtMs, messageId } = row
  if (messageId !== null) {
    return {
      ordinal,
      id: `msg_${messageId}`,
      kind: 'message',
      messageId,
      summaryId: null,
      role: roleOf(row.role),
      depth: null,
      seq: row.seq,
      tokens: tokenCount(row.tokens),
      createdAtMs: row.atMs,
      placedAtMs,
    }
  }
  const summary = row.summaryId === null ? undefined : summaries.get(row.summaryId)
  const named = row.namedId === null ? (row.summaryId ?? `item_${ordinal}`) : `msg_${row.namedId}`
  return {
    ordinal,
    id: summary?.id ?? named,
    kind: summary?.kind ?? 'missing',
    messageId: null,
    summaryId: summary?.id ?? null,
    role: null,
    depth: summary === undefined ? null : tokenCount(summary.depth),
    seq: null,
    tokens: summary === undefined ? 0 : tokenCount(summary.tokens),
    createdAtMs: summary?.latestAtMs ?? summary?.earliestAtMs ?? null,
    placedAtMs,
  }
}

/** The items with an estimate where a text has no count; the list itself when all have one. */
export function estimateUncounted<Item extends Pick<WindowItem, 'messageId' | 'summaryId' | 'tokens'>>(
  db: ReadDb,
  items: readonly Item[],
  estimator: TokenEstimator,
): readonly Item[] {
  const uncounted = items.filter((item) => item.tokens === 0)
  const messages = uncounted.flatMap((item) => item.messageId ?? [])
  const summaries = uncounted.flatMap((item) => item.summaryId ?? [])
  const estimated = new Map<number | string, number>()
  const estimate = (sql: string, ids: readonly (number | string)[]): void => {
    if (ids.length === 0) return
    for (const row of db.iterate<{ id: number | string; content: string }>(sql, { ids: JSON.stringify(ids) })) {
      estimated.set(row.id, estimator.count(row.content))
    }
  }
  estimate(queries.messageTexts, messages)
  estimate(queries.summaryTexts, summaries)
  if (estimated.size === 0) return items
  return items.map((item) => {
    const tokens = item.tokens === 0 ? estimated.get(item.messageId ?? item.summaryId ?? '') : undefined
    return tokens === undefined ? item : { ...item, tokens }
  })
}

function readMarks(db: ReadDb, entries: Entries, items: readonly WindowItem[]): ToolMark[] {
  const places = new Map<number, number>()
  for (let index = 0; index < items.length; index += 1) {
    const id = items[index]?.messageId ?? null
    if (id !== null) places.set(id, index)
  }
  const marks: ToolMark[] = []
  type Row = { messageId: number; callId: string }
  for (const { messageId, callId } of db.all<Row>(entryQueries(entries).toolMarks, entryParams(entries))) {
    const index = places.get(messageId)
    if (index === undefined) continue
    marks.push({ index, callId, kind: items[index]?.role === 'assistant' ? 'call' : 'result' })
  }
  return marks
}

const KNOWN_ROLES: ReadonlyMap<string | null, Role> = new Map(ROLES.map((role) => [role, role]))
export const roleOf = (role: string | null): Role | null => KNOWN_ROLES.get(role) ?? null

/** A stored count as a whole number that is not negative, whatever a file claims. */
export function tokenCount(value: number | null): number {
  return value === null || !Number.isFinite(value)
    ? 0
    : Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.trunc(value)))
}
