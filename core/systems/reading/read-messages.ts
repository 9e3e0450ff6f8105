import { ROLES } from '#core/contract/ids.ts'
import {
  GrowingMessages,
  type MessageSums,
  ORDER_MODULUS,
  type PackedMessages,
  sumOfOrder,
} from '#core/memory/growing-messages.ts'
import { type Messages, OTHER_ROLE } from '#core/memory/messages.ts'
import { nextKey } from '#core/sqlite/keyset.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'

const roleCode = `CASE role ${ROLES.map((role, code) => `WHEN '${role}' THEN ${code}`).join(' ')} ELSE ${OTHER_ROLE} END`

/** SQL of `sumOfOrder` over some messages. */
export const SUM_OF_ORDER = `total((message_id % ${ORDER_MODULUS}) * seq)`
/** SQL of the `MessageSums` of some messages. */
export const MESSAGE_SUMS = `count(*) AS length, total(token_count) AS tokens, ${SUM_OF_ORDER} AS ordered`

const queries = {
  after: /* sql */ `
    SELECT message_id, seq, token_count, ${roleCode}, created_at
    FROM messages
    WHERE conversation_id = :conversation AND seq > :seq
    ORDER BY seq
    LIMIT CAST(:limit AS INTEGER)`,
  /** Reads the same as one row. A row for each message would cost an array and two calls of SQLite. */
  packed: /* sql */ `
    SELECT count(*), group_concat(message_id), group_concat(seq), group_concat(token_count), group_concat(role, ''),
      group_concat(created_at)
    FROM (
      SELECT message_id, seq, token_count, ${roleCode} AS role, created_at
      FROM messages
      WHERE conversation_id = :conversation AND seq > :seq
      ORDER BY seq
      LIMIT CAST(:limit AS INTEGER)
    )`,
  length: /* sql */ `SELECT count(*) FROM messages WHERE conversation_id = :conversation`,
  lengths: /* sql */ `SELECT conversation_id, count(*) FROM messages GROUP BY conversation_id ORDER BY conversation_id`,
  /** For a conversation in which some value is no plain number. */
  rows: /* sql */ `
    SELECT message_id AS id, seq, token_count AS tokens, ${roleCode} AS role, created_at AS createdAtMs
    FROM messages
    WHERE conversation_id IS :conversation
    ORDER BY seq, message_id`,
  /** Sums of a range of messages, which would differ if the range had been rewritten. */
  sums: /* sql */ `
    SELECT ${MESSAGE_SUMS}
    FROM messages
    WHERE conversation_id = :conversation AND seq > :after AND seq <= :upTo`,
}

/**
 * How many messages are packed into one row and read without a yield, at first and at most. In files of some systems the
 * columns stand behind the text, and how long it takes to pass that is known only afterwards. More at once would be
 * hardly quicker, and would leave long strings in memory.
 */
const FIRST_AT_ONCE = 2000
const MAX_AT_ONCE = 4000
const MIN_AT_ONCE = 50
const PAGE_MS = 15

/** Returns how many messages will take about `PAGE_MS` next time. */
function nextLimit(limit: number, startedMs: number): number {
  const fitting = (limit * PAGE_MS) / Math.max(1, performance.now() - startedMs)
  return Math.round(Math.max(MIN_AT_ONCE, limit / 2, Math.min(MAX_AT_ONCE, limit * 2, fitting)))
}

/** Adds all messages of a conversation after those that are there, some 20 ms of work at a time. */
export function* appendingNewer(db: ReadDb, conversation: number, columns: GrowingMessages): Generator<void> {
  for (let limit = FIRST_AT_ONCE; ; ) {
    const startedMs = performance.now()
    const params = { conversation, seq: columns.lastSeq, limit }
    const [packed] = db.rows<PackedMessages>(queries.packed, params)
    if (!packed || packed[0] === 0) return
    if (!columns.appendPacked(packed, limit)) columns.append(wholeRows(db, params))
    if (packed[0] < limit) return
    // Nothing comes after a seq that is no number.
    if (!Number.isNaN(columns.lastSeq)) nextKey(db, PLACES, params.seq, columns.lastSeq)
    limit = nextLimit(limit, startedMs)
    yield
  }
}

/** All messages of a conversation, some 20 ms of work at a time; none when it is not there. */
export function* readingMessagesOf(db: ReadDb, conversation: number): Generator<void, Messages> {
  const columns = new GrowingMessages(db.value<number>(queries.length, { conversation }) ?? 0).begin(conversation)
  yield* appendingNewer(db, conversation, columns)
  return columns.view()
}

const PLACES = 'the places of messages in their conversation'

/** A row of a message as it comes from SQLite. */
type SqlRow = [number, number, number | null, number, number | null]

type Page = { readonly conversation: number; readonly seq: number; readonly limit: number }

/**
 * Reads a page row by row, because in a damaged file a time may be missing and a number may be a text. Rows with the last
 * seq are left out, because there may be more of them. Where that would leave nothing, all remaining rows are read.
 */
function wholeRows(db: ReadDb, page: Page): SqlRow[] {
  const rows = db.rows<SqlRow>(queries.after, page)
  if (rows.length < page.limit) return rows
  const last = rows.at(-1)?.[1]
  const whole = rows.filter(([, seq]) => seq !== last)
  const goesOn = whole.length > 0 && whole.every(([, seq]) => Number.isFinite(seq))
  return goesOn ? whole : db.rows<SqlRow>(queries.after, { ...page, limit: -1 })
}

/** Says whether the messages of a history are still what they were, a piece of work at a time. */
export function* checking(db: ReadDb, history: Messages): Generator<void, boolean> {
  const { conversationId: conversation, length, seqs, ids, tokensBefore } = history
  if (!history.isPlain) return false
  let limit = FIRST_AT_ONCE
  for (let from = 0; from < length; ) {
    const startedMs = performance.now()
    let to = Math.min(length, from + limit)
    while (to < length && seqs[to] === seqs[to - 1]) to += 1
    const ordered = sumOfOrder(ids, seqs, from, to)
    const after = seqs[from - 1] ?? Number.NEGATIVE_INFINITY
    const found = db.get<MessageSums>(queries.sums, { conversation, after, upTo: seqs[to - 1] ?? null })
    const tokens = (tokensBefore[to] as number) - (tokensBefore[from] as number)
    if (found?.length !== to - from || found.tokens !== tokens || found.ordered !== ordered) return false
    from = to
    limit = nextLimit(limit, startedMs)
    yield
  }
  return true
}

/** Rows of a damaged conversation between two pauses. */
const ROWS_AT_ONCE = 4096

/** Every message of a file: conversation after conversation, each in the order of its sequence. */
export function* readingAllMessages(db: ReadDb): Generator<void, Messages> {
  const lengths = db.rows<[number | null, number]>(queries.lengths)
  yield
  const columns = new GrowingMessages(lengths.reduce((sum, [, length]) => sum + length, 0))
  for (const [conversation, length] of lengths) {
    columns.begin(conversation ?? Number.NaN)
    if (conversation !== null && (yield* appendingPacked(db, conversation, columns, length))) continue
    columns.clearConversation()
    yield* appendingRows(db, conversation, columns)
  }
  return columns.view()
}

/** Returns false when a value in the conversation is no plain number, or not all of it could be read. */
function* appendingPacked(
  db: ReadDb,
  conversation: number,
  columns: GrowingMessages,
  length: number,
): Generator<void, boolean> {
  const first = columns.length
  for (;;) {
    const params = { conversation, seq: columns.lastSeq, limit: MAX_AT_ONCE }
    const [packed] = db.rows<PackedMessages>(queries.packed, params)
    if (!packed || packed[0] === 0) break
    if (!columns.appendPacked(packed, MAX_AT_ONCE)) return false
    if (packed[0] < MAX_AT_ONCE) break
    nextKey(db, PLACES, params.seq, columns.lastSeq)
    yield
  }
  return columns.length - first === length
}

type NamedRow = {
  readonly id: number
  readonly seq: number
  readonly tokens: number | null
  readonly role: number
  readonly createdAtMs: number | null
}

function* appendingRows(db: ReadDb, conversation: number | null, columns: GrowingMessages): Generator<void> {
  for (const { id, seq, tokens, role, createdAtMs } of db.iterate<NamedRow>(queries.rows, { conversation })) {
    columns.append([[id, seq, tokens, role, createdAtMs]])
    if (columns.length % ROWS_AT_ONCE === 0) yield
  }
}
