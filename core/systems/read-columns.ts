import { ROLES } from '../contract/ids.ts'
import type { History } from '../memory/history.ts'
import {
  type Extent,
  type GrowingColumns,
  type HistoryRow,
  ORDER_MODULUS,
  OTHER_ROLE,
  type PackedRows,
} from '../memory/history-columns.ts'
import { nextKey } from '../sqlite/keyset.ts'
import type { ReadDb } from '../sqlite/read-db.ts'

const roleCode = `CASE role ${ROLES.map((role, code) => `WHEN '${role}' THEN ${code}`).join(' ')} ELSE ${OTHER_ROLE} END`

const queries = {
  after: /* sql */ `
    SELECT message_id, seq, token_count, ${roleCode}, created_at
    FROM messages
    WHERE conversation_id = :conversation AND seq > :seq
    ORDER BY seq
    LIMIT CAST(:limit AS INTEGER)`,
  /** The same as one row. A row a message costs an array and two steps between SQLite and JavaScript each. */
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
  /** Of a stretch, what would differ if it had been rewritten. */
  extent: /* sql */ `
    SELECT count(*) AS length, total(token_count) AS tokens, total((message_id % ${ORDER_MODULUS}) * seq) AS ordered
    FROM messages
    WHERE conversation_id = :conversation AND seq > :after AND seq <= :upTo`,
}

/**
 * Messages packed into one row, which are read without a pause: at first, and at most. In some systems' files what is
 * read of a message stands behind its text, and how long that takes to get by is known only afterwards. More at once
 * would be hardly quicker, and make texts so long that what they leave behind is used by nothing else.
 */
const FIRST_AT_ONCE = 2000
const MAX_AT_ONCE = 4000
const MIN_AT_ONCE = 50
const STRETCH_MS = 15

/** As many messages next time as will take about `STRETCH_MS`. */
function nextLimit(limit: number, startedMs: number): number {
  const fitting = (limit * STRETCH_MS) / Math.max(1, performance.now() - startedMs)
  return Math.round(Math.max(MIN_AT_ONCE, limit / 2, Math.min(MAX_AT_ONCE, limit * 2, fitting)))
}

/** Adds all messages of a conversation after those that are there, some 20 ms of work at a time. */
export function* appendingNewer(db: ReadDb, conversation: number, columns: GrowingColumns): Generator<void> {
  for (let limit = FIRST_AT_ONCE; ; ) {
    const startedMs = performance.now()
    const params = { conversation, seq: columns.lastSeq, limit }
    const [packed] = db.iterateRaw<PackedRows>(queries.packed, params)
    if (!packed || packed[0] === 0) return
    if (!columns.appendPacked(packed, limit)) columns.append(wholeRows(db, params))
    if (packed[0] < limit) return
    // Where it is none at all, nothing comes after it.
    if (!Number.isNaN(columns.lastSeq)) nextKey(db, PLACES, params.seq, columns.lastSeq)
    limit = nextLimit(limit, startedMs)
    yield
  }
}

const PLACES = 'the places of messages in their conversation'

type Stretch = { readonly conversation: number; readonly seq: number; readonly limit: number }

/**
 * A stretch row by row, because not every file is a sound one: a time may be missing, a number may be a text. The last
 * seq is left out, since there may be more of it; where that leaves nothing, it is all that there is.
 */
function wholeRows(db: ReadDb, stretch: Stretch): HistoryRow[] {
  const rows = [...db.iterateRaw<HistoryRow>(queries.after, stretch)]
  if (rows.length < stretch.limit) return rows
  const last = rows.at(-1)?.[1]
  const whole = rows.filter(([, seq]) => seq !== last)
  const goesOn = whole.length > 0 && whole.every(([, seq]) => Number.isFinite(seq))
  return goesOn ? whole : [...db.iterateRaw<HistoryRow>(queries.after, { ...stretch, limit: -1 })]
}

/** Whether the messages of a history are still what they were, a piece of work at a time. */
export function* checking(db: ReadDb, history: History): Generator<void, boolean> {
  const { conversationId: conversation, length, seqs, messageIds, tokensBefore } = history
  if (!history.isPlain) return false
  let limit = FIRST_AT_ONCE
  for (let from = 0; from < length; ) {
    const startedMs = performance.now()
    let to = Math.min(length, from + limit)
    while (to < length && seqs[to] === seqs[to - 1]) to += 1
    let ordered = 0
    for (let rank = from; rank < to; rank += 1) {
      ordered += ((messageIds[rank] as number) % ORDER_MODULUS) * (seqs[rank] as number)
    }
    const after = seqs[from - 1] ?? Number.NEGATIVE_INFINITY
    const found = db.get<Extent>(queries.extent, { conversation, after, upTo: seqs[to - 1] ?? null })
    const tokens = (tokensBefore[to] as number) - (tokensBefore[from] as number)
    if (found?.length !== to - from || found.tokens !== tokens || found.ordered !== ordered) return false
    from = to
    limit = nextLimit(limit, startedMs)
    yield
  }
  return true
}
