import type { ReadDb } from '#core/sqlite/read-db.ts'

/** Where the record of a repair lists the positions (seq) of messages that it left out of the window for good. */
export const SET_ASIDE = 'setAside'

const queries = {
  seqs: /* sql */ `
    SELECT s.conversation_id, j.value
    FROM surgery_events AS s
    JOIN json_each(s.detail, '$.${SET_ASIDE}') AS j
    WHERE s.kind = 'repair' AND json_valid(s.detail) AND instr(s.detail, '"${SET_ASIDE}"') > 0`,
}

/**
 * Returns a function that says whether a message was taken out of its window because it is in the file once more. The
 * position of a message in its conversation is the same wherever the conversation is copied to. Files of other systems
 * have no such record.
 */
export function messagesSetAside(db: ReadDb): (conversationId: number, seq: number) => boolean {
  const seqs = new Set(
    db.rows<[number, number]>(queries.seqs).map(([conversationId, seq]) => `${conversationId} ${seq}`),
  )
  return (conversationId, seq) => seqs.has(`${conversationId} ${seq}`)
}
