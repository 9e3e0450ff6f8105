import { withBreath } from '../breath.ts'
import { ROLES } from '../contract/ids.ts'
import type { ReadDb } from '../db/read-db.ts'
import { readSnapshot } from '../db/read-snapshot.ts'
import { LcmError } from '../errors.ts'
import { changeStamp } from './change-stamp.ts'
import { History } from './history.ts'
import {
  type Extent,
  GrowingColumns,
  type HistoryRow,
  ORDER_MODULUS,
  OTHER_ROLE,
  type PackedRows,
} from './history-columns.ts'
import type { MessageOrder } from './message-order.ts'
import { readOrder } from './read-order.ts'
import { loadSummaryGraph, type SummaryGraph } from './summary-graph.ts'

const roleCode = `CASE role ${ROLES.map((role, code) => `WHEN '${role}' THEN ${code}`).join(' ')} ELSE ${OTHER_ROLE} END`

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
}

/**
 * Messages packed into one row, which are read without a pause: at first, and at most. In some systems' files what is
 * read of a message stands behind its text, and how long that takes to get by is known only afterwards.
 */
const FIRST_AT_ONCE = 2000
const MAX_AT_ONCE = 30_000
const MIN_AT_ONCE = 50
const STRETCH_MS = 15

/** Messages kept in memory over all conversations, about 33 bytes each; the least recently used go first. */
const MAX_KEPT_MESSAGES = 2_000_000

/** Conversations whose order alone is kept. */
const MAX_KEPT_ORDERS = 4

const NEVER = new AbortController().signal

type KeptOrder = { readonly stamp: string; readonly order: MessageOrder }
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
  /** Of conversations of which no more was asked for. The last few. */
  readonly #orders = new Map<number, KeptOrder>()
  readonly #preparing = new Map<number, Promise<void>>()

  constructor(db: ReadDb) {
    this.#db = db
  }

  /**
   * Which messages a conversation has, in order, as they are now; without reading over their texts.
   * @throws LcmError not_found
   */
  order(conversationId: number): MessageOrder {
    const stamp = changeStamp(this.#db)
    const kept = this.#kept.get(conversationId)
    if (kept?.stamp === stamp) return kept.history
    const known = this.#orders.get(conversationId)
    if (known?.stamp === stamp) return known.order
    return readSnapshot(this.#db, () => {
      const order = readOrder(this.#db, conversationId, known?.order ?? kept?.history)
      if (order.length === 0) this.#requireThere(conversationId)
      this.#orders.delete(conversationId)
      this.#orders.set(conversationId, { stamp: changeStamp(this.#db), order })
      for (const id of [...this.#orders.keys()].slice(0, -MAX_KEPT_ORDERS)) this.#orders.delete(id)
      return order
    })
  }

  /**
   * The messages of a conversation as they are now.
   * @throws LcmError not_found
   */
  of(conversationId: number): History {
    return this.#current(conversationId).history
  }

  /** The same when it is at hand; null when it would have to be read. */
  known(conversationId: number): History | null {
    const kept = this.#kept.get(conversationId)
    return kept?.stamp === changeStamp(this.#db) ? kept.history : null
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

  /**
   * Reads the messages of a conversation a piece at a time, so that others have their turn meanwhile: `of` then has
   * them at hand, or has only to catch up with what the file became since. Does nothing for a conversation that is not
   * there.
   */
  async prepare(conversationId: number): Promise<void> {
    const underway = this.#preparing.get(conversationId)
    if (underway) return underway
    const done = withBreath(this.#prepared(conversationId), NEVER).finally(() => this.#preparing.delete(conversationId))
    this.#preparing.set(conversationId, done)
    return done
  }

  *#prepared(conversationId: number): Generator<void> {
    if (this.#kept.has(conversationId)) return
    const stamp = changeStamp(this.#db)
    const length = this.#db.value<number>(queries.length, { conversation: conversationId }) ?? 0
    const columns = new GrowingColumns(length)
    yield* appendingNewer(this.#db, conversationId, columns)
    if (columns.length === 0 || this.#kept.has(conversationId)) return
    const history = new History(conversationId, columns.view())
    this.#keep(conversationId, { stamp, columns, history, graph: null })
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
    if (length === 0) this.#requireThere(conversationId)
    const columns = new GrowingColumns(length)
    appendNewer(this.#db, conversationId, columns)
    return { stamp: '', columns, history: new History(conversationId, columns.view()), graph: null }
  }

  #requireThere(conversationId: number): void {
    if (this.#db.value(queries.exists, { conversation: conversationId }) !== undefined) return
    throw new LcmError(
      'not_found',
      `There is no conversation ${conversationId} in ${this.#db.path}: "lcm stats" lists those that are there.`,
      { conversationId },
    )
  }

  #keep(conversationId: number, current: Kept): void {
    this.#orders.delete(conversationId)
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
  for (let limit = FIRST_AT_ONCE; ; ) {
    const startedMs = performance.now()
    const params = { conversation, seq: columns.lastSeq, limit }
    const [packed] = db.iterateRaw<PackedRows>(queries.packed, params)
    if (!packed || packed[0] === 0) return
    if (!columns.appendPacked(packed, limit)) columns.append(wholeRows(db, params))
    if (packed[0] < limit) return
    yield
    const tookMs = Math.max(1, performance.now() - startedMs)
    limit = Math.round(
      Math.max(MIN_AT_ONCE, limit / 2, Math.min(MAX_AT_ONCE, limit * 2, (limit * STRETCH_MS) / tookMs)),
    )
  }
}

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

const isSame = (a: Extent, b: Extent): boolean =>
  a.length === b.length && a.tokens === b.tokens && a.ordered === b.ordered
