import { ROLES } from '../contract/ids.ts'
import type { ReadDb } from '../db/read-db.ts'
import { readSnapshot } from '../db/read-snapshot.ts'
import { LcmError } from '../errors.ts'
import { changeStamp } from './change-stamp.ts'
import { History } from './history.ts'
import { type Extent, GrowingColumns, type HistoryRow, ORDER_MODULUS, type PackedRows } from './history-columns.ts'
import { loadSummaryGraph, type SummaryGraph } from './summary-graph.ts'

const roleCode = `CASE role ${ROLES.map((role, code) => `WHEN '${role}' THEN ${code}`).join(' ')} ELSE 0 END`

const queries = {
  exists: /* sql */ `SELECT 1 FROM conversations WHERE conversation_id = :conversation`,
  length: /* sql */ `SELECT count(*) FROM messages WHERE conversation_id = :conversation`,
  /** What tells an appended conversation from a rewritten one. */
  extent: /* sql */ `
    SELECT count(*) AS length, total(token_count) AS tokens, total((message_id % ${ORDER_MODULUS}) * seq) AS ordered
    FROM messages
    WHERE conversation_id = :conversation`,
  after: /* sql */ `
    SELECT message_id, seq, token_count, ${roleCode}, created_at
    FROM messages
    WHERE conversation_id = :conversation AND seq > :seq
    ORDER BY seq`,
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
}

/** Messages packed into one row: some megabytes of text at a time. */
const PACKED_AT_ONCE = 30_000

/** Messages kept in memory over all conversations, about 33 bytes each; the least recently used go first. */
const MAX_KEPT_MESSAGES = 2_000_000

type Kept = {
  stamp: string
  columns: GrowingColumns
  history: History
  graph: SummaryGraph | null
}

/**
 * The histories of the conversations that are being looked at, read once and kept in step with the file: what was
 * appended is read alone, what was rewritten is read again.
 */
export class HistoryIndex {
  readonly #db: ReadDb
  /** Least recently used first. */
  readonly #kept = new Map<number, Kept>()

  constructor(db: ReadDb) {
    this.#db = db
  }

  /**
   * The messages of a conversation as they are now.
   * @throws LcmError not_found
   */
  of(conversationId: number): History {
    return this.#current(conversationId).history
  }

  /**
   * The summaries of a conversation and what they cover, as they are now.
   * @throws LcmError not_found
   */
  graph(conversationId: number): SummaryGraph {
    return readSnapshot(this.#db, () => {
      const kept = this.#current(conversationId)
      kept.graph ??= loadSummaryGraph(this.#db, kept.history)
      return kept.graph
    })
  }

  #current(conversationId: number): Kept {
    const stamp = changeStamp(this.#db)
    const kept = this.#kept.get(conversationId)
    if (kept?.stamp === stamp) return kept
    return readSnapshot(this.#db, () => {
      const current = (kept && extended(this.#db, kept)) ?? this.#load(conversationId)
      current.stamp = changeStamp(this.#db)
      this.#keep(conversationId, current)
      return current
    })
  }

  #load(conversationId: number): Kept {
    const conversation = { conversation: conversationId }
    const length = this.#db.value<number>(queries.length, conversation) ?? 0
    if (length === 0 && this.#db.value(queries.exists, conversation) === undefined) {
      throw new LcmError(
        'not_found',
        `There is no conversation ${conversationId} in ${this.#db.path}: "lcm stats" lists those that are there.`,
        { conversationId },
      )
    }
    const columns = new GrowingColumns(length)
    appendNewer(this.#db, conversationId, columns)
    return { stamp: '', columns, history: new History(conversationId, columns.view()), graph: null }
  }

  #keep(conversationId: number, current: Kept): void {
    this.#kept.delete(conversationId)
    this.#kept.set(conversationId, current)
    let messages = 0
    for (const kept of this.#kept.values()) messages += kept.history.length
    for (const [id, kept] of this.#kept) {
      if (messages <= MAX_KEPT_MESSAGES || id === conversationId) break
      messages -= kept.history.length
      this.#kept.delete(id)
    }
  }
}

/** What was kept, with the messages that were added since; undefined when it is not the same history any more. */
function extended(db: ReadDb, kept: Kept): Kept | undefined {
  const { history, columns } = kept
  const conversation = { conversation: history.conversationId }
  const extent = db.get<Extent>(queries.extent, conversation)
  if (!extent || extent.length < Math.max(1, history.length)) return undefined
  if (isSame(columns.extent, extent)) return { ...kept, graph: null }
  appendNewer(db, history.conversationId, columns)
  if (!isSame(columns.extent, extent)) return undefined
  return { stamp: '', columns, history: new History(history.conversationId, columns.view()), graph: null }
}

/** Adds all messages after those that are there. */
function appendNewer(db: ReadDb, conversation: number, columns: GrowingColumns): void {
  for (const _ of appendingNewer(db, conversation, columns));
}

/** Adds all messages of a conversation after those that are there, some 20 ms of work at a time. */
export function* appendingNewer(db: ReadDb, conversation: number, columns: GrowingColumns): Generator<void> {
  for (;;) {
    const [packed] = db.iterateRaw<PackedRows>(queries.packed, {
      conversation,
      seq: columns.lastSeq,
      limit: PACKED_AT_ONCE,
    })
    if (!packed || packed[0] === 0) return
    if (!columns.appendPacked(packed, PACKED_AT_ONCE)) break
    if (packed[0] < PACKED_AT_ONCE) return
    yield
  }
  // Not every file is a sound one: a time may be missing, a number may be a text.
  columns.append(db.iterateRaw<HistoryRow>(queries.after, { conversation, seq: columns.lastSeq }))
}

const isSame = (a: Extent, b: Extent): boolean =>
  a.length === b.length && a.tokens === b.tokens && a.ordered === b.ordered
