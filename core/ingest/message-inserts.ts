import type { TokenEstimator } from '../models/token-estimator.ts'
import { LONGEST_INDEXED_AT_ONCE, PIECE_UNITS } from '../sqlite/pending-index.ts'
import type { BoundStatement, WriteDb } from '../sqlite/read-db.ts'
import { type MessageRow, type PartRow, toMessageRow, toPartRow } from './ingest-rows.ts'
import { type NewMessage, textUnits } from './new-message.ts'
import { bindPart } from './part-inserts.ts'

const queries = {
  insert: (place: string) => /* sql */ `
    INSERT INTO messages
      (message_id, conversation_id, seq, role, token_count, created_at, external_id, content_hash, content)
    VALUES (${place}, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (conversation_id, external_id) DO NOTHING`,
}
const insertNow = queries.insert('?, ?, ?')
const insertBound = queries.insert('given(0), given(1), given(2)')

/** A message with the rows that will be stored. */
export type PreparedMessage = {
  readonly message: NewMessage
  readonly row: MessageRow
  /**
   * Inserts the row of the message, given its number, its conversation and its seq. Returns 0 when the message is
   * known.
   */
  readonly insert: BoundStatement
  readonly parts: () => readonly PartRow[]
}

/**
 * Prepares a message. Call it before a transaction begins, because hashing a long text, counting its tokens and handing
 * it to SQLite take time. See docs/decisions/0018-long-messages.md.
 */
export function prepareMessage(db: WriteDb, message: NewMessage, estimator: TokenEstimator): PreparedMessage {
  const row = toMessageRow(message, estimator)
  const { content } = row
  const values = [row.role, row.tokens, row.atMs, row.externalId, row.hash, content]
  const partRows = (): PartRow[] => row.parts.map((part) => toPartRow(part, content))
  if (textUnits(message) <= LONGEST_INDEXED_AT_ONCE) {
    return { message, row, insert: (place) => db.runRaw(insertNow, [...place, ...values]), parts: partRows }
  }
  const parts = partRows().map((part) => (isLong(part) ? { ...part, bound: bindPart(db, part) } : part))
  return { message, row, insert: db.bindAhead(insertBound, values), parts: () => parts }
}

const isLong = ({ values }: PartRow): boolean =>
  values.some((value) => typeof value === 'string' && value.length > PIECE_UNITS)
