import { ROLES } from '../contract/ids.ts'
import type { ReadDb } from '../db/read-db.ts'
import { readSnapshot } from '../db/read-snapshot.ts'
import { LcmError } from '../errors.ts'
import { changeStamp } from './change-stamp.ts'
import { History } from './history.ts'
import { loadSummaryGraph, type SummaryGraph } from './summary-graph.ts'

const roleCode = `CASE role ${ROLES.map((role, code) => `WHEN '${role}' THEN ${code}`).join(' ')} ELSE 0 END`

/** Enough to notice that messages changed places; small enough that the sum over a million messages is exact. */
const ORDER_MODULUS = 251

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
}

/** Messages kept in memory over all conversations, about 33 bytes each; the least recently used go first. */
const MAX_KEPT_MESSAGES = 2_000_000

type Extent = { readonly length: number; readonly tokens: number; readonly ordered: number }
type Row = [messageId: number, seq: number, tokens: number | null, role: number, createdAtMs: number | null]
type Kept = {
  stamp: string
  columns: Columns
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
    const columns = new Columns(length)
    columns.append(this.#db.iterateRaw<Row>(queries.after, { ...conversation, seq: -Infinity }))
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
  const lastSeq = history.seqs[history.length - 1] ?? -Infinity
  columns.append(db.iterateRaw<Row>(queries.after, { ...conversation, seq: lastSeq }))
  if (!isSame(columns.extent, extent)) return undefined
  return { stamp: '', columns, history: new History(history.conversationId, columns.view()), graph: null }
}

const isSame = (a: Extent, b: Extent): boolean =>
  a.length === b.length && a.tokens === b.tokens && a.ordered === b.ordered

/** Growing columns. Views that were handed out stay valid: what is there is never changed, only added to. */
class Columns {
  length = 0
  /** As SQL adds it up; a negative count of tokens in a damaged file is 0 in the history. */
  #tokens = 0
  #ordered = 0
  #messageIds: Float64Array<ArrayBuffer>
  #seqs: Float64Array<ArrayBuffer>
  #roleCodes: Uint8Array<ArrayBuffer>
  #createdAtMs: Float64Array<ArrayBuffer>
  #tokensBefore: Float64Array<ArrayBuffer>

  constructor(capacity: number) {
    this.#messageIds = new Float64Array(capacity)
    this.#seqs = new Float64Array(capacity)
    this.#roleCodes = new Uint8Array(capacity)
    this.#createdAtMs = new Float64Array(capacity)
    this.#tokensBefore = new Float64Array(capacity + 1)
  }

  append(rows: Iterable<Row>): void {
    for (const [messageId, seq, tokens, role, createdAtMs] of rows) {
      const rank = this.length
      if (rank === this.#messageIds.length) this.#grow()
      this.#messageIds[rank] = messageId
      this.#seqs[rank] = seq
      this.#roleCodes[rank] = role
      this.#createdAtMs[rank] = createdAtMs ?? Number.NaN
      this.#tokensBefore[rank + 1] = (this.#tokensBefore[rank] as number) + Math.max(0, tokens ?? 0)
      this.#tokens += tokens ?? 0
      this.#ordered += (messageId % ORDER_MODULUS) * seq
      this.length += 1
    }
  }

  get extent(): Extent {
    return { length: this.length, tokens: this.#tokens, ordered: this.#ordered }
  }

  view() {
    const end = this.length
    return {
      messageIds: this.#messageIds.subarray(0, end),
      seqs: this.#seqs.subarray(0, end),
      roleCodes: this.#roleCodes.subarray(0, end),
      createdAtMs: this.#createdAtMs.subarray(0, end),
      tokensBefore: this.#tokensBefore.subarray(0, end + 1),
    }
  }

  #grow(): void {
    const capacity = this.length + Math.max(1024, this.length >> 3)
    const grown = (from: Float64Array, length: number): Float64Array<ArrayBuffer> => {
      const to = new Float64Array(length)
      to.set(from)
      return to
    }
    const roleCodes = new Uint8Array(capacity)
    roleCodes.set(this.#roleCodes)
    this.#roleCodes = roleCodes
    this.#messageIds = grown(this.#messageIds, capacity)
    this.#seqs = grown(this.#seqs, capacity)
    this.#createdAtMs = grown(this.#createdAtMs, capacity)
    this.#tokensBefore = grown(this.#tokensBefore, capacity + 1)
  }
}
