import type { JobProgress } from '../contract/job.ts'
import type { WriteDb } from '../db/read-db.ts'
import { LcmError } from '../errors.ts'

/** Rows whose numbers may lie far apart are taken by their order; texts of a step come to some megabytes. */
const STEP_ROWS = 1000

const queries = {
  next: (table: 'messages' | 'summaries', id: string) => `
    SELECT max(${id}) FROM (SELECT ${id} FROM ${table} WHERE ${id} > CAST(:after AS INTEGER) ORDER BY ${id} LIMIT ${STEP_ROWS})`,
  // The same values as the view message_text gives, in one pass over messages and parts.
  messages: (index: 'messages_fts' | 'messages_trigram') => `
    INSERT INTO ${index} (rowid, content, tool_input, tool_output, reasoning)
    SELECT
      m.message_id,
      m.content,
      group_concat(p.tool_input, char(10) ORDER BY p.ordinal),
      group_concat(p.tool_output, char(10) ORDER BY p.ordinal),
      group_concat(iif(p.part_type = 'reasoning', p.text_content, NULL), char(10) ORDER BY p.ordinal)
    FROM messages AS m
    LEFT JOIN message_parts AS p ON p.message_id = m.message_id AND p.is_synthetic = 0
    WHERE m.message_id > CAST(:after AS INTEGER) AND m.message_id <= CAST(:last AS INTEGER)
    GROUP BY m.message_id`,
  summaries: (index: 'summaries_fts' | 'summaries_trigram') => `
    INSERT INTO ${index} (rowid, content)
    SELECT summary_rowid, content FROM summaries
    WHERE summary_rowid > CAST(:after AS INTEGER) AND summary_rowid <= CAST(:last AS INTEGER)`,
  messageCount: 'SELECT count(*) FROM messages',
}

/**
 * Fills the search indexes of a file whose rows are all there and whose index triggers are not, a step a transaction.
 * @throws LcmError cancelled, disk_full
 */
export async function* indexInSteps(db: WriteDb, signal: AbortSignal): AsyncGenerator<JobProgress, void> {
  const total = db.value<number>(queries.messageCount) ?? 0
  let done = 0
  const steps = [
    {
      next: queries.next('messages', 'message_id'),
      fill: [queries.messages('messages_fts'), queries.messages('messages_trigram')],
    },
    {
      next: queries.next('summaries', 'summary_rowid'),
      fill: [queries.summaries('summaries_fts'), queries.summaries('summaries_trigram')],
    },
  ]
  for (const { next, fill } of steps) {
    let after = Number.MIN_SAFE_INTEGER
    for (;;) {
      const last = db.value<number | null>(next, { after }) ?? null
      if (last === null) break
      db.transaction(() => {
        for (const sql of fill) db.run(sql, { after, last })
      })
      after = last
      done = Math.min(total, done + STEP_ROWS)
      yield { done, total, unit: 'messages', note: 'search index' }
      await new Promise((resume) => setImmediate(resume))
      if (signal.aborted) throw new LcmError('cancelled', 'Copying was cancelled; no copy was made.')
    }
  }
}
