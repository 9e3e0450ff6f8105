import type { ReadDb } from '../../sqlite/read-db.ts'

const queries = {
  count: /* sql */ `SELECT count(*) FROM messages`,
  messages: /* sql */ `
    SELECT message_id, conversation_id, coalesce(seq, 0), coalesce(token_count, 0), coalesce(created_at, 0)
    FROM messages
    ORDER BY message_id`,
  events: /* sql */ `SELECT message_id FROM event_messages`,
}

/** How many rows are read before others get their turn. */
const SLICE_ROWS = 20_000

/** What derived rows depend on, of every message of a file, in columns: a million takes 40 MB. Rows are in order of id. */
export class MessageTable {
  readonly length: number
  readonly ids: Float64Array
  readonly conversationIds: Float64Array
  readonly seqs: Float64Array
  readonly tokens: Float64Array
  readonly atMs: Float64Array
  /** Rows that record an event and are no part of the conversation. */
  readonly events: ReadonlySet<number>

  private constructor(length: number, columns: readonly Float64Array[], events: ReadonlySet<number>) {
    const [ids, conversationIds, seqs, tokens, atMs] = columns.map((column) => column.subarray(0, length))
    this.length = length
    this.ids = ids as Float64Array
    this.conversationIds = conversationIds as Float64Array
    this.seqs = seqs as Float64Array
    this.tokens = tokens as Float64Array
    this.atMs = atMs as Float64Array
    this.events = events
  }

  /** Reads the file; yields now and then. */
  static *read(db: ReadDb): Generator<void, MessageTable> {
    const expected = db.value<number>(queries.count) ?? 0
    const columns = Array.from({ length: 5 }, () => new Float64Array(expected))
    let length = 0
    for (const row of db.iterateRaw<[number, number, number, number, number]>(queries.messages)) {
      // What was appended since it was counted is not looked at.
      if (length === expected) break
      for (let column = 0; column < 5; column += 1) (columns[column] as Float64Array)[length] = row[column] as number
      length += 1
      if (length % SLICE_ROWS === 0) yield
    }
    return new MessageTable(length, columns, new Set(db.column<number>(queries.events)))
  }

  /** Row of a message, or −1. */
  rowOf(messageId: number): number {
    let low = 0
    let high = this.length - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const id = this.ids[middle] as number
      if (id === messageId) return middle
      if (id < messageId) low = middle + 1
      else high = middle - 1
    }
    return -1
  }

  has(messageId: number): boolean {
    return this.rowOf(messageId) >= 0
  }

  seqOf(messageId: number): number | undefined {
    return this.seqs[this.rowOf(messageId)]
  }
}
