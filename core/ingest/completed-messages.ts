import { INDEXES, indexMessages } from '../sqlite/ingest-index.ts'
import type { WriteDb } from '../sqlite/read-db.ts'
import { withoutTriggers } from '../sqlite/take-triggers.ts'
import { isOnServer } from '../systems/opening/pulled-from.ts'
import { type MessageRow, toPartRow } from './ingest-rows.ts'
import { PartInserts } from './part-inserts.ts'

const queries = {
  // A message may change only while nothing depends on its text: no summary names it, no ledger has recorded it, no
  // search index holds a part of it, and it is not in PostgreSQL.
  mayChange: /* sql */ `
    SELECT NOT EXISTS (SELECT 1 FROM summary_messages AS s WHERE s.message_id = :messageId)
      AND NOT EXISTS (SELECT 1 FROM message_parts AS p WHERE p.message_id = :messageId AND p.is_synthetic = 1)
      AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'ledger_outbox')
      AND NOT EXISTS (SELECT 1 FROM lcm_meta AS i WHERE i.key = 'index_pending:' || CAST(:messageId AS INTEGER))`,
  forget: (table: string) => /* sql */ `
    INSERT INTO ${table} (${table}, rowid, content, tool_input, tool_output, reasoning)
    SELECT 'delete', message_id, content, tool_input, tool_output, reasoning
    FROM message_text WHERE message_id = :messageId`,
  change: /* sql */ `
    UPDATE messages
    SET content = :content, content_hash = :hash, token_count = :tokens, external_id = :externalId, created_at = :atMs
    WHERE message_id = :messageId`,
  changeItem: /* sql */ `UPDATE context_items SET created_at = :atMs WHERE message_id = :messageId`,
  removeParts: /* sql */ `DELETE FROM message_parts WHERE message_id = :messageId`,
}

/** Whether the text of a stored message may still be completed, because nothing depends on it yet. */
export const mayBeCompleted = (db: WriteDb, messageId: number): boolean =>
  db.value<number>(queries.mayChange, { messageId }) === 1 && !isOnServer(db, messageId)

export type Completion = {
  readonly messageId: number
  readonly row: MessageRow
  readonly sessionId: string
  /** The beginning of the ids of its parts. */
  readonly partStem: string
}

/**
 * Replaces messages that were stored while they were being written by the whole ones. This is the only change of a
 * stored message: see docs/decisions/0016-what-an-import-keeps.md. It must run inside a transaction.
 * @param indexed messages up to this number are in the search indexes
 * @param index brings the indexes up to date for those of them that changed
 */
export function completeMessages(
  db: WriteDb,
  completions: readonly Completion[],
  indexed: number,
  index = indexMessages,
): void {
  if (completions.length === 0) return
  const guards = ['messages_immutable', 'message_parts_undeletable', '*_index_insert']
  withoutTriggers(db, guards, () => {
    const inserts = new PartInserts(db)
    for (const { messageId, row, sessionId, partStem } of completions) {
      const isIndexed = messageId <= indexed
      if (isIndexed) for (const table of INDEXES) db.run(queries.forget(table), { messageId })
      db.run(queries.removeParts, { messageId })
      const { content, hash, tokens, externalId, atMs } = row
      db.run(queries.change, { messageId, content, hash, tokens, externalId, atMs })
      db.run(queries.changeItem, { messageId, atMs })
      row.parts.forEach((part, ordinal) => {
        inserts.add([`${partStem}_${ordinal}`, messageId, sessionId, ordinal], toPartRow(part, content))
      })
      inserts.flush()
      if (isIndexed) index(db, { after: messageId - 1, last: messageId })
    }
  })
}
