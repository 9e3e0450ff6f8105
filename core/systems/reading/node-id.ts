import { LcmError } from '#core/errors.ts'
import type { ReadDb } from '#core/sqlite/read-db.ts'

/** What an id names. */
export type FoundNode =
  | { readonly kind: 'message'; readonly id: string; readonly messageId: number; readonly conversationId: number }
  | { readonly kind: 'summary'; readonly id: string; readonly conversationId: number }
  | { readonly kind: 'file'; readonly id: string; readonly conversationId: number }

const queries = {
  message: /* sql */ `SELECT conversation_id FROM messages WHERE message_id = :id`,
  summary: /* sql */ `SELECT conversation_id FROM summaries WHERE summary_id = :id`,
  file: /* sql */ `SELECT conversation_id FROM large_files WHERE file_id = :id`,
  /** Summaries that rest on what is not there. */
  namedBy: /* sql */ `
    SELECT summary_id FROM summary_sources WHERE source_summary_id = :id
    UNION
    SELECT summary_id FROM summary_messages WHERE message_id = CAST(:message AS INTEGER)
    ORDER BY 1
    LIMIT 20`,
  external: /* sql */ `
    SELECT m.message_id AS messageId, m.conversation_id AS conversationId
    FROM message_names AS n
    JOIN messages AS m ON m.message_id = n.message_id
    WHERE n.external_id = :id
    LIMIT 1`,
}

/** Address of a message from its row number. */
export const messageNodeId = (messageId: number): string => `msg_${messageId}`

/** The same for a row of the file's own table. It is null beyond 2⁵³, where a driver gives another number. */
export const exactMessageId = (messageId: number): string | null =>
  Number.isSafeInteger(messageId) ? messageNodeId(messageId) : null

/** Row number in the address of a message; null for every other address. */
export function messageNumber(id: string): number | null {
  const digits = /^msg_(-?\d{1,16})$/.exec(id)?.[1]
  return digits === undefined ? null : Number(digits)
}

/**
 * Finds what an id names: a message, else a summary, else a file; else the message that the system itself, or the
 * transcript that it came from, knows by that id.
 * @throws LcmError not_found
 */
export function findNode(db: ReadDb, id: string): FoundNode {
  const node = lookUp(db, id)
  if (!node) throw notFound(db, id)
  return node
}

/** The conversation of what an id names; null when it names nothing. */
export const conversationOf = (db: ReadDb, id: string): number | null => lookUp(db, id)?.conversationId ?? null

/** The id names something that is there. */
export const exists = (db: ReadDb, id: string): boolean => lookUp(db, id) !== null

/** Does the same as `findNode`, and returns null when the id names nothing. */
export function lookUp(db: ReadDb, id: string): FoundNode | null {
  const messageId = messageNumber(id)
  if (messageId !== null) {
    const conversationId = db.value<number>(queries.message, { id: messageId })
    if (conversationId !== undefined) return { kind: 'message', id, messageId, conversationId }
  }
  const ofSummary = db.value<number>(queries.summary, { id })
  if (ofSummary !== undefined) return { kind: 'summary', id, conversationId: ofSummary }
  const ofFile = db.value<number>(queries.file, { id })
  if (ofFile !== undefined) return { kind: 'file', id, conversationId: ofFile }
  const ofSystem = db.get<{ messageId: number; conversationId: number }>(queries.external, { id })
  return ofSystem ? { kind: 'message', id: messageNodeId(ofSystem.messageId), ...ofSystem } : null
}

/** Summaries that name an id as their source, whether it is there or not; at most 20. */
export function namedBy(db: ReadDb, id: string): string[] {
  return db.column<string>(queries.namedBy, { id, message: messageNumber(id) })
}

export function notFound(db: ReadDb, id: string): LcmError {
  const [namer] = namedBy(db, id)
  if (namer !== undefined) {
    return new LcmError(
      'not_found',
      `${id} is not in ${db.path}, though ${namer} names it as a source: that link dangles. "lcm lineage ${id}" shows who rests on it, "lcm integrity" what else is missing.`,
      { id, namedBy: namer, suggestion: 'integrity' },
    )
  }
  return new LcmError(
    'not_found',
    `There is no message, summary or file "${id}" in ${db.path}: look for it with "lcm grep", or in Search.`,
    { id, suggestion: 'grep' },
  )
}
